// The walks by kind. Private to this folder.
#pragma once

#include "mlirgen/level_walk/level_walk.h"

namespace spc::mlirgen {

std::unique_ptr<LevelWalk> denseWalk(const LevelArrays &arrays, bool isRoot, mlir::OpBuilder &builder,
                                     mlir::Location location, int64_t shift);
std::unique_ptr<LevelWalk> compressedWalk(const LevelArrays &arrays, mlir::OpBuilder &builder, mlir::Location location,
                                          int64_t shift);

} // namespace spc::mlirgen
