// Whether matrices are symmetric.
#pragma once

#include "tensor/tensor.h"

#include <cstddef>
#include <optional>

namespace spc::tensor {

/// Whether each entry of a matrix, repeats added up, has a mirror image of the same value. Requires coordinates within
/// the shape.
bool isSymmetric(Coordinates matrix);

/// The first of a square matrix's entries that differs from its mirror image or has none; a NaN differs from itself.
/// nullopt where there is no such entry. Where `isConjugate`, mirror images are the conjugates. Requires: sorted by row
/// and column, without repeats.
std::optional<size_t> withoutMirrorImage(const Coordinates &entries, bool isConjugate = false);

/// Whether each entry off the diagonal has its mirror image right before or after it, as readers of symmetric files
/// give them.
enum class Pairs {
  None,
  Any,  ///< no value is a NaN
  Small ///< nor is any sum of them, and all lie within the shape
};

/// The pairs among a square matrix's real entries, which as many threads look at as there are `pieces`.
Pairs pairsOf(const Coordinates &entries, int pieces);

} // namespace spc::tensor
