#include "harness/comparison.h"

#include "harness/data.h"

#include <cstring>
#include <sstream>

namespace spc::testing {

bool isSame(const tensor::Coordinates &a, const tensor::Coordinates &b) {
  const auto isSame = [](const std::vector<double> &x, const std::vector<double> &y) {
    return x.size() == y.size() && (x.empty() || std::memcmp(x.data(), y.data(), 8 * x.size()) == 0);
  };
  return a.coordinates == b.coordinates && isSame(a.values, b.values) && isSame(a.imaginary, b.imaginary);
}

std::string elementText(const std::string &name, const int64_t *coordinates, size_t order) {
  std::ostringstream text;
  text << name;
  for (size_t dim = 0; dim < order; ++dim)
    text << (dim == 0 ? "(" : ",") << coordinates[dim] << (dim + 1 == order ? ")" : "");
  return text.str();
}

std::string compareElement(std::complex<double> actual, const DenseTensor &expected, size_t at) {
  if (matches(actual, expected.values[at], expected.errors[at]))
    return {};
  std::ostringstream text;
  text.precision(17);
  text << " is " << actual << ", expected " << expected.values[at] << " up to " << expected.errors[at];
  return text.str();
}

std::string compareValues(const std::string &name, const tensor::Coordinates &actual, const DenseTensor &expected) {
  const size_t order = expected.shape.size();
  for (size_t entry = 0; entry < actual.size(); ++entry) {
    const int64_t *coordinates = actual.coordinates.data() + entry * order;
    const auto at = static_cast<size_t>(offsetOf(coordinates, expected.shape));
    const std::complex<double> value(actual.value(entry).real, actual.value(entry).imaginary);
    if (std::string difference = compareElement(value, expected, at); !difference.empty())
      return elementText(name, coordinates, order) + difference;
  }
  return {};
}

} // namespace spc::testing
