// Entries of symmetric matrices beside their mirror images. Private to this folder.
#pragma once

#include "tensor/tensor.h"

namespace spc::tensor {

/// Whether each entry off the diagonal has its mirror image right before or after it, as readers of symmetric files
/// give them.
enum class Pairs {
  None,
  Any,  ///< no value is a NaN
  Small ///< nor is any sum of them, and all lie within the shape
};

/// Of a square matrix's real entries, which as many threads look at as there are `pieces`.
Pairs pairsOf(const Coordinates &entries, int pieces);

} // namespace spc::tensor
