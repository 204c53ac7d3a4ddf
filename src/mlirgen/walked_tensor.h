// The tensors of loops by hand. Private to this folder.
#pragma once

#include "mlirgen/level_walk/level_walk.h"
#include "mlirgen/merged_nest.h"

namespace spc::mlirgen {

/// A tensor that loops walk: the levels of a sparse one, and the buffer with its values, which is all that a dense one
/// has. Null values: a scalar.
struct WalkedTensor {
  llvm::SmallVector<std::unique_ptr<LevelWalk>> levels;
  mlir::Value values;
};

/// `tensor`: null of a scalar. `extents`: by level, how many coordinates a dense one has. Emits where the builder
/// stands, which outlives the result.
WalkedTensor walkedTensor(mlir::Value tensor, const format::Format &format, llvm::ArrayRef<mlir::Value> extents,
                          mlir::OpBuilder &builder, mlir::Location location);

/// The operands of a merged term, by number.
llvm::SmallVector<WalkedTensor, 0> walkedOperands(const MergedTerm &term, mlir::OpBuilder &builder,
                                                  mlir::Location location);

} // namespace spc::mlirgen
