// Values as bytes, and sums of them. Freestanding.
#pragma once

#include "runtime/runtime.h"

namespace spc::runtime {

/// values[to] = source[from], both of the value type of `type`.
inline void copyValue(const Tensor &type, const void *source, int64_t from, void *values, int64_t to) {
  const int64_t bytes = type.valueBytes;
  const char *read = static_cast<const char *>(source) + from * bytes;
  char *write = static_cast<char *>(values) + to * bytes;
  if (bytes == 8)
    *reinterpret_cast<uint64_t *>(write) = *reinterpret_cast<const uint64_t *>(read);
  else if (bytes == 4)
    *reinterpret_cast<uint32_t *>(write) = *reinterpret_cast<const uint32_t *>(read);
  else
    for (int64_t b = 0; b < bytes; ++b)
      write[b] = read[b];
}

template <typename T> void addNumber(void *values, int64_t to, const void *source, int64_t from) {
  static_cast<T *>(values)[to] = static_cast<T>(static_cast<T *>(values)[to] + static_cast<const T *>(source)[from]);
}

float halfToFloat(uint16_t bits);
uint16_t floatToHalf(float value);
float brainToFloat(uint16_t bits);
uint16_t floatToBrain(float value);

/// values[to] += source[from]
void addValue(const Tensor &type, const void *source, int64_t from, void *values, int64_t to);

/// values[to] and source[from] together, the latter being the later one.
void combineValue(const Tensor &type, Duplicates duplicates, const void *source, int64_t from, void *values,
                  int64_t to);

/// addValue() where `adds`, else copyValue().
inline void putValue(const Tensor &type, const void *source, int64_t from, void *values, int64_t to, bool adds) {
  if (adds)
    addValue(type, source, from, values, to);
  else
    copyValue(type, source, from, values, to);
}

/// Whether a value of `bytes` bytes is 0 in each of its parts; -0 counts.
bool isZero(ValueKind kind, const void *value, int64_t bytes);

/// Whether value number `position` of a tensor is.
inline bool isZero(const Tensor &tensor, int64_t position) {
  const char *value = static_cast<const char *>(tensor.values) + position * tensor.valueBytes;
  return isZero(tensor.valueKind, value, tensor.valueBytes);
}

} // namespace spc::runtime
