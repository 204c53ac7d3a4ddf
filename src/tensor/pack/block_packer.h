// Packing of matrices by blocks. Private to this folder.
#pragma once

#include "tensor/pack/packed_arrays.h"

namespace spc::tensor {

/// Fills the arrays of a matrix in compressed rows or columns of dense blocks (BSR, BSC) from rows of single entries,
/// which packByRows() makes first. Requires coordinates within the shape. False, with nothing done, for other formats
/// and types. The entries have been freed where it gives true.
bool packByBlocks(PackedArrays &arrays, Coordinates &entries, int pieces);

} // namespace spc::tensor
