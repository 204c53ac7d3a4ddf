// Implicit levels: positions and coordinates that are computed because the format has no array for them
// (docs/why.md, "Implicit levels").
#pragma once

#include "dialect/attributes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace spc::transforms {

/// The level functions (Chou, Kjolstad and Amarasinghe 2018) of one level of a sparse argument, as its `spc.tensor`
/// describes it. Computes values at the builder's place.
class LevelFunctions {
public:
  LevelFunctions(mlir::func::FuncOp body, unsigned argument, unsigned level);

  /// The format's description of the level.
  dialect::LevelAttr level() const { return level_; }

  /// The position at which the segment of the parent at position `parent` starts or, with `atEnd`, ends. The end is
  /// written as the start plus a length, so that the trip count shows. Requires: the level computes positions.
  mlir::Value position(mlir::OpBuilder &builder, mlir::Location location, mlir::Value parent, bool atEnd) const;

  /// The coordinate at `position` in the segment of `parent` that starts at `segment`. Requires: the level is implicit.
  mlir::Value coordinate(mlir::OpBuilder &builder, mlir::Location location, mlir::Value position, mlir::Value segment,
                         mlir::Value parent) const;

private:
  /// Splits a parent's position into batch * (number of parents in a batch) + coordinate; no batch below a root.
  struct Parent {
    mlir::Value batch, coordinate;
  };

  mlir::Value size(dialect::ExtentAttr extent) const;
  Parent split(mlir::OpBuilder &builder, mlir::Location location, mlir::Value parent) const;
  mlir::Value evaluate(mlir::OpBuilder &builder, mlir::Location location, dialect::FormAttr form, mlir::Value at) const;
  mlir::Value sumBelow(mlir::OpBuilder &builder, mlir::Location location, dialect::FormAttr form,
                       mlir::Value end) const;

  mlir::func::FuncOp body_;
  unsigned number_;
  dialect::LevelAttr level_;
};

} // namespace spc::transforms
