// A dense tensor whose rows lie apart, or a vector whose elements do: the strides of the calling convention are not the
// extents.
#pragma once

#include "abi/signature.h"

#include <cstdint>
#include <string>
#include <vector>

namespace spc::testing {

/// A copy of a packed dense tensor of order >= 1 with gaps between its rows or elements, filled with a sentinel.
class PaddedDense {
public:
  /// `packed`: a struct that `type` describes, which must outlive this.
  PaddedDense(const abi::StructType &type, void *packed);

  /// The struct to hand to a kernel.
  void *cStruct() { return fields_.data(); }

  /// Copies the elements back to the packed tensor. Returns false when a gap was written to.
  bool copyBack();

private:
  template <typename Visit> void forEachElement(Visit visit);

  abi::StructType type_;
  void *packed_;
  size_t elementSize_;
  std::vector<uint64_t> fields_;
  std::vector<unsigned char> buffer_;
  size_t first_ = 0; ///< bytes before the element at coordinate 0
};

} // namespace spc::testing
