#include "tensor/tensor.h"

namespace spc::tensor {

Number Coordinates::value(size_t entry) const {
  return {values[entry], imaginary.empty() ? 0 : imaginary[entry], rests.empty() ? int16_t{0} : rests[entry]};
}

void Coordinates::append(const int64_t *at, Number value) {
  for (size_t dim = 0; dim < shape.size(); ++dim) // far faster than insert() for so few
    coordinates.push_back(at[dim]);
  appendValue(value);
}

void Coordinates::appendValue(Number value) {
  if (value.imaginary != 0)
    imaginary.resize(values.size());
  if (value.imaginary != 0 || !imaginary.empty())
    imaginary.push_back(value.imaginary);
  if (value.rest != 0)
    rests.resize(values.size());
  if (value.rest != 0 || !rests.empty())
    rests.push_back(value.rest);
  values.push_back(value.real);
}

} // namespace spc::tensor
