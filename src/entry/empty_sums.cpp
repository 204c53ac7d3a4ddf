#include "entry/empty_sums.h"

namespace LLVM = mlir::LLVM;
using mlir::Value;

namespace spc::entry {
namespace {

/// Sets the elements of a dense tensor to 0, run by run of its innermost level, whose elements are neighbours.
class Zeros {
public:
  Zeros(Entry &entry, sema::TensorId id)
      : build_(entry.build), tensor_(entry.kernel.tensors[id]), view_(entry.tensors[id]) {
    for (sema::ExtentId extent : tensor_.extents)
      extents_.push_back(entry.extents[extent]);
  }

  void set(size_t level, Value first) {
    const std::vector<format::Level> &levels = tensor_.format.levels;
    if (level + 1 >= levels.size())
      return setRun(first, levels.empty() ? build_.constant(1) : extents_[static_cast<size_t>(levels.back().dim)]);
    const auto dim = static_cast<size_t>(levels[level].dim);
    build_.forEach(build_.constant(0), extents_[dim],
                   [&](Value index) { set(level + 1, build_.add(first, build_.multiply(index, view_.strides[dim]))); });
  }

private:
  void setRun(Value first, Value count) {
    const Value bytes = build_.constant(sema::bytesOf(tensor_.type));
    const Value zero = LLVM::ConstantOp::create(build_.ops(), build_.ops().getI8Type(), 0);
    const Value address = build_.element(build_.ops().getI8Type(), view_.values, build_.multiply(first, bytes));
    LLVM::MemsetOp::create(build_.ops(), address, zero, build_.multiply(count, bytes), false);
  }

  EntryBuilder &build_;
  const sema::Tensor &tensor_;
  const TensorView &view_;
  std::vector<Value> extents_;
};

/// Whether an extent is 0 with which the statement has no terms; null where it always has some.
Value isEmpty(Entry &entry, const sema::Statement &statement) {
  Value empty;
  for (sema::ExtentId extent : statement.emptyWith) {
    const Value own = entry.build.isZero(entry.extents[extent]);
    empty = empty ? entry.build.either(empty, own) : own;
  }
  return empty;
}

} // namespace

mlir::LogicalResult runUnlessEmpty(Entry &entry, const sema::Statement &statement,
                                   const std::function<mlir::LogicalResult()> &run) {
  const Value empty = isEmpty(entry, statement);
  if (!empty)
    return run();
  const bool overwrites = !statement.terms.empty() && statement.terms.front().overwrites;
  const bool isSet = !statement.collecting && (statement.zeroFirst || overwrites);
  mlir::LogicalResult result = mlir::success();
  const auto setToZero = [&] {
    if (isSet)
      Zeros(entry, statement.target).set(0, entry.build.constant(0));
  };
  entry.build.branch(empty, setToZero, [&] { result = run(); });
  return result;
}

} // namespace spc::entry
