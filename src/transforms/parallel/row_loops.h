// Loops over the rows of a kernel, whose iterations may run apart from each other: over all rows of an extent, or over
// what a compressed root lists of them.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <optional>

namespace spc::transforms {

/// A loop at the top of a body, by what it runs over.
struct RowLoop {
  enum class Kind {
    Rows,      ///< `for i = 0 .. size(m)`
    Positions, ///< `for p = 0 .. A.count_0`
    Segments,  ///< `while p < A.count_0`: p .. last are the entries of one row in a coordinate list
  };
  Kind kind;
  mlir::Operation *loop;
  mlir::scf::WhileOp firstSegment; ///< of Segments: finds where the first one ends
  mlir::Value item;                ///< the row or the position p
  mlir::Value last;                ///< of Segments
  mlir::BlockArgument limit;       ///< what is bound as size(m) or A.count_0
  mlir::BlockArgument indices;     ///< where a root's coordinates are listed, null where they are not
  llvm::StringRef tensor;          ///< A
  llvm::StringRef rows;            ///< the extent m; of a root, where its coordinates ascend; else empty
};

/// What `op` is as a loop over rows, or nullopt.
std::optional<RowLoop> matchRowLoop(mlir::func::FuncOp body, mlir::Operation *op);

/// The extent of a loop from 0 to `size(m)` in steps of 1, or empty.
llvm::StringRef extentOf(mlir::func::FuncOp body, mlir::scf::ForOp loop);

/// Makes a loop over all rows or positions run from `begin` to `end`.
void setBounds(const RowLoop &rows, mlir::Value begin, mlir::Value end);

/// Makes a loop over a root whose coordinates ascend run over the rows from `begin` to `end`.
void setRows(const RowLoop &rows, mlir::Value begin, mlir::Value end);

} // namespace spc::transforms
