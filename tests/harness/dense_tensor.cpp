#include "harness/dense_evaluator.h"
#include "harness/dense_values.h"

#include <cmath>

namespace spc::testing {

int64_t DenseTensor::size() const {
  int64_t size = 1;
  for (int64_t extent : shape)
    size *= extent;
  return size;
}

bool matches(std::complex<double> actual, std::complex<double> expected, double error) {
  if (!evaluator::isFinite(expected))
    return !evaluator::isFinite(actual);
  if (std::isinf(error) || std::isnan(error))
    return true;
  return std::abs(actual - expected) <= error;
}

} // namespace spc::testing
