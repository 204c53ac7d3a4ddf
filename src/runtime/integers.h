// Arrays of integers whose width is known at run time only. Freestanding.
#pragma once

#include <stdint.h>

namespace spc::runtime {

/// The unsigned type of a coordinate's width.
template <typename I> struct Unsigned;
template <> struct Unsigned<int32_t> {
  using Type = uint32_t;
};
template <> struct Unsigned<int64_t> {
  using Type = uint64_t;
};

/// An array of integers of 4 or 8 bytes, which it does not own. The width is chosen at run time, not by a template,
/// because each kernel that uses the runtime compiles it anew.
class Integers {
public:
  Integers() = default;
  Integers(void *array, int64_t bytes) : array_(array), isNarrow_(bytes == 4) {}
  bool isNull() const { return array_ == nullptr; }
  /// The array, whose elements are known to have this type.
  template <typename I> I *as() const { return static_cast<I *>(array_); }
  int64_t operator[](int64_t position) const {
    return isNarrow_ ? static_cast<int32_t *>(array_)[position] : static_cast<int64_t *>(array_)[position];
  }
  void set(int64_t position, int64_t value) const {
    if (isNarrow_)
      static_cast<int32_t *>(array_)[position] = static_cast<int32_t>(value);
    else
      static_cast<int64_t *>(array_)[position] = value;
  }

private:
  void *array_ = nullptr;
  bool isNarrow_ = false;
};

} // namespace spc::runtime
