// runtime_object FILE: writes the runtime as an object for this machine, which the kernels of tests share.
#include "codegen/link_runtime.h"
#include "codegen/object.h"
#include "support/render.h"

#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

#include <fstream>
#include <iostream>

int main(int count, char **arguments) {
  if (count != 2)
    return 2;
  spc::Diagnostics diagnostics;
  const auto machine = spc::codegen::createTargetMachine({}, diagnostics);
  llvm::LLVMContext context;
  const auto runtime = machine ? spc::codegen::wholeRuntime(context, machine->getTargetTriple().str(),
                                                            machine->createDataLayout().getStringRepresentation())
                               : nullptr;
  const std::string object =
      runtime ? spc::codegen::emit(*runtime, *machine, spc::codegen::OutputKind::Object) : std::string();
  for (const spc::Diagnostic &diagnostic : diagnostics.all())
    std::cerr << spc::renderText(diagnostic, false);
  return !object.empty() && std::ofstream(arguments[1], std::ios::binary) << object ? 0 : 1;
}
