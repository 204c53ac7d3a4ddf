// Under which names the attributes of the dialect `spc` stand on functions, their arguments and loops. Private to this
// folder.
#pragma once

#include "llvm/ADT/StringRef.h"

namespace spc::dialect {

inline constexpr llvm::StringLiteral kBind = "spc.bind";
inline constexpr llvm::StringLiteral kTensor = "spc.tensor";
inline constexpr llvm::StringLiteral kAscends = "spc.ascends";
inline constexpr llvm::StringLiteral kChunks = "spc.chunks";
inline constexpr llvm::StringLiteral kSchedule = "spc.schedule";
inline constexpr llvm::StringLiteral kDivision = "spc.division";
inline constexpr llvm::StringLiteral kNests = "spc.nests";
inline constexpr llvm::StringLiteral kPlace = "spc.place";
inline constexpr llvm::StringLiteral kPatternOnly = "spc.pattern_only";
inline constexpr llvm::StringLiteral kAsWritten = "spc.as_written";
inline constexpr llvm::StringLiteral kRowLoop = "spc.row_loop";
inline constexpr llvm::StringLiteral kSegment = "spc.segment";
inline constexpr llvm::StringLiteral kLeavesRest = "spc.leaves_rest";
inline constexpr llvm::StringLiteral kPartial = "spc.partial";
inline constexpr llvm::StringLiteral kClipped = "spc.clipped";
inline constexpr llvm::StringLiteral kMask = "spc.mask";

} // namespace spc::dialect
