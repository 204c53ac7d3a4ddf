#include "tensor/pack/zeros.h"

namespace spc::tensor {

namespace {

/// `mask`: the bits of a number that make it differ from 0.
template <typename Bits> int64_t firstWith(Bits mask, const void *values, int64_t begin, int64_t end) {
  constexpr int64_t kTogether = 32; // looked at together, without a branch
  const auto *bits = static_cast<const Bits *>(values);
  for (; end - begin >= kTogether; begin += kTogether) {
    Bits any = 0;
    for (int64_t k = 0; k < kTogether; ++k)
      any = static_cast<Bits>(any | bits[begin + k]);
    if ((any & mask) != 0)
      break;
  }
  while (begin < end && (bits[begin] & mask) == 0)
    ++begin;
  return begin;
}

template <typename Bits> int64_t firstFloat(const void *values, int64_t begin, int64_t end) {
  return firstWith(static_cast<Bits>(static_cast<Bits>(~Bits{0}) >> 1), values, begin, end);
}

template <typename Bits> int64_t firstInteger(const void *values, int64_t begin, int64_t end) {
  return firstWith(static_cast<Bits>(~Bits{0}), values, begin, end);
}

} // namespace

int64_t firstNonZero(const void *values, sema::ValueType type, int64_t begin, int64_t end) {
  using sema::ValueType;
  switch (type) {
  case ValueType::F16:
  case ValueType::BF16:
    return firstFloat<uint16_t>(values, begin, end);
  case ValueType::F32:
    return firstFloat<uint32_t>(values, begin, end);
  case ValueType::F64:
    return firstFloat<uint64_t>(values, begin, end);
  case ValueType::CF32:
    return firstFloat<uint32_t>(values, 2 * begin, 2 * end) / 2;
  case ValueType::CF64:
    return firstFloat<uint64_t>(values, 2 * begin, 2 * end) / 2;
  case ValueType::Bool:
  case ValueType::I8:
  case ValueType::U8:
    return firstInteger<uint8_t>(values, begin, end);
  case ValueType::I16:
  case ValueType::U16:
    return firstInteger<uint16_t>(values, begin, end);
  case ValueType::I32:
  case ValueType::U32:
    return firstInteger<uint32_t>(values, begin, end);
  case ValueType::I64:
  case ValueType::U64:
    return firstInteger<uint64_t>(values, begin, end);
  }
  return begin;
}

} // namespace spc::tensor
