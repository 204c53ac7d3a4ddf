// CSR and CSC from the arrays of files and back, without a list of entries. Private to this folder.
#pragma once

#include "tensor/files/files.h"
#include "tensor/files/numpy_array.h"
#include "tensor/pack/packed_arrays.h"

#include <optional>
#include <vector>

namespace spc::tensor {

/// A matrix in the arrays of a file, which may be wrong.
struct SegmentArrays {
  const std::vector<int64_t> &shape;
  size_t major; ///< the dimension that has pointers
  const NumpyArray &pointers, &indices, &values;
};

/// The matrix in a format that stores these arrays. nullopt where the format stores others, and for all that a list of
/// entries has to settle: repeats, entries out of order or outside of the shape, numbers that do not fit.
std::optional<PackedTensor> packSegments(const SegmentArrays &matrix, const PackTarget &target);

/// The dimension that has pointers in a format of CSR's or CSC's arrays; nullopt of other formats.
std::optional<size_t> segmentsMajor(const format::Format &format);

/// Whether a matrix of segmentsMajor()'s format lists its entries in order, each once and inside of its shape, so that
/// others may read its arrays.
bool hasOrderedSegments(const PackedArrays &arrays);

/// The number type of an index type.
sema::ValueType valueTypeOf(format::IndexType type);

} // namespace spc::tensor
