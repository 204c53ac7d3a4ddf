#include "mlirgen/level_walk/kinds.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace spc::mlirgen {
namespace {

using mlir::arith::CmpIPredicate;

/// Listed coordinates in segments, whose ends an array says.
class CompressedWalk final : public LevelWalk {
public:
  CompressedWalk(const LevelArrays &arrays, mlir::OpBuilder &builder, mlir::Location location, int64_t shift)
      : LevelWalk(builder, location, shift), positions_(arrays.positions), coordinates_(arrays.coordinates) {}

  bool storesAll() const override { return false; }

  Value begin(Value parent) override { return loadIndex(positions_, parent); }

private:
  Value storedAt(Value position) override { return loadIndex(coordinates_, position); }

  Located find(Value parent, Value stored) override {
    const PositionRange segment = range(parent);
    const Value position = firstFrom(segment, stored);
    const auto isSame = [&] { return Values{compare(CmpIPredicate::eq, storedAt(position), stored)}; };
    const Value isLeft = compare(CmpIPredicate::ult, position, segment.end);
    return {position, choose(isLeft, builder_.getI1Type(), isSame, [&] { return Values{truth(false)}; })[0]};
  }

  PositionRange cut(Value parent, Value low, Value high) override {
    const PositionRange segment = range(parent);
    const Value first = firstFrom(segment, low);
    return {first, firstFrom({first, segment.end}, high)};
  }

  Value firstFrom(const PositionRange &segment, Value bound);

  Value positions_, coordinates_;
};

/// The first position of a segment whose coordinate is no less than `bound`, its end where none is: halves what is left
/// until nothing is.
LevelWalk::Value CompressedWalk::firstFrom(const PositionRange &segment, Value bound) {
  const mlir::Type types[] = {index(), index()};
  const mlir::Location places[] = {location_, location_};
  auto search = mlir::scf::WhileOp::create(builder_, location_, types, mlir::ValueRange{segment.begin, segment.end});
  const mlir::OpBuilder::InsertionGuard guard(builder_);
  mlir::Block *before = builder_.createBlock(&search.getBefore(), {}, types, places);
  const Value isLeft = compare(CmpIPredicate::ult, before->getArgument(0), before->getArgument(1));
  mlir::scf::ConditionOp::create(builder_, location_, isLeft, before->getArguments());
  mlir::Block *after = builder_.createBlock(&search.getAfter(), {}, types, places);
  const Value begin = after->getArgument(0), end = after->getArgument(1);
  const Value half = mlir::arith::ShRUIOp::create(builder_, location_, subtract(end, begin), number(1));
  const Value middle = add(begin, half);
  const Value isBelow = compare(CmpIPredicate::slt, storedAt(middle), bound);
  const Value left = select(isBelow, add(middle, number(1)), begin), right = select(isBelow, end, middle);
  mlir::scf::YieldOp::create(builder_, location_, mlir::ValueRange{left, right});
  return search.getResult(0);
}

} // namespace

std::unique_ptr<LevelWalk> compressedWalk(const LevelArrays &arrays, mlir::OpBuilder &builder, mlir::Location location,
                                          int64_t shift) {
  return std::make_unique<CompressedWalk>(arrays, builder, location, shift);
}

} // namespace spc::mlirgen
