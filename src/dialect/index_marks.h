// How the passes that keep index variables for debuggers tell each other where these are.
#pragma once

#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/ADT/StringRef.h"

namespace spc::dialect {

/// On a loop whose induction variable is its coordinate: the variables that it is a part of (isIndexList).
inline constexpr llvm::StringLiteral kIndices = "spc.indices";
/// The same on a loop in which operations compute the coordinate, whose locations have the same list as metadata.
inline constexpr llvm::StringLiteral kListedIndices = "spc.listed_indices";
/// On a variable's slot on the stack and on stores to it: its name.
inline constexpr llvm::StringLiteral kIndex = "spc.index";

/// Whether `attribute` is an array with an array [name, scale, parts] for each variable, which is the sum of `scale`
/// times the coordinates of `parts` loops.
bool isIndexList(mlir::Attribute attribute);

} // namespace spc::dialect
