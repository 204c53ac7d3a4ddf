#include "mlirgen/level_walk/kinds.h"

namespace spc::mlirgen {
namespace {

/// Every coordinate in order, under each parent.
class DenseWalk final : public LevelWalk {
public:
  DenseWalk(const LevelArrays &arrays, bool isRoot, mlir::OpBuilder &builder, mlir::Location location, int64_t shift)
      : LevelWalk(builder, location, shift), extent_(arrays.extent), isRoot_(isRoot) {}

  bool storesAll() const override { return true; }

  Value begin(Value parent) override { return multiply(parent, extent_); }

private:
  Value storedAt(Value position) override {
    return isRoot_ ? position : mlir::arith::RemUIOp::create(builder_, location_, position, extent_).getResult();
  }

  Located find(Value parent, Value stored) override {
    const Value position = isRoot_ ? stored : add(begin(parent), stored);
    if (!isShifted())
      return {position, {}};
    return {position, compare(mlir::arith::CmpIPredicate::ult, stored, extent_)};
  }

  PositionRange cut(Value parent, Value low, Value high) override {
    const Value first = begin(parent);
    return {add(first, clipped(low)), add(first, clipped(high))};
  }

  Value clipped(Value bound) {
    const Value least = mlir::arith::MaxSIOp::create(builder_, location_, bound, number(0));
    return mlir::arith::MinSIOp::create(builder_, location_, least, extent_);
  }

  Value extent_;
  bool isRoot_;
};

} // namespace

std::unique_ptr<LevelWalk> denseWalk(const LevelArrays &arrays, bool isRoot, mlir::OpBuilder &builder,
                                     mlir::Location location, int64_t shift) {
  return std::make_unique<DenseWalk>(arrays, isRoot, builder, location, shift);
}

} // namespace spc::mlirgen
