#include "entry/work.h"

#include "format/levels.h"

namespace LLVM = mlir::LLVM;
using mlir::Value;

namespace spc::entry {

using dialect::BindAttr;
using dialect::BindKind;
using dialect::ChunksAttr;

namespace {

using LLVM::ICmpPredicate;

constexpr int64_t kMaxWork = int64_t{1} << 40; ///< of what a factor is taken of
constexpr int64_t kMaxFactor = int64_t{1} << 20;

// From SpMV, A + B and SpMM in f64 on processors of 2021 and 2024: 0.4 to 0.8, and 0.06 to 0.1 nanoseconds.
constexpr int64_t kSparsePerNanosecond = 2; ///< rows and entries
constexpr int64_t kDensePerNanosecond = 16; ///< multiply-adds of dense loops, and values in blocks

/// The values of a dense block; 1 where the format has none.
int64_t blockOf(const format::Format &format) {
  int64_t values = 1;
  for (const format::Level &level : format.levels)
    if (level.part == format::Part::Remainder && level.isFullyDense())
      values *= level.block;
  return values;
}

} // namespace

Work::Work(Entry &entry, LLVM::LLVMFuncOp body, const Binds &binds, bool listedOnly)
    : entry_(entry), body_(body), listedOnly_(listedOnly) {
  const ChunksAttr chunks = dialect::chunksOf(body);
  total_ = items_ = binds.lookup(chunks.getItems());
  if (!chunks.getRoot().empty()) {
    const sema::Tensor &tensor = tensorNamed(entry.kernel, chunks.getRoot());
    const TensorView &view = viewOf(entry, tensor);
    rootCount_ = view.counts[0];
    if (listedOnly)
      total_ = rootCount_;
    root_ = {view.indices[0], indexType(entry.build, tensor.format.indices), {}};
    addOperand(chunks.getRoot());
  } else {
    for (mlir::StringAttr name : chunks.getTensors())
      addOperand(name.getValue());
  }
  addSize(chunks, binds);
  inputs_ = {items_, total_};
  if (rootCount_)
    inputs_.append({rootCount_, root_.array});
  for (const LevelSteps &steps : operands_)
    for (const LevelStep &step : steps)
      inputs_.push_back(step.array ? step.array : step.factor);
}

void Work::addOperand(llvm::StringRef name) {
  const sema::Tensor &tensor = tensorNamed(entry_.kernel, name);
  const TensorView &view = viewOf(entry_, tensor);
  operands_.push_back(stepsBelow(entry_, tensor, view));
  total_ = entry_.build.add(total_, view.stored);
  const int64_t block = blockOf(tensor.format);
  block_ = operands_.size() == 1 ? block : std::min(block_, block);
}

void Work::addSize(ChunksAttr chunks, const Binds &binds) {
  EntryBuilder &build = entry_.build;
  size_ = total_;
  for (unsigned a = 0; a < body_.getNumArguments(); ++a) {
    const BindAttr bind = dialect::bindOf(body_, a);
    if (bind && bind.getKind() == BindKind::Values)
      if (const Value stored = binds.lookup(bind.as(BindKind::Stored)))
        size_ = build.greatest(size_, stored);
  }
  outer_ = size_;
  isDense_ = !chunks.getExtents().empty();
  for (dialect::ExtentAttr dense : chunks.getExtents()) {
    const Value extent = binds.lookup(BindAttr::get(dense));
    const Value factor = build.greatest(build.least(extent, build.constant(kMaxFactor)), build.constant(1));
    size_ = build.multiply(build.least(size_, build.constant(kMaxWork)), factor);
  }
}

Value Work::nanoseconds() const {
  EntryBuilder &build = entry_.build;
  const auto over = [&](Value count, int64_t each) -> Value {
    return LLVM::UDivOp::create(build.ops(), count, build.constant(each));
  };
  const Value outside = over(outer_, kSparsePerNanosecond * block_);
  return isDense_ || block_ > 1 ? build.add(outside, over(size_, kDensePerNanosecond)) : outside;
}

/// The function's own argument for one of the inputs.
Value Work::inside(Value value) {
  const auto place = static_cast<unsigned>(llvm::find(inputs_, value) - inputs_.begin());
  return border_.getArgument(2 + place);
}

Value Work::leavesBelow(const LevelSteps &steps, Value position) {
  LevelSteps own = steps;
  for (LevelStep &step : own)
    (step.array ? step.array : step.factor) = inside(step.array ? step.array : step.factor);
  return entry::leavesBelow(entry_.build, own, position);
}

/// Where rows are found at a root, that of position p follows on as many rows as its coordinate says and the values
/// below p. Behind the row of the position before it there may be empty ones, one of which it then is.
Value Work::rowAt(Value target) {
  EntryBuilder &build = entry_.build;
  const Value items = inside(items_);
  const auto leaves = [&](Value position) {
    Value sum = build.constant(0);
    for (const LevelSteps &steps : operands_)
      sum = build.add(sum, leavesBelow(steps, position));
    return sum;
  };
  const auto reaches = [&](Value work) { return build.compare(ICmpPredicate::sge, work, target); };
  if (!rootCount_)
    return build.firstWhere(items, [&](Value row) { return reaches(build.add(row, leaves(row))); });
  const Value coordinates = inside(root_.array), count = inside(rootCount_);
  const auto rowOf = [&](Value position) { return loadIndex(entry_.build, root_.type, coordinates, position); };
  const auto workBefore = [&](Value middle) { return listedOnly_ ? middle : rowOf(middle); };
  const Value position =
      build.firstWhere(count, [&](Value middle) { return reaches(build.add(leaves(middle), workBefore(middle))); });
  const Value isFirst = build.isZero(position), isLast = build.equal(position, count);
  const auto last = [&] { return build.computeIf(build.negate(isLast), [&] { return rowOf(position); }, items); };
  if (listedOnly_)
    return last();
  const auto rowBefore = [&] {
    return build.add(rowOf(build.subtract(position, build.constant(1))), build.constant(1));
  };
  const Value first = build.computeIf(build.negate(isFirst), rowBefore, build.constant(0));
  return build.least(build.greatest(first, build.subtract(target, leaves(position))), last());
}

LLVM::LLVMFuncOp Work::border() {
  EntryBuilder &build = entry_.build;
  mlir::ImplicitLocOpBuilder &ops = build.ops();
  const std::string name = body_.getSymName().str() + ".border";
  if ((border_ = build.module().lookupSymbol<LLVM::LLVMFuncOp>(name)))
    return border_;
  mlir::OpBuilder::InsertionGuard guard(ops);
  ops.setInsertionPointToEnd(build.module().getBody());
  mlir::SmallVector<mlir::Type> types(2, build.int64Type());
  for (Value input : inputs_)
    types.push_back(input.getType());
  border_ = LLVM::LLVMFuncOp::create(ops, name, LLVM::LLVMFunctionType::get(build.int64Type(), types),
                                     LLVM::Linkage::Internal);
  border_.setDsoLocal(true);
  border_.setNoUnwind(true);
  ops.setInsertionPointToEnd(border_.addEntryBlock(ops));
  const Value chunk = border_.getArgument(0), chunks = border_.getArgument(1);
  const Value items = inside(items_), total = inside(total_);
  // total * chunk / chunks without overflow.
  const Value share = LLVM::UDivOp::create(ops, total, chunks);
  const Value rest = build.multiply(LLVM::URemOp::create(ops, total, chunks), chunk);
  const Value target = build.add(build.multiply(share, chunk), LLVM::UDivOp::create(ops, rest, chunks));
  const Value isInside = build.both(build.compare(ICmpPredicate::sgt, chunk, build.constant(0)),
                                    build.compare(ICmpPredicate::slt, chunk, chunks));
  const Value end = build.select(build.isZero(chunk), build.constant(0), items);
  LLVM::ReturnOp::create(ops, mlir::ValueRange{build.computeIf(isInside, [&] { return rowAt(target); }, end)});
  return border_;
}

} // namespace spc::entry
