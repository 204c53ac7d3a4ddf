// Implicit levels: positions and coordinates that are computed because the format has no array for them
// (docs/architecture.md, "Implicit levels").
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <optional>

namespace spc::transforms {

/// One level of a sparse argument, as its `spc.levels` describes it. Computes values at the builder's place.
class LevelStorage {
public:
  LevelStorage(mlir::func::FuncOp body, unsigned argument, unsigned level);

  /// Positions are computed: no pointers array.
  bool computesPositions() const { return keys_.get("fixed") || keys_.get("closed"); }
  /// Coordinates are computed: no indices array.
  bool isImplicit() const { return keys_.get("implicit") != nullptr; }
  /// Coordinates may be negative.
  bool isSigned() const { return keys_.get("signed") != nullptr; }
  /// Coordinates ascend under each parent.
  bool ascends() const { return !keys_.get("unordered"); }
  /// Stride and offset of the coordinates in the array of structs that holds them.
  std::optional<std::pair<int64_t, int64_t>> interleaved() const;

  /// Where the segment of the parent at position `parent` starts or, with `atEnd`, ends. The end is written as the
  /// start plus a length, so that the trip count shows. Requires: computesPositions().
  mlir::Value position(mlir::OpBuilder &builder, mlir::Location location, mlir::Value parent, bool atEnd) const;

  /// The coordinate at `position` in the segment of `parent` that starts at `segment`. Requires: isImplicit().
  mlir::Value coordinate(mlir::OpBuilder &builder, mlir::Location location, mlir::Value position, mlir::Value segment,
                         mlir::Value parent) const;

private:
  /// constant + slope * (the parent's coordinate) + size * (an extent).
  struct Form {
    int64_t constant, slope, size;
  };
  /// Splits a parent's position into batch * (number of parents in a batch) + coordinate; no batch below a root.
  struct Parent {
    mlir::Value batch, coordinate;
  };

  std::optional<Form> form(llvm::StringRef key) const;
  mlir::Value extent(llvm::StringRef key) const;
  Parent split(mlir::OpBuilder &builder, mlir::Location location, mlir::Value parent) const;
  mlir::Value evaluate(mlir::OpBuilder &builder, mlir::Location location, const Form &form, mlir::Value at) const;
  mlir::Value sumBelow(mlir::OpBuilder &builder, mlir::Location location, const Form &form, mlir::Value end) const;

  mlir::func::FuncOp body_;
  unsigned level_;
  mlir::DictionaryAttr keys_; ///< empty for a level that MLIR knows as it is
};

} // namespace spc::transforms
