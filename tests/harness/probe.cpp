#include "harness/probe.h"

#include "codegen/link_runtime.h"
#include "dialect/dialect.h"
#include "entry/call.h"
#include "entry/entry.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"

#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Target/TargetMachine.h"

#include <stdexcept>

namespace spc::entry::test {

format::Format formatOf(const std::string &letters, std::vector<int> modes, format::IndexType pointers,
                        format::IndexType indices) {
  format::Format format{letters, {}, pointers, indices};
  for (size_t k = 0; k < letters.size(); ++k) {
    format::Level level;
    level.dim = modes.empty() ? static_cast<int>(k) : modes[k];
    const char letter = letters[k];
    const bool isDense = letter == 'd' || letter == 'r' || letter == 't';
    level.storage = isDense ? format::Storage::Dense : format::Storage::Compressed;
    level.extent = letter == 'c' || letter == 'r' ? format::Extent::Ragged
                   : letter == 'l'                ? format::Extent::Lengths
                   : letter == 't'                ? format::Extent::Closed
                                                  : format::Extent::Fixed;
    if (letter == 'f')
      level.width = std::nullopt;
    if (letter == 't')
      level.length = {1, 1, 0};
    level.unique = k + 1 == letters.size() || letters[k + 1] != 's';
    format.levels.push_back(level);
  }
  return format;
}

Probe::Probe() {
  kernel.function = "probe";
  kernel.kernelFile = "probe.tex";
  sema::Tensor out;
  out.name = "out";
  out.format = formatOf("d");
  out.extents = {extent("places")};
  out.isWritten = true;
  kernel.steps.emplace_back(sema::Statement{.target = add(out)}); // a stage, whose body the test writes itself
  ask(R"(size, "places")");
}

sema::ExtentId Probe::extent(const std::string &name, std::optional<int64_t> fixed) {
  return kernel.extents.add({name, fixed});
}

sema::TensorId Probe::add(sema::Tensor tensor) {
  const sema::TensorId id = kernel.tensors.add(std::move(tensor));
  if (kernel.tensors.back().is<sema::Parameter>())
    kernel.parameters.push_back(id);
  return id;
}

sema::TensorId Probe::operand(const std::string &name, const format::Format &format,
                              std::vector<sema::ExtentId> extents, sema::ValueType type) {
  sema::Tensor tensor{name, sema::Parameter{}, type, format, std::move(extents)};
  tensor.isRead = true;
  return add(std::move(tensor));
}

sema::TensorId Probe::temporary(const std::string &name, const format::Format &format,
                                std::vector<sema::ExtentId> extents) {
  return add({name, sema::Temporary{}, sema::ValueType::F64, format, std::move(extents)});
}

sema::TensorId Probe::converted(const std::string &name, const format::Format &format, sema::TensorId source) {
  const sema::Tensor &original = kernel.tensors[source];
  sema::Tensor tensor{name, sema::Converted{source}, original.type, format, original.extents};
  return add(std::move(tensor));
}

sema::TensorId Probe::shares(const std::string &name, sema::TensorId owner) {
  sema::Tensor tensor = kernel.tensors[owner];
  tensor.name = name;
  tensor.isRead = false;
  tensor.isWritten = true;
  tensor.structure = sema::SharedWith{owner};
  return add(std::move(tensor));
}

sema::TensorId Probe::valuesOnly(const std::string &name, sema::TensorId owner) {
  sema::Tensor tensor = kernel.tensors[owner];
  tensor.name = name;
  tensor.structure = sema::SharedWith{owner, true};
  return add(std::move(tensor));
}

sema::TensorId Probe::scalarOutput(const std::string &name) {
  sema::Tensor tensor;
  tensor.name = name;
  tensor.isWritten = true;
  return add(std::move(tensor));
}

size_t Probe::ask(const std::string &bind) {
  binds.push_back(bind);
  return binds.size() - 1;
}

abi::Signature Probe::signature() const {
  return abi::makeSignature(kernel);
}

/// A value type in the LLVM dialect.
static std::string llvmSpelling(sema::ValueType type) {
  if (sema::isComplex(type))
    return type == sema::ValueType::CF32 ? "!llvm.struct<(f32, f32)>" : "!llvm.struct<(f64, f64)>";
  return sema::isFloat(type) ? sema::spelling(type) : "i" + std::to_string(8 * sema::bytesOf(type));
}

std::string Probe::bodyText() const {
  const auto typeOf = [&](const std::string &bind) -> std::string {
    const std::string kind = bind.substr(0, bind.find(','));
    if (kind == "scalar")
      for (const sema::Tensor &tensor : kernel.tensors)
        if (bind == "scalar, \"" + tensor.name + "\"")
          return llvmSpelling(tensor.type);
    return kind == "values" || kind == "entries" || kind == "pointers" || kind == "indices" ? "!llvm.ptr" : "i64";
  };
  std::string parameters = R"(%out: !llvm.ptr {llvm.noalias, spc.bind = #spc.bind<values, "out">})";
  std::string stores;
  for (size_t b = 0; b < binds.size(); ++b) {
    const std::string number = std::to_string(b);
    const std::string type = typeOf(binds[b]);
    parameters += ", %a" + number + ": " + type + " {spc.bind = #spc.bind<" + binds[b] + ">}";
    stores += "  %p" + number + " = llvm.getelementptr %out[" + number + "] : (!llvm.ptr) -> !llvm.ptr, i64\n";
    stores += "  llvm.store %a" + number + ", %p" + number + " : " + type + ", !llvm.ptr\n";
  }
  return "llvm.func internal @" + kernel.function + "(" + parameters + ") attributes {" + attributes + "} {\n" +
         stores + "  llvm.return\n}\n";
}

namespace {

std::unique_ptr<llvm::Module> translate(const Probe &probe, const llvm::TargetMachine &machine,
                                        llvm::LLVMContext &context) {
  mlir::DialectRegistry registry;
  registry.insert<mlir::LLVM::LLVMDialect, dialect::SpcDialect>();
  mlir::registerLLVMDialectTranslation(registry);
  mlir::registerBuiltinDialectTranslation(registry);
  mlir::MLIRContext mlirContext(registry, mlir::MLIRContext::Threading::DISABLED);
  std::string said; // not even warnings: MLIR prints the whole function for each
  const mlir::ScopedDiagnosticHandler listener(&mlirContext, [&](mlir::Diagnostic &diagnostic) {
    said += diagnostic.str() + "\n";
    return mlir::success();
  });
  auto parsed = mlir::parseSourceString<mlir::ModuleOp>(probe.bodyText(), &mlirContext);
  if (!parsed)
    throw std::runtime_error("the body does not parse: " + probe.bodyText());
  setTarget(*parsed, machine);
  if (mlir::failed(addEntry(*parsed, probe.kernel, probe.signature(), callsInChunks())))
    throw std::runtime_error("addEntry failed");
  if (mlir::failed(mlir::verify(*parsed)))
    throw std::runtime_error("the entry does not verify");
  auto module = mlir::translateModuleToLLVMIR(*parsed, context, "some/folder/probe.tex");
  if (!said.empty())
    throw std::runtime_error(said);
  if (!module || llvm::verifyModule(*module))
    throw std::runtime_error("the entry does not translate");
  return module;
}

} // namespace

Compiled compileProbe(const Probe &probe, const codegen::TargetOptions &target) {
  Diagnostics diagnostics;
  Compiled result;
  result.context = std::make_unique<llvm::LLVMContext>();
  result.machine = codegen::createTargetMachine(target, diagnostics);
  if (!result.machine)
    throw std::runtime_error(diagnostics.all().front().message);
  result.module = translate(probe, *result.machine, *result.context);
  codegen::optimize(*result.module, *result.machine, target.optLevel);
  const codegen::RuntimeReason reason{"calls the runtime", "do without", {}};
  if (!codegen::linkRuntime(*result.module, reason, diagnostics))
    throw std::runtime_error(diagnostics.all().front().message);
  if (llvm::verifyModule(*result.module))
    throw std::runtime_error("the optimised module is broken");
  return result;
}

int64_t &Object::at(abi::FieldRole role, int index) {
  const int field = type.find(role, index);
  if (field < 0)
    throw std::runtime_error(type.name + " has no such field");
  return words[field];
}

void Object::point(abi::FieldRole role, int index, const void *array) {
  at(role, index) = reinterpret_cast<intptr_t>(array);
}

void CsrArrays::fill(Object &object) {
  object.at(abi::FieldRole::Size, 0) = 2;
  object.at(abi::FieldRole::Size, 1) = 3;
  object.at(abi::FieldRole::Stored) = static_cast<int64_t>(values.size());
  object.point(abi::FieldRole::Pointers, 1, pointers.data());
  object.point(abi::FieldRole::Indices, 1, indices.data());
  object.point(abi::FieldRole::Values, 0, values.data());
}

Running::Running(const Probe &probe) : signature_(probe.signature()) {
  Compiled compiled = compileProbe(probe, {});
  std::string error;
  jit_ = codegen::loadJit(std::move(compiled.module), std::move(compiled.context), probe.kernel.function,
                          llvm::CodeGenOptLevel::Default, error);
  if (!jit_)
    throw std::runtime_error(error);
  out.assign(probe.binds.size(), kUntouched);
  for (const abi::Parameter &parameter : signature_.parameters) {
    names_.push_back(probe.kernel.tensors[parameter.tensor].name);
    if (parameter.kind == abi::ParameterKind::Tensor)
      objects_[names_.back()] = {parameter.type, std::vector<int64_t>(parameter.type.fields.size())};
  }
  Object &object = objects_.at("out");
  object.at(abi::FieldRole::Size) = static_cast<int64_t>(out.size());
  object.at(abi::FieldRole::Stride) = 1;
  object.point(abi::FieldRole::Values, 0, out.data());
}

Running::~Running() = default;

int32_t Running::call(void *context) {
  std::vector<void *> arguments{context};
  for (size_t p = 0; p < names_.size(); ++p) {
    const abi::Parameter &parameter = signature_.parameters[p];
    const std::string &name = names_[p];
    if (const auto found = overrides_.find(name); found != overrides_.end())
      arguments.push_back(found->second);
    else if (parameter.kind == abi::ParameterKind::Tensor)
      arguments.push_back(objects_.at(name).words.data());
    else if (parameter.value == sema::ValueType::F32)
      arguments.push_back(&single);
    else
      arguments.push_back(&scalar);
  }
  out.assign(out.size(), kUntouched);
  return jit_->invoke()(arguments.front(), arguments.data() + 1);
}

} // namespace spc::entry::test
