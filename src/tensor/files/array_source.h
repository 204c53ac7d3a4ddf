// Arrays as bytes for files, piece by piece. Private to this folder.
#pragma once

#include "support/output_file.h"
#include "support/work_count.h"
#include "tensor/pack/packed_arrays.h"

#include <cstdint>
#include <span>
#include <string_view>

namespace spc::tensor {

/// The coordinates or pointers of a matrix as integers of another type, which holds them.
ByteSource integersOf(const void *array, format::IndexType type, int64_t count, sema::ValueType written);

/// The values of a tensor as they are stored, in another type where that is not its own.
ByteSource valuesOf(const PackedArrays &arrays, sema::ValueType written);

/// Whether a dense tensor has its elements in row-major order.
bool isRowMajor(const PackedArrays &arrays);

/// All elements of a dense tensor in row-major order.
ByteSource elementsOf(const PackedArrays &arrays, sema::ValueType written);

/// The values of a list of entries.
ByteSource valuesOf(const Coordinates &entries, sema::ValueType written);

/// Dimension `dim` of the coordinates of a list of entries, or zeros where it has none such.
ByteSource coordinatesOf(const Coordinates &entries, size_t dim, sema::ValueType written);

/// Counts the entries of a file by its bytes as these are given.
class ByteProgress {
public:
  /// Counts for a file of so many bytes in which there are `entries`.
  ByteProgress(WorkCount *count, uint64_t entries, uint64_t bytes) : count_(count), entries_(entries), bytes_(bytes) {
    if (count_)
      count_->begin(entries_);
  }

  /// The same bytes, which are counted as the sink has taken them. This outlives it.
  ByteSource counted(ByteSource bytes);

private:
  void add(uint64_t bytes);

  WorkCount *count_;
  uint64_t entries_, bytes_, done_ = 0, counted_ = 0;
};

} // namespace spc::tensor
