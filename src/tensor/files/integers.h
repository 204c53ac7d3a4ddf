// Integer elements of arrays one after the other. Private to this folder.
#pragma once

#include "tensor/files/numpy_array.h"

#include <algorithm>
#include <array>

namespace spc::tensor {

/// Integer elements of an array, for places that ascend.
class Integers {
public:
  /// The array outlives this.
  explicit Integers(const NumpyArray &array) : array_(array) {}

  /// -1 where it exceeds int64_t. Requires: a place of the array.
  int64_t operator[](int64_t place) {
    if (place < begin_ || place >= end_) {
      begin_ = place;
      end_ = std::min(place + kAtOnce, array_.count);
      array_.copyIntegers(begin_, end_ - begin_, numbers_.data());
    }
    return numbers_[static_cast<size_t>(place - begin_)];
  }

private:
  static constexpr int64_t kAtOnce = 2048;
  const NumpyArray &array_;
  std::array<int64_t, kAtOnce> numbers_;
  int64_t begin_ = 0, end_ = 0;
};

} // namespace spc::tensor
