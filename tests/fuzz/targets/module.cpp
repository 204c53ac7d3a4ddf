// An MLIR module, text or bytecode: read, and each of its functions checked and planned; what is written of a program
// has the same plan.
#include "fuzz/targets/check_text.h"

#include "ingress/module.h"

#include <cstdint>

using namespace spc;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  SourceManager sources;
  Diagnostics diagnostics;
  const SourceFile &file = sources.add("model.mlir", std::string(reinterpret_cast<const char *>(bytes), size));
  const std::optional<ingress::Module> module = ingress::readModule(file, {"", true}, sources, diagnostics);
  if (!module && !diagnostics.hasErrors())
    std::abort(); // refused without a reason
  for (size_t k = 0; module && k < module->kernels.size(); ++k) {
    const ingress::ModuleKernel &kernel = module->kernels[k];
    const sema::Options options{.function = "kernel", .strictFp = kernel.isStrict, .verify = true};
    const auto program = sema::check(kernel.tree, kernel.bindings, options, diagnostics);
    if (const auto planned = program ? sema::plan(*program, options, diagnostics) : std::nullopt)
      testing::checkText(*program, *planned, kernel.bindings, options, sources);
    else if (!diagnostics.hasErrors())
      std::abort();
  }
  testing::checkMessages(diagnostics);
  return 0;
}
