// The owner-computes rule: which elements a row of a loop owns, so that no other row's iteration accesses them.
#pragma once

#include "transforms/parallel/row_loops.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace spc::transforms {

/// The indices that row r owns: those from coefficient * r up to the next row's if `isRow`; else the positions below
/// it.
struct Owner {
  bool isRow;
  int64_t coefficient;

  bool operator==(const Owner &) const = default;
};

/// Finds out which indices the iterations of one row loop own.
class OwnerComputes {
public:
  OwnerComputes(mlir::func::FuncOp body, const RowLoop &rows) : body_(body), rows_(rows) {}

  /// How the iteration owns `index`, so that no other iteration has it; nullopt where it does not.
  std::optional<Owner> ownerOf(mlir::Value index);

private:
  bool isRow(mlir::Value value);
  bool isOwnedValue(mlir::Value value);
  bool isOwnedSegment(mlir::scf::ForOp segment);
  bool dependsOnOwnedOnly(mlir::Value value);

  mlir::func::FuncOp body_;
  RowLoop rows_;
};

} // namespace spc::transforms
