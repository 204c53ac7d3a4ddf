// The arguments of a kernel's body: finding and adding them by what they are bound to.
#pragma once

#include "dialect/attributes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringRef.h"

#include <optional>

namespace spc::transforms {

using dialect::BindAttr;
using dialect::BindKind;
using dialect::ExtentAttr;
using dialect::LevelAttr;
using dialect::TensorAttr;

/// The extent of dimension `dim` of the tensor that argument `index` is, of a sparse one of level `dim`; null where
/// nothing says it.
ExtentAttr dimExtent(mlir::func::FuncOp body, unsigned index, unsigned dim);

/// The argument bound to `bind`, added at the end with `type` where there is none.
mlir::BlockArgument boundArgument(mlir::func::FuncOp body, BindAttr bind, mlir::Type type);

/// The same for an argument of type index.
mlir::BlockArgument boundNumber(mlir::func::FuncOp body, BindAttr bind);

/// The bind of a field of the tensor that argument `index` is.
BindAttr fieldOf(mlir::func::FuncOp body, unsigned index, BindKind kind, int64_t level = -1);

/// The index argument that holds the extent of dimension `dim` of the tensor that argument `index` is.
mlir::BlockArgument sizeArgument(mlir::func::FuncOp body, unsigned index, unsigned dim);

/// The b of an argument `bound` that holds the number of blocks of b that cover dimension `dim` of argument `index`; 1
/// if it holds the extent itself; else nullopt.
std::optional<int64_t> blocksOf(mlir::func::FuncOp body, mlir::Value bound, unsigned index, unsigned dim);

/// Whether the passes can work on `body`: it has one block, and each argument whose type `isNeeded` names has a
/// #spc.tensor with an extent for each dimension. Reports what is missing. A declaration has nothing to work on: passes
/// leave it alone before they ask.
mlir::LogicalResult requireTensors(mlir::func::FuncOp body, llvm::function_ref<bool(mlir::Type)> isNeeded);

/// Whether `type` is that of a sparse tensor.
bool isSparseTensor(mlir::Type type);

/// Removes argument `index`; reports a use that is left, with which it cannot go.
mlir::LogicalResult eraseArgument(mlir::func::FuncOp body, unsigned index);

} // namespace spc::transforms
