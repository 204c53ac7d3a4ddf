#include "tensor/tensor.h"

#include <algorithm>
#include <cmath>

namespace spc::tensor {

std::optional<int64_t> elementCount(const std::vector<int64_t> &shape) {
  if (std::find(shape.begin(), shape.end(), 0) != shape.end())
    return 0;
  int64_t elements = 1;
  for (int64_t extent : shape)
    if (__builtin_mul_overflow(elements, extent, &elements))
      return std::nullopt;
  return elements;
}

Number Coordinates::value(size_t entry) const {
  return {values[entry], imaginary.empty() ? 0 : imaginary[entry], rests.empty() ? int16_t{0} : rests[entry]};
}

void Coordinates::append(const int64_t *at, Number value) {
  for (size_t dim = 0; dim < shape.size(); ++dim) // far faster than insert() for so few
    coordinates.push_back(at[dim]);
  appendValue(value);
}

void Coordinates::appendValue(Number value) {
  const bool hasImaginary = value.imaginary != 0 || std::signbit(value.imaginary);
  if (hasImaginary)
    imaginary.resize(values.size());
  if (hasImaginary || !imaginary.empty())
    imaginary.push_back(value.imaginary);
  if (value.rest != 0)
    rests.resize(values.size());
  if (value.rest != 0 || !rests.empty())
    rests.push_back(value.rest);
  values.push_back(value.real);
}

void Coordinates::dropZeros() {
  const size_t order = shape.size();
  size_t kept = 0;
  for (size_t e = 0; e < size(); ++e) {
    if (value(e) == Number())
      continue;
    for (size_t dim = 0; dim < order; ++dim)
      coordinates[kept * order + dim] = coordinates[e * order + dim];
    values[kept] = values[e];
    if (!imaginary.empty())
      imaginary[kept] = imaginary[e];
    if (!rests.empty())
      rests[kept] = rests[e];
    ++kept;
  }
  coordinates.resize(kept * order);
  values.resize(kept);
  imaginary.resize(imaginary.empty() ? 0 : kept);
  rests.resize(rests.empty() ? 0 : kept);
}

} // namespace spc::tensor
