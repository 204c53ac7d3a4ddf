#include "entry/entry.h"

#include "abi/signature_json.h"
#include "dialect/attributes.h"
#include "entry/alternatives.h"
#include "entry/assembly.h"
#include "entry/call.h"
#include "entry/checked.h"
#include "entry/checks.h"
#include "entry/constants.h"
#include "entry/copies.h"
#include "entry/empty_sums.h"
#include "entry/memory.h"
#include "entry/problems.h"
#include "entry/rankings.h"
#include "entry/strided_vectors.h"
#include "entry/tensors.h"
#include "entry/ties.h"
#include "sema/two_phases.h"

#include "llvm/Target/TargetMachine.h"

namespace LLVM = mlir::LLVM;
using mlir::Value;

namespace spc::entry {
namespace {

/// The first place in the kernel file that a body names, else the file's start.
mlir::Location placeOf(mlir::ModuleOp module, const sema::Kernel &kernel) {
  std::optional<mlir::FileLineColLoc> place;
  for (auto body : module.getOps<LLVM::LLVMFuncOp>()) {
    if (body.isExternal() || place)
      continue;
    body.getLoc()->walk([&](mlir::Location inner) {
      place = llvm::dyn_cast<mlir::FileLineColLoc>(inner);
      return place ? mlir::WalkResult::interrupt() : mlir::WalkResult::advance();
    });
  }
  return place ? *place : mlir::FileLineColLoc::get(module.getContext(), kernel.kernelFile, 1, 1);
}

/// An exported function that returns an int32_t status, or, with `result` void, nothing.
LLVM::LLVMFuncOp exportFunction(mlir::ModuleOp module, mlir::Location place, const std::string &name, mlir::Type result,
                                mlir::ArrayRef<mlir::Type> parameters) {
  mlir::OpBuilder builder(module.getContext());
  builder.setInsertionPointToEnd(module.getBody());
  auto type = LLVM::LLVMFunctionType::get(result, parameters);
  auto function = LLVM::LLVMFuncOp::create(builder, place, name, type);
  function.setNoUnwind(true);
  // Straight-line checks that run once a call: optimising them takes 10 of a compilation's 70 ms and gains nothing.
  function.setOptimizeNone(true);
  function.setNoInline(true);
  // The C conventions of RISC-V and others want an int extended to a register.
  if (result.isInteger())
    function.setResultAttr(0, LLVM::LLVMDialect::getSExtAttrName(), builder.getUnitAttr());
  return function;
}

mlir::Type parameterType(mlir::MLIRContext *context, const abi::Parameter &parameter) {
  if (parameter.kind != abi::ParameterKind::ScalarValue)
    return LLVM::LLVMPointerType::get(context);
  if (parameter.value == sema::ValueType::F32)
    return mlir::Float32Type::get(context);
  if (parameter.value == sema::ValueType::F64)
    return mlir::Float64Type::get(context);
  return mlir::IntegerType::get(context, static_cast<unsigned>(8 * sema::bytesOf(parameter.value)));
}

/// Out of the way of every name in C, and kept apart from the entry: as arguments of one function the arrays are known
/// not to alias, which inlining would blur. Nothing calls a body yet.
void makeInternal(LLVM::LLVMFuncOp body) {
  body.setSymName(bodySymbol(body.getSymName().str()));
  body.setLinkage(LLVM::Linkage::Internal);
  body.setDsoLocal(true);
  body.setNoUnwind(true);
  body.setNoInline(true);
}

/// 16-bit floats reach the body as their bits: several conventions would pass them as float and call a library to
/// convert them.
void passHalvesAsBits(LLVM::LLVMFuncOp body) {
  mlir::OpBuilder builder(body.getContext());
  builder.setInsertionPointToStart(&body.getBody().front());
  mlir::SmallVector<mlir::Type> types(body.getArgumentTypes());
  for (mlir::BlockArgument argument : body.getArguments()) {
    const mlir::Type type = argument.getType();
    if (!type.isF16() && !type.isBF16())
      continue;
    types[argument.getArgNumber()] = builder.getI16Type();
    argument.setType(builder.getI16Type());
    auto value = LLVM::BitcastOp::create(builder, body.getLoc(), type, argument);
    argument.replaceAllUsesExcept(value, value);
  }
  body.setFunctionType(LLVM::LLVMFunctionType::get(body.getFunctionType().getReturnType(), types));
}

/// The call of the body that computes a step.
mlir::LogicalResult runBody(Entry &entry, Memory &memory, AssembledOutputs &outputs, size_t k) {
  const sema::Step &step = entry.kernel.steps[k];
  const bool patternOnly = entry.phase == runtime::Phase::Symbolic;
  const std::optional<sema::LentBody> lent = sema::lentBody(entry.kernel, k);
  const BorrowedBody borrowed(entry, lent);
  const size_t of = lent ? lent->step : k;
  const std::string name = patternOnly ? sema::patternBodyName(entry.kernel, of) : sema::bodyName(entry.kernel, of);
  const auto bodyNamed = [&](const std::string &known) {
    return entry.build.module().lookupSymbol<LLVM::LLVMFuncOp>(bodySymbol(known));
  };
  LLVM::LLVMFuncOp body = bodyNamed(name);
  if (!body)
    return entry.build.module().emitError("the kernel's body '") << name << "' is missing";
  const sema::Statement *assembly = sema::assemblingStatement(step);
  const bool merges = assembly && entry.phase != runtime::Phase::Assemble &&
                      sema::mergePlan(entry.kernel, *assembly) != sema::MergePlan::None;
  if (!assembly)
    return entry.calls->call(entry, memory, body, entry.calls->plan(entry, body, nullptr), {});
  return merges ? outputs.assembleByPlan(*assembly, body, bodyNamed(sema::plannedBodyName(entry.kernel, k)))
                : outputs.assemble(*assembly, body);
}

/// A copy, or a tie.
TensorView made(Entry &entry, Memory &memory, sema::TensorId id) {
  const sema::Tensor &tensor = entry.kernel.tensors[id];
  return tensor.is<sema::Tie>() ? makeTie(entry, memory, id) : copyConverted(entry, memory, tensor);
}

/// One step: a body, or what the runtime does by itself.
mlir::LogicalResult runStep(Entry &entry, Memory &memory, AssembledOutputs &outputs, size_t k) {
  const sema::Step &step = entry.kernel.steps[k];
  if (const auto *conversion = std::get_if<sema::Conversion>(&step))
    outputs.convert(*conversion);
  else if (const auto *refresh = std::get_if<sema::RefreshCopy>(&step))
    entry.tensors[refresh->copy] = made(entry, memory, refresh->copy);
  else if (const auto *distribution = std::get_if<sema::Distribution>(&step))
    outputs.distribute(*distribution);
  else if (const auto *placement = std::get_if<sema::Placement>(&step))
    outputs.place(*placement);
  else if (const auto *ranking = std::get_if<sema::Ranking>(&step))
    rank(entry, memory, *ranking);
  else if (const auto *statement = std::get_if<sema::Statement>(&step); statement && !statement->collecting)
    return runUnlessEmpty(entry, *statement, [&] { return runBody(entry, memory, outputs, k); });
  else
    return runBody(entry, memory, outputs, k);
  return mlir::success();
}

mlir::LogicalResult runSteps(Entry &entry, Memory &memory, AssembledOutputs &outputs, size_t begin, size_t end) {
  for (size_t k = begin; k < end;) {
    const sema::Sweep *sweep = sema::sweepOf(entry.kernel, k);
    const bool isTogether = sweep && runsTogether(entry, *sweep);
    if (mlir::failed(isTogether ? entry.calls->runTogether(entry, memory, *sweep) : runStep(entry, memory, outputs, k)))
      return mlir::failure();
    k = isTogether ? sweep->end : k + 1;
  }
  return mlir::success();
}

/// Steps that run where a condition holds.
mlir::LogicalResult runStepsIf(Entry &entry, Memory &memory, AssembledOutputs &outputs, Value condition, size_t begin,
                               size_t end) {
  mlir::LogicalResult result = mlir::success();
  entry.build.branch(condition, [&] { result = runSteps(entry, memory, outputs, begin, end); }, [] {});
  return result;
}

/// The steps in order: of alternatives that of the call, and the recomputation where it is asked for.
mlir::LogicalResult runSteps(Entry &entry, Memory &memory, AssembledOutputs &outputs) {
  const std::vector<sema::Alternative> &all = entry.kernel.alternatives;
  const std::optional<sema::Recomputation> &again = entry.kernel.recomputation;
  size_t next = 0;
  if (!all.empty() && mlir::failed(runSteps(entry, memory, outputs, next, all.front().begin)))
    return mlir::failure();
  for (size_t number = 0; number < all.size(); ++number) {
    const IdVector<sema::TensorId, TensorView> before = entry.tensors;
    if (mlir::failed(runStepsIf(entry, memory, outputs, isTaken(entry, number), all[number].begin, all[number].end)))
      return mlir::failure();
    entry.tensors = before;
    next = all[number].end;
  }
  outputs.rejoin(all);
  if (again) {
    if (mlir::failed(runSteps(entry, memory, outputs, next, again->begin)))
      return mlir::failure();
    askForRecomputation(entry);
    allocateForRecomputation(entry, memory);
    if (again->alternatives.empty() &&
        mlir::failed(runStepsIf(entry, memory, outputs, entry.recomputes, again->begin, again->end)))
      return mlir::failure();
    for (size_t number = 0; number < again->alternatives.size(); ++number) {
      const sema::Alternative &own = again->alternatives[number];
      const Value condition = entry.build.both(entry.recomputes, isTaken(entry, number));
      if (mlir::failed(runStepsIf(entry, memory, outputs, condition, own.begin, own.end)))
        return mlir::failure();
    }
    next = again->end;
  }
  return runSteps(entry, memory, outputs, next, entry.kernel.steps.size());
}

/// The checks at entry.
mlir::LogicalResult check(Entry &entry) {
  checkContext(entry);
  checkObjects(entry);
  loadArguments(entry);
  if (mlir::failed(bindExtents(entry)))
    return mlir::failure();
  checkSizes(entry);
  bindParameters(entry);
  checkArguments(entry);
  return mlir::success();
}

/// A function of the entry's arguments and its status, which tells the caller what is wrong with them.
LLVM::LLVMFuncOp buildExplainer(LLVM::LLVMFuncOp entryFunction, const sema::Kernel &kernel,
                                const abi::Signature &signature, runtime::Phase phase, Problems &problems) {
  mlir::OpBuilder builder(entryFunction);
  mlir::SmallVector<mlir::Type> parameters(entryFunction.getArgumentTypes());
  parameters.push_back(builder.getI32Type());
  const auto type = LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(builder.getContext()), parameters);
  auto function = LLVM::LLVMFuncOp::create(builder, entryFunction.getLoc(),
                                           (entryFunction.getName() + ".explain").str(), type, LLVM::Linkage::Internal);
  makeCold(function);
  EntryBuilder build(function, function.getLoc());
  build.explain(problems);
  Entry entry{kernel, signature, build, function.getArgument(0), phase};
  if (mlir::failed(check(entry)))
    return {};
  build.succeed();
  return function;
}

mlir::LogicalResult buildEntry(LLVM::LLVMFuncOp function, const sema::Kernel &kernel, const abi::Signature &signature,
                               runtime::Phase phase, const BodyCalls &calls, const StoredConstants &constants,
                               Problems &problems) {
  LLVM::LLVMFuncOp explainer = buildExplainer(function, kernel, signature, phase, problems);
  EntryBuilder build(function, function.getLoc());
  Entry entry{kernel, signature, build, function.getArgument(0), phase};
  entry.calls = &calls;
  entry.constants = &constants;
  if (phase != runtime::Phase::Assemble)
    entry.plan = function.getArgument(function.getNumArguments() - 1);
  if (!explainer)
    return mlir::failure();
  build.explainBy(explainer);
  if (mlir::failed(check(entry)))
    return mlir::failure();
  build.tellBy(problems);
  if (kernel.checked)
    checkMemory(entry);
  Memory memory(entry);
  bindConstants(entry);
  chooseAlternative(entry);
  StridedVectors vectors(entry, memory);
  vectors.gather();
  allocateTensors(entry, memory);
  fillStructures(entry);
  AssembledOutputs outputs(entry, memory);
  outputs.prepare();
  if (mlir::failed(runSteps(entry, memory, outputs)))
    return mlir::failure();
  outputs.hand();
  vectors.scatter();
  build.succeed();
  return mlir::success();
}

/// The function that takes the context and the assembled outputs: releases their arrays, whatever the context.
void buildFree(LLVM::LLVMFuncOp function, const sema::Kernel &kernel, const abi::Signature &signature) {
  EntryBuilder build(function, function.getLoc());
  Entry entry{kernel, signature, build, function.getArgument(0), runtime::Phase::Assemble};
  Memory memory(entry);
  unsigned argument = 1;
  for (const abi::Parameter &parameter : signature.parameters)
    if (parameter.isAssembled)
      releaseOutput(entry, memory, parameter.type, function.getArgument(argument++));
  build.succeed();
}

/// `<symbol>(ctx, void *const *arguments)`, which returns what `entry` does: calls it with those of the signature's
/// arguments that `takes` says, and with what follows them, where it takes a plan.
template <typename Takes>
void exportUntyped(LLVM::LLVMFuncOp entry, const abi::Signature &signature, const std::string &symbol, Takes takes) {
  mlir::MLIRContext *context = entry.getContext();
  const mlir::Type pointer = LLVM::LLVMPointerType::get(context);
  LLVM::LLVMFuncOp untyped = exportFunction(entry->getParentOfType<mlir::ModuleOp>(), entry.getLoc(), symbol,
                                            entry.getFunctionType().getReturnType(), {pointer, pointer});
  mlir::ImplicitLocOpBuilder ops(untyped.getLoc(), context);
  ops.setInsertionPointToEnd(untyped.addEntryBlock(ops));
  mlir::SmallVector<Value> arguments = {untyped.getArgument(0)};
  const auto pointerAt = [&](size_t number) -> Value {
    const auto at = static_cast<int32_t>(number);
    const Value address = LLVM::GEPOp::create(ops, pointer, pointer, untyped.getArgument(1), {LLVM::GEPArg(at)});
    return LLVM::LoadOp::create(ops, pointer, address);
  };
  for (size_t p = 0; p < signature.parameters.size(); ++p) {
    if (!takes(signature.parameters[p]))
      continue;
    Value argument = pointerAt(p);
    if (signature.parameters[p].kind == abi::ParameterKind::ScalarValue)
      argument = LLVM::LoadOp::create(ops, parameterType(context, signature.parameters[p]), argument);
    arguments.push_back(argument);
  }
  if (arguments.size() < entry.getNumArguments())
    arguments.push_back(pointerAt(signature.parameters.size()));
  LLVM::ReturnOp::create(ops, LLVM::CallOp::create(ops, entry, arguments).getResults());
}

/// Of two hidden definitions with one name, whose contents are then the same, a linker takes any.
template <typename Operation> void hide(Operation symbol) {
  symbol.setVisibility_(LLVM::Visibility::Hidden);
  symbol.setDsoLocal(true);
  const auto triple = symbol->template getParentOfType<mlir::ModuleOp>()->template getAttrOfType<mlir::StringAttr>(
      LLVM::LLVMDialect::getTargetTripleAttrName());
  if (!triple ||
      !llvm::Triple(triple.getValue()).isOSBinFormatCOFF()) // whose linkers know no such ones outside of groups
    symbol.setLinkage(LLVM::Linkage::WeakODR);
}

/// The signature as text that ends with a 0.
void exportSignature(mlir::ModuleOp module, const sema::Kernel &kernel, const abi::Signature &signature) {
  mlir::OpBuilder builder(module.getContext());
  builder.setInsertionPointToStart(module.getBody());
  const std::string text = abi::signatureJson(signature, kernel);
  const mlir::StringRef withEnd(text.c_str(), text.size() + 1);
  const auto type = LLVM::LLVMArrayType::get(builder.getI8Type(), withEnd.size());
  auto data = LLVM::GlobalOp::create(builder, module.getLoc(), type, /*isConstant=*/true, LLVM::Linkage::External,
                                     signature.dataSymbol(), builder.getStringAttr(withEnd));
  if (signature.isHidden())
    hide(data);
}

} // namespace

std::string bodySymbol(const std::string &name) {
  return name + ".body";
}

void setTarget(mlir::ModuleOp module, const llvm::TargetMachine &machine) {
  mlir::MLIRContext *context = module.getContext();
  module->setAttr(LLVM::LLVMDialect::getDataLayoutAttrName(),
                  mlir::StringAttr::get(context, machine.createDataLayout().getStringRepresentation()));
  module->setAttr(LLVM::LLVMDialect::getTargetTripleAttrName(),
                  mlir::StringAttr::get(context, machine.getTargetTriple().str()));
}

mlir::LogicalResult addEntry(mlir::ModuleOp module, const sema::Kernel &kernel, const abi::Signature &signature,
                             const BodyCalls &calls, const StoredConstants &constants) {
  for (auto body : llvm::make_early_inc_range(module.getOps<LLVM::LLVMFuncOp>())) {
    if (body.isExternal())
      continue;
    makeInternal(body);
    passHalvesAsBits(body);
  }
  mlir::MLIRContext *context = module.getContext();
  const mlir::Type pointer = LLVM::LLVMPointerType::get(context);
  const mlir::Location place = placeOf(module, kernel);
  mlir::SmallVector<mlir::Type> parameters{pointer}, outputs{pointer};
  for (const abi::Parameter &parameter : signature.parameters) {
    parameters.push_back(parameterType(context, parameter));
    if (parameter.isAssembled)
      outputs.push_back(pointer);
  }
  declareConstants(module, kernel, constants);
  Problems problems(signature.function);
  const auto exportEntry = [&](const std::string &suffix, runtime::Phase phase) {
    mlir::SmallVector<mlir::Type> types = parameters;
    if (phase != runtime::Phase::Assemble)
      types.push_back(pointer); // the plan
    LLVM::LLVMFuncOp entry =
        exportFunction(module, place, signature.symbol(suffix), mlir::IntegerType::get(context, 32), types);
    if (mlir::failed(buildEntry(entry, kernel, signature, phase, calls, constants, problems)))
      return false;
    exportUntyped(entry, signature, signature.argvSymbol(suffix), [](const abi::Parameter &) { return true; });
    return true;
  };
  if (!exportEntry("", runtime::Phase::Assemble))
    return mlir::failure();
  if (signature.assembles()) {
    LLVM::LLVMFuncOp entry =
        exportFunction(module, place, signature.symbol("_free"), LLVM::LLVMVoidType::get(context), outputs);
    buildFree(entry, kernel, signature);
    exportUntyped(entry, signature, signature.argvSymbol("_free"),
                  [](const abi::Parameter &parameter) { return parameter.isAssembled; });
  }
  if (signature.hasPhases &&
      !(exportEntry("_symbolic", runtime::Phase::Symbolic) && exportEntry("_numeric", runtime::Phase::Numeric)))
    return mlir::failure();
  problems.finish(module);
  exportSignature(module, kernel, signature);
  if (signature.isHidden())
    for (auto function : module.getOps<LLVM::LLVMFuncOp>())
      if (!function.isExternal() && function.getLinkage() == LLVM::Linkage::External)
        hide(function);
  for (auto body : module.getOps<LLVM::LLVMFuncOp>())
    dialect::dropAttributes(body);
  return mlir::success();
}

} // namespace spc::entry
