// Elementwise statements in two phases, by a plan of which operands have each entry.
#include "entry/assembly.h"
#include "entry/planning.h"
#include "sema/two_phases.h"

namespace LLVM = mlir::LLVM;
using mlir::Value;

namespace spc::entry {

using runtime::Phase;
namespace functions = runtime::functions;

/// The sparse operands of a statement that merges by plan, in their order, or in that of the addends.
static std::vector<sema::TensorId> mergedOperands(const sema::Kernel &kernel, const sema::Statement &statement) {
  std::vector<sema::TensorId> operands;
  const sema::Term &term = statement.terms.front();
  if (sema::mergePlan(kernel, statement) == sema::MergePlan::Places) {
    for (const sema::Summand &addend : sema::summandsOf(term))
      operands.push_back(term.operands[sema::sparseOperandOf(kernel, term, *addend.expr)].tensor);
    return operands;
  }
  for (const sema::Operand &operand : term.operands)
    if (!operand.indices.empty() && !kernel.tensors[operand.tensor].format.isDense())
      operands.push_back(operand.tensor);
  return operands;
}

/// Makes the plan, of a target that is there.
void AssembledOutputs::planMerge(const sema::Statement &statement) {
  EntryBuilder &build = entry_.build;
  Descriptors descriptors(entry_);
  const Struct source = build.structOf<runtime::Source>();
  Value first = build.null();
  const std::vector<sema::TensorId> operands = mergedOperands(entry_.kernel, statement);
  for (auto operand = operands.rbegin(); operand != operands.rend(); ++operand) {
    const Value object = build.stack(source, 1), none = build.constant(0);
    build.storeField(source, object, runtime::SourceSlot::tensor, descriptors.describeOnce(*operand));
    build.storeField(source, object, runtime::SourceSlot::dropsZeros, none);
    build.storeField(source, object, runtime::SourceSlot::isSymmetric, none);
    build.storeField(source, object, runtime::SourceSlot::isHermitian, none);
    build.storeField(source, object, runtime::SourceSlot::next, first);
    first = object;
  }
  const Value target = descriptors.describe(entry_.kernel.tensors[statement.target], entry_.tensors[statement.target]);
  const bool hasMasks = sema::mergePlan(entry_.kernel, statement) == sema::MergePlan::Masks;
  build.failUnlessOk(build.call(
      hasMasks ? functions::plan_merge : functions::plan_addends,
      {descriptors.allocator(memory_), descriptors.workers(), first, target, describePlanning(entry_, descriptors)}));
}

/// Sets the target's values. An operand without entries has a number to read all the same.
mlir::LogicalResult AssembledOutputs::fillByPlan(const sema::Statement &statement, Value noted,
                                                 LLVM::LLVMFuncOp planned) {
  EntryBuilder &build = entry_.build;
  const sema::TensorId target = statement.target;
  allocateValues(target);
  constexpr int64_t words = 2; // of the widest value
  const Value number = build.stack(build.int64Type(), words);
  for (int64_t word = 0; word < words; ++word)
    build.store(build.constant(0), build.element(build.int64Type(), number, word));
  const IdVector<sema::TensorId, TensorView> passed = entry_.tensors;
  for (sema::TensorId operand : mergedOperands(entry_.kernel, statement)) {
    TensorView &view = entry_.tensors[operand];
    view.values = build.select(build.isZero(passed[operand].stored), number, passed[operand].values);
  }
  entry_.merge = noted;
  const mlir::LogicalResult called =
      entry_.calls->call(entry_, memory_, planned, entry_.calls->plan(entry_, planned, nullptr), {});
  const Value values = entry_.tensors[target].values;
  entry_.tensors = passed;
  entry_.tensors[target].values = values;
  return called;
}

/// What the caller's plan has noted; NULL where there is none, or it has noted nothing.
Value AssembledOutputs::openMerge(const sema::Statement &statement) {
  EntryBuilder &build = entry_.build;
  Descriptors descriptors(entry_);
  const Value noted = build.stack(build.pointerType(), 1);
  const Value target = descriptors.describe(entry_.kernel.tensors[statement.target], entry_.tensors[statement.target]);
  build.failUnlessOk(build.call(functions::open_merge, {target, describePlanning(entry_, descriptors), noted}));
  return build.load(build.pointerType(), noted);
}

mlir::LogicalResult AssembledOutputs::assembleByPlan(const sema::Statement &statement, LLVM::LLVMFuncOp body,
                                                     LLVM::LLVMFuncOp planned) {
  EntryBuilder &build = entry_.build;
  if (!planned)
    return build.module().emitError("the body that goes by a plan is missing");
  if (entry_.phase == Phase::Symbolic) {
    if (mlir::failed(assemble(statement, body, /*plans=*/false)))
      return mlir::failure();
    planMerge(statement);
    return mlir::success();
  }
  // Of the target the values alone may be others afterwards.
  const sema::TensorId target = statement.target;
  const TensorView passed = entry_.tensors[target];
  const Value values = build.stack(build.pointerType(), 1), noted = openMerge(statement);
  bool isBuilt = true;
  const auto finish = [&](mlir::LogicalResult built) {
    isBuilt &= mlir::succeeded(built);
    build.store(entry_.tensors[target].values, values);
    entry_.tensors[target] = passed;
  };
  build.branch(
      build.isNull(noted), [&] { finish(assemble(statement, body, /*plans=*/false)); },
      [&] { finish(fillByPlan(statement, noted, planned)); });
  entry_.tensors[target].values = build.load(build.pointerType(), values);
  return mlir::success(isBuilt);
}

} // namespace spc::entry
