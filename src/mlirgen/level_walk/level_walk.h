// How loops walk one level of a sparse tensor: where the positions under a parent are, which coordinate a position has,
// where a coordinate is, and which positions have coordinates within bounds. One file a kind of level
// (format::LevelKind).
#pragma once

#include "format/format.h"
#include "mlirgen/level_walk/loop_emitter.h"

#include <memory>

namespace spc::mlirgen {

/// Positions of a level from `begin` up to but without `end`.
struct PositionRange {
  mlir::Value begin, end;
};

/// The position of a coordinate.
struct Located {
  mlir::Value position; ///< of no meaning where nothing is stored
  mlir::Value isStored; ///< an i1: whether the level has the coordinate; null: it does
};

/// One level, walked by loops that are at coordinate c where the level stores c + shift. A parent is a position of the
/// level above, at the root 0. Everything is emitted where the builder stands.
class LevelWalk : protected LoopEmitter {
public:
  virtual ~LevelWalk() = default;

  /// Whether each coordinate has a position, which is computed: then loops need not look for it.
  virtual bool storesAll() const = 0;

  /// Where the positions under a parent begin, and those under the parent before it end.
  virtual Value begin(Value parent) = 0;

  /// The positions under a parent.
  PositionRange range(Value parent);

  /// Where a loop is that is at a position. It may be negative where there is a shift.
  Value coordinate(Value position);

  /// Where a coordinate is under a parent. A level that lists its coordinates in order is searched by halves.
  Located locate(Value parent, Value coordinate);

  /// The positions under a parent whose coordinates are from `low` up to but without `high`, wherever these lie.
  /// Requires: low <= high; a level that lists its coordinates does so in order.
  PositionRange slice(Value parent, Value low, Value high);

protected:
  LevelWalk(mlir::OpBuilder &builder, mlir::Location location, int64_t shift)
      : LoopEmitter(builder, location), shift_(shift) {}

  bool isShifted() const { return shift_ != 0; }

private:
  // The same of what the level stores.
  virtual Value storedAt(Value position) = 0;
  virtual Located find(Value parent, Value stored) = 0;
  virtual PositionRange cut(Value parent, Value low, Value high) = 0;
  Value toStored(Value coordinate);

  int64_t shift_;
};

/// What a level is walked by: its arrays, null where it has none, and how many coordinates it may have.
struct LevelArrays {
  mlir::Value positions, coordinates, extent;
};

/// Level `k` of a format. Requires: a dense or a compressed one, the kinds that loops over all operands at once have
/// (sema/verify). The builder outlives the result.
std::unique_ptr<LevelWalk> walkOf(const format::Format &format, int k, const LevelArrays &arrays,
                                  mlir::OpBuilder &builder, mlir::Location location, int64_t shift = 0);

} // namespace spc::mlirgen
