// Loops over the rows of a kernel, whose iterations may run apart from each other: over all rows of an extent, or over
// what a compressed root lists of them.
#pragma once

#include "dialect/attributes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <optional>

namespace spc::transforms {

/// A loop at the top of a body, by what it runs over.
struct RowLoop {
  enum class Kind {
    Rows,      ///< `for i = 0 .. size of m`
    Positions, ///< `for p = 0 .. count of A`
    Segments,  ///< `while p < count of A`: p .. last are the entries of one row in a coordinate list
  };
  Kind kind;
  mlir::Operation *loop;
  mlir::scf::WhileOp firstSegment; ///< of Segments: finds where the first one ends
  mlir::Value item;                ///< the row or the position p
  mlir::Value last;                ///< of Segments
  mlir::BlockArgument limit;       ///< of all items
  dialect::BindAttr items;         ///< what it is bound to: the size m, or the number of positions of a tensor's root
  mlir::BlockArgument indices;     ///< where a root's coordinates are listed, null where they are not
  dialect::ExtentAttr rows;        ///< the extent m; of a root, where its coordinates ascend; else null
};

/// What `op` is as a loop over rows, or nullopt.
std::optional<RowLoop> matchRowLoop(mlir::func::FuncOp body, mlir::Operation *op);

/// The extent m of a loop from 0 to the size of m in steps of 1, or null.
dialect::ExtentAttr extentOf(mlir::func::FuncOp body, mlir::scf::ForOp loop);

/// Makes a loop over all rows or positions run from `begin` to `end`.
void setBounds(const RowLoop &rows, mlir::Value begin, mlir::Value end);

/// Makes a loop over a root whose coordinates ascend run over the rows from `begin` to `end`.
void setRows(const RowLoop &rows, mlir::Value begin, mlir::Value end);

} // namespace spc::transforms
