// Matrices by rows, counted and scattered. Freestanding.
#pragma once

#include "runtime/runtime.h"

namespace spc::runtime {

/// Whether buildRows builds `target` from `source`: a matrix with a dense and a compressed level from one with the
/// dimensions the other way round and pointers of 4 bytes or of 8, or from a list of coordinates; coordinates of both
/// of 4 bytes or of 8, values of 4 or 8 bytes (or none wanted), all extents and counts below what the coordinates' type
/// holds.
bool canBuildRows(const Tensor &source, const Tensor &target, bool withValues);

/// Does what spc_rt_convert does, for tensors that canBuildRows accepts, of coordinates of type I and, if any are
/// wanted, values of V's size. On failure the target's arrays may be allocated.
template <typename I, typename V>
Status buildRows(const Allocator &allocator, const Workers &workers, const Tensor &source, Tensor &target,
                 bool withValues);

/// … from a matrix that lists no place twice.
template <typename I, typename V>
Status transposeRows(const Allocator &allocator, const Workers &workers, const Tensor &source, Tensor &target,
                     bool withValues);

} // namespace spc::runtime
