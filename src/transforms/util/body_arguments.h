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

/// Attribute names on the body's arguments; see mlirgen.h and docs/architecture.md, "The body's arguments".
inline constexpr llvm::StringLiteral kName = "spc.name";
inline constexpr llvm::StringLiteral kExtents = "spc.extents";
inline constexpr llvm::StringLiteral kModes = "spc.modes";
inline constexpr llvm::StringLiteral kStrided = "spc.strided";
inline constexpr llvm::StringLiteral kLevels = "spc.levels";
inline constexpr llvm::StringLiteral kPatternOf = "spc.pattern_of";
inline constexpr llvm::StringLiteral kStructureOf = "spc.structure_of";
inline constexpr llvm::StringLiteral kPadded = "spc.padded";
inline constexpr llvm::StringLiteral kRun = "spc.run";
inline constexpr llvm::StringLiteral kNeutral = "spc.neutral";
inline constexpr llvm::StringLiteral kCollect = "spc.collect";
inline constexpr llvm::StringLiteral kRows = "spc.rows";
inline constexpr llvm::StringLiteral kKeyBits = "spc.key_bits";
/// On the coordinates of a compressed root: they ascend, in the extent that this names.
inline constexpr llvm::StringLiteral kAscends = "spc.ascends";

/// The string attribute `attribute` of argument `index`, or empty.
llvm::StringRef argumentString(mlir::func::FuncOp body, unsigned index, llvm::StringRef attribute);

/// The extent of dimension `dim` of the tensor that argument `index` is, of a sparse one of level `dim`; null where
/// nothing says it.
ExtentAttr dimExtent(mlir::func::FuncOp body, unsigned index, unsigned dim);

/// What `spc.levels` says of a level of argument `index`, be that nothing.
LevelAttr levelOf(mlir::func::FuncOp body, unsigned index, unsigned level);

/// The argument bound to `bind`, added at the end with `type` where there is none.
mlir::BlockArgument boundArgument(mlir::func::FuncOp body, BindAttr bind, mlir::Type type);

/// The same for an argument of type index.
mlir::BlockArgument boundNumber(mlir::func::FuncOp body, BindAttr bind);

/// The bind of a field of the tensor that argument `index` is.
BindAttr fieldOf(mlir::func::FuncOp body, unsigned index, BindKind kind, int64_t level = -1);

/// The index argument that holds the extent of dimension `dim` of the tensor that argument `index` is.
mlir::BlockArgument sizeArgument(mlir::func::FuncOp body, unsigned index, unsigned dim);

/// Where `bound` is the argument that holds the extent of dimension `dim` of argument `index`, 1; where it holds the
/// number of blocks of b that cover it, b; else nullopt.
std::optional<int64_t> blocksOf(mlir::func::FuncOp body, mlir::Value bound, unsigned index, unsigned dim);

/// Removes argument `index`, which must be unused.
void eraseArgument(mlir::func::FuncOp body, unsigned index);

} // namespace spc::transforms
