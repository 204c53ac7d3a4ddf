// Loops over the rows of a kernel, whose iterations may run apart from each other: over all rows of an extent, or over
// the rows that a compressed root lists.
#pragma once

#include "dialect/attributes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <optional>

namespace spc::transforms {

/// A loop that is recorded as one over rows, by the attribute `spc.row_loop`, with its parts.
struct RowLoop {
  dialect::RowLoopKind kind;
  mlir::Operation *loop;
  dialect::BindAttr items;     ///< what its items are numbers of: the size m, or the positions of a tensor's root
  dialect::ExtentAttr rows;    ///< the extent m; of a root, where its coordinates ascend; else null
  mlir::BlockArgument limit;   ///< the number of all items
  mlir::BlockArgument indices; ///< the coordinates that a root lists, null where it lists none

  mlir::Value item;                ///< the row or the position p
  mlir::Value last;                ///< of Segments: the end of the segment that starts at p
  mlir::scf::WhileOp firstSegment; ///< of Segments: finds the end of the first one

  bool isRoot() const { return kind != dialect::RowLoopKind::Rows; }
};

/// Records what the loops at the top of `body` are as loops over rows, on each one that is.
void recordRowLoops(mlir::func::FuncOp body);

/// The loop as one over all rows or all of a root; null of anything else.
dialect::RowLoopAttr classifyRows(mlir::func::FuncOp body, mlir::Operation *op);

/// The row loop that `op` is recorded as, or nullopt. Its bounds may have been set since.
std::optional<RowLoop> rowLoopOf(mlir::func::FuncOp body, mlir::Operation *op);
/// The row loop that `op` is, by what classifyRows() said of it; or nullopt.
std::optional<RowLoop> rowLoopOf(mlir::func::FuncOp body, mlir::Operation *op, dialect::RowLoopAttr is);

/// Writes a search among `limit` coordinates that ascend: the first position whose coordinate is `row` or more.
mlir::Value locateRow(mlir::OpBuilder &builder, mlir::Location location, mlir::Value indices, mlir::Value limit,
                      mlir::Value row);

/// The extent m of a loop from 0 to the size of m in steps of 1, or null.
dialect::ExtentAttr extentOf(mlir::func::FuncOp body, mlir::scf::ForOp loop);

/// Narrows a loop to what of it is from `begin` to `end`.
void narrowBounds(mlir::scf::ForOp loop, mlir::Value begin, mlir::Value end);

/// Makes what walks a list within an operation end at position `end` in place of `limit`, the number of its positions;
/// but for loops that come to the list anew, from its first position on, as those of another operand that it is, too.
void endAt(mlir::Operation *within, mlir::BlockArgument limit, mlir::Value end);

/// Makes a loop over all items run from `begin` to `end`.
void setBounds(const RowLoop &rows, mlir::Value begin, mlir::Value end);

/// Makes a loop over a root whose coordinates ascend run over the rows from `begin` to `end`.
void setRows(const RowLoop &rows, mlir::Value begin, mlir::Value end);

} // namespace spc::transforms
