#include "entry/leaves.h"

#include "format/levels.h"

namespace LLVM = mlir::LLVM;
using mlir::Value;

namespace spc::entry {

using format::LevelKind;

mlir::Type indexType(EntryBuilder &build, format::IndexType type) {
  return build.ops().getIntegerType(static_cast<unsigned>(format::bits(type)));
}

LevelSteps stepsBelow(Entry &entry, const sema::Tensor &tensor, const TensorView &view) {
  LevelSteps steps;
  for (size_t k = 1; k < tensor.format.levels.size(); ++k) {
    const format::Level &level = tensor.format.levels[k];
    switch (format::kindOf(tensor.format, static_cast<int>(k))) {
    case LevelKind::Dense:
      steps.push_back({{}, {}, levelExtent(entry, tensor, level)});
      break;
    case LevelKind::Compressed:
    case LevelKind::RaggedDense:
      if (view.pointers[k])
        steps.push_back({view.pointers[k], indexType(entry.build, tensor.format.pointers), {}});
      break;
    case LevelKind::FixedWidth:
      if (!level.hasWidthOne())
        steps.push_back({{}, {}, level.width ? entry.build.constant(*level.width) : view.widths[k]});
      break;
    // One entry for each parent, or a number that is left out of the estimate.
    case LevelKind::Singleton:
    case LevelKind::ClosedDense:
    case LevelKind::ClosedCompressed:
      break;
    }
  }
  return steps;
}

Value loadIndex(EntryBuilder &build, mlir::Type type, Value array, Value index) {
  const Value loaded = build.load(type, build.element(type, array, index));
  return type == build.int64Type() ? loaded : LLVM::ZExtOp::create(build.ops(), build.int64Type(), loaded).getResult();
}

Value leavesBelow(EntryBuilder &build, const LevelSteps &steps, Value position) {
  for (const LevelStep &step : steps) {
    if (!step.array) {
      position = build.multiply(position, step.factor);
      continue;
    }
    const Value at = position;
    position = build.computeIf(
        build.negate(build.isNull(step.array)), [&] { return loadIndex(build, step.type, step.array, at); },
        build.constant(0));
  }
  return position;
}

} // namespace spc::entry
