#include "mlirgen/level_walk/level_walk.h"

#include "format/levels.h"
#include "mlirgen/level_walk/kinds.h"

#include "llvm/Support/ErrorHandling.h"

namespace spc::mlirgen {

PositionRange LevelWalk::range(Value parent) {
  const Value first = begin(parent);
  return {first, begin(add(parent, number(1)))};
}

LevelWalk::Value LevelWalk::coordinate(Value position) {
  const Value stored = storedAt(position);
  return isShifted() ? subtract(stored, number(shift_)) : stored;
}

Located LevelWalk::locate(Value parent, Value coordinate) {
  return find(parent, toStored(coordinate));
}

PositionRange LevelWalk::slice(Value parent, Value low, Value high) {
  return cut(parent, toStored(low), toStored(high));
}

LevelWalk::Value LevelWalk::toStored(Value coordinate) {
  return isShifted() ? add(coordinate, number(shift_)) : coordinate;
}

std::unique_ptr<LevelWalk> walkOf(const format::Format &format, int k, const LevelArrays &arrays,
                                  mlir::OpBuilder &builder, mlir::Location location, int64_t shift) {
  switch (format::kindOf(format, k)) {
  case format::LevelKind::Dense:
    return denseWalk(arrays, k == 0, builder, location, shift);
  case format::LevelKind::Compressed:
    return compressedWalk(arrays, builder, location, shift);
  case format::LevelKind::Singleton:
  case format::LevelKind::FixedWidth:
  case format::LevelKind::RaggedDense:
  case format::LevelKind::ClosedDense:
  case format::LevelKind::ClosedCompressed:
    break;
  }
  llvm_unreachable("sema copies operands with other levels");
}

} // namespace spc::mlirgen
