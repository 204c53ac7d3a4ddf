// Rows of ties, of whose columns there is one at most. Private to this folder.
#pragma once

#include "dialect/dialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

#include <optional>

namespace spc::transforms {

struct TiedRow {
  mlir::BlockArgument tie;
  dialect::TieAttr equation;
  mlir::Value place; ///< of the row's pointer
};

/// The row of a tie between whose pointers a segment lies; nullopt where that is of anything else.
std::optional<TiedRow> tiedRowOf(mlir::func::FuncOp body, mlir::Value begin, mlir::Value end);

/// The sparse argument whose pointers of its last level `load` is from; null where it is from something else.
mlir::BlockArgument pointedTensor(mlir::memref::LoadOp load);

/// Whether all that is done with a position is to load what the tie holds there.
bool isOnlyLoadedAt(mlir::Value position, mlir::BlockArgument tie);

/// The number of the tie's columns.
mlir::Value columnsOf(mlir::func::FuncOp body, const TiedRow &row);

/// The column by the equation, and whether it is one.
mlir::Value columnOf(mlir::func::FuncOp body, const TiedRow &row, mlir::ImplicitLocOpBuilder &ops,
                     mlir::Value &isPresent);

/// A comparison that says that a column is within its extent, and where that is so: all of its block where null.
struct ColumnInside {
  mlir::arith::CmpIOp compare;
  mlir::scf::IfOp branch;
};

/// The comparison with the extent in what columnOf() gives as `isPresent`.
mlir::arith::CmpIOp comparisonOf(mlir::Value isPresent);

/// Looks the column of a tied row up in what it is merged with, an ordered list without repeats, where both have to
/// have an entry. Whether there was such a merge; `inside` is added to.
bool seekTiedColumns(mlir::func::FuncOp body, llvm::SmallVectorImpl<ColumnInside> &inside);

} // namespace spc::transforms
