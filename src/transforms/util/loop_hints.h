// Hints to LLVM on how to optimise a loop, or a body.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace spc::transforms {

/// Asks LLVM neither to vectorise nor to unroll a loop, which is on vectors already or as long as it should be.
void keepLoopAsItIs(mlir::scf::ForOp loop);

/// Makes products in a loop be rounded before they are added.
void keepProductsApart(mlir::scf::ForOp loop);

/// Whether keepProductsApart() has been asked of the innermost loop around an operation.
bool isKeptApart(mlir::Operation *op);

/// Asks LLVM not to unroll a loop, but to vectorise it with `vectors` vectors at once.
void vectoriseWhole(mlir::scf::ForOp loop, int64_t vectors);

/// Whether keepLoopAsItIs() has been asked of the loop.
bool isKeptAsItIs(mlir::scf::ForOp loop);

/// Makes LLVM leave a body's scalars apart (`codegen/pass_list.cpp`): vectors hold what gains by it already.
void keepScalarsApart(mlir::func::FuncOp body);

} // namespace spc::transforms
