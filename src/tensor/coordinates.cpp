#include "tensor/tensor.h"

namespace spc::tensor {

Number Coordinates::value(size_t entry) const {
  return {values[entry], imaginary.empty() ? 0 : imaginary[entry]};
}

void Coordinates::append(const int64_t *at, Number value) {
  coordinates.insert(coordinates.end(), at, at + shape.size());
  if (value.imaginary != 0)
    imaginary.resize(values.size());
  if (value.imaginary != 0 || !imaginary.empty())
    imaginary.push_back(value.imaginary);
  values.push_back(value.real);
}

} // namespace spc::tensor
