// Packing of matrices by rows, straight from unsorted entries. Private to this folder.
#pragma once

#include "tensor/pack/packed_arrays.h"

namespace spc::tensor {

/// Fills the arrays of a matrix with a dense level above a listed one (CSR, CSC, ELL, symmetric CSR) in time linear in
/// entries and rows: entries are counted by row and put where they belong, and only rows out of order are sorted.
/// False, with arrays that may have been begun, for all that Packer has to look at: other formats and types, complex
/// values, coordinates outside the shape, what may not fit, repeats that narrow values would round twice, and entries
/// that are not symmetric. The work is divided among as many threads as there are `pieces`, which changes
/// nothing in what comes out. The entries' coordinates may have been overwritten where it gives true.
bool packByRows(PackedArrays &arrays, Coordinates &entries, int pieces);

} // namespace spc::tensor
