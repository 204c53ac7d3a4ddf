#include "support/data.h"

#include <algorithm>
#include <limits>

namespace spc::testing {

uint64_t Random::next() {
  uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

int64_t Random::below(int64_t bound) {
  return static_cast<int64_t>(next() % static_cast<uint64_t>(bound));
}

double Random::unit() {
  return static_cast<double>(next() >> 11) * 0x1p-53;
}

double Random::value(sema::ValueType type) {
  const double magnitude = 0.5 + 1.5 * unit();
  const double signedValue = below(2) ? magnitude : -magnitude;
  return type == sema::ValueType::F32 ? static_cast<double>(static_cast<float>(signedValue)) : signedValue;
}

const char *spelling(Fill fill) {
  static constexpr const char *names[] = {"random",     "empty",      "full",         "one row",
                                          "one column", "empty rows", "stored zeros", "diagonal"};
  return names[static_cast<size_t>(fill)];
}

bool advance(std::vector<int64_t> &coordinates, const std::vector<int64_t> &shape) {
  for (size_t dim = shape.size(); dim-- > 0;) {
    if (++coordinates[dim] < shape[dim])
      return true;
    coordinates[dim] = 0;
  }
  return false;
}

bool hasElements(const std::vector<int64_t> &shape) {
  return std::find(shape.begin(), shape.end(), 0) == shape.end();
}

int64_t offsetOf(const int64_t *coordinates, const std::vector<int64_t> &shape) {
  int64_t offset = 0;
  for (size_t dim = 0; dim < shape.size(); ++dim)
    offset = offset * shape[dim] + coordinates[dim];
  return offset;
}

tensor::Coordinates sparseEntries(const std::vector<int64_t> &shape, Fill fill, sema::ValueType type, Random &random) {
  tensor::Coordinates entries;
  entries.shape = shape;
  if (!hasElements(shape))
    return entries;
  const int64_t row = shape.empty() ? 0 : random.below(shape.front());
  const int64_t column = shape.empty() ? 0 : random.below(shape.back());
  auto isStored = [&](const std::vector<int64_t> &at) {
    switch (fill) {
    case Fill::Random:
      return random.below(3) == 0;
    case Fill::Empty:
      return false;
    case Fill::Full:
      return true;
    case Fill::OneRow:
      return at.front() == row;
    case Fill::OneColumn:
      return at.back() == column;
    case Fill::EmptyRows:
      return at.front() % 2 == 1;
    case Fill::StoredZeros:
      return random.below(2) == 0;
    case Fill::Diagonal:
      return std::adjacent_find(at.begin(), at.end(), std::not_equal_to<>()) == at.end();
    }
    return false;
  };
  std::vector<int64_t> at(shape.size(), 0);
  do {
    if (!isStored(at))
      continue;
    entries.coordinates.insert(entries.coordinates.end(), at.begin(), at.end());
    const bool isZero = fill == Fill::StoredZeros && random.below(3) == 0;
    entries.values.push_back(isZero ? 0 : random.value(type));
  } while (advance(at, shape));
  return entries;
}

tensor::Coordinates denseEntries(const std::vector<int64_t> &shape, bool nonFinite, sema::ValueType type,
                                 Random &random) {
  tensor::Coordinates entries = sparseEntries(shape, Fill::Full, type, random);
  static constexpr double specials[] = {std::numeric_limits<double>::infinity(),
                                        -std::numeric_limits<double>::infinity(),
                                        std::numeric_limits<double>::quiet_NaN()};
  if (nonFinite)
    for (double &value : entries.values)
      if (random.below(4) == 0)
        value = specials[random.below(3)];
  return entries;
}

} // namespace spc::testing
