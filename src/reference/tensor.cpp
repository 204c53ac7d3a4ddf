#include "reference/reference.h"

#include "tensor/numbers.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_set>

namespace spc::reference {

namespace {

constexpr int64_t kMostDense = 1 << 23; ///< elements of an array
constexpr double kUncertain = std::numeric_limits<double>::infinity();

int64_t countOf(const std::vector<int64_t> &shape) {
  int64_t count = 1;
  for (int64_t extent : shape)
    if (__builtin_mul_overflow(count, std::max<int64_t>(extent, 1), &count))
      throw Unsupported("evaluate tensors of more than 2^63 elements");
  return std::find(shape.begin(), shape.end(), 0) == shape.end() ? count : 0;
}

/// As the type holds it: integers wrap around, anything but 0 is true.
double heldBy(sema::ValueType type, double number) {
  if (type == sema::ValueType::Bool)
    return number != 0 ? 1 : 0;
  if (!sema::isInteger(type) || !std::isfinite(number))
    return number;
  const double modulus = std::ldexp(1, 8 * sema::bytesOf(type)), least = sema::isUnsigned(type) ? 0 : -modulus / 2;
  return number - modulus * std::floor((number - least) / modulus);
}

double largestOf(sema::ValueType type) {
  switch (type) {
  case sema::ValueType::F16:
    return 65504;
  case sema::ValueType::BF16:
  case sema::ValueType::F32:
  case sema::ValueType::CF32:
    return std::numeric_limits<float>::max();
  default:
    return sema::isInteger(type) ? 0x1p53 : std::numeric_limits<double>::max();
  }
}

/// How far the numbers next to 0 are apart.
double spacingOf(sema::ValueType type) {
  return type == sema::ValueType::F16                             ? 0x1p-24
         : sema::isInteger(type) || type == sema::ValueType::Bool ? 0
                                                                  : std::numeric_limits<float>::min();
}

} // namespace

double epsilonOf(sema::ValueType type) {
  switch (type) {
  case sema::ValueType::F16:
    return 0x1p-10;
  case sema::ValueType::BF16:
    return 0x1p-7;
  case sema::ValueType::F32:
    return 0x1p-23;
  case sema::ValueType::CF32:
    return 0x1p-21;
  case sema::ValueType::F64:
    return 0x1p-52;
  case sema::ValueType::CF64:
    return 0x1p-50;
  default:
    return 0;
  }
}

Tensor::Tensor(std::vector<int64_t> shape, sema::ValueType type, bool isSparse, double fill)
    : shape_(std::move(shape)), type_(type), isSparse_(isSparse), fill_(fill) {
  const int64_t count = countOf(shape_);
  if (!isSparse_ && count <= kMostDense)
    dense_.resize(static_cast<size_t>(count));
}

void Tensor::fill(tensor::Coordinates entries) {
  tensor::sortAndSum(entries, type_);
  const size_t order = shape_.size();
  for (size_t e = 0; e < entries.size(); ++e) {
    int64_t place = 0;
    for (size_t dim = 0; dim < order; ++dim)
      place = place * shape_[dim] + entries.coordinates[e * order + dim];
    alignas(16) unsigned char stored[16];
    tensor::Number number = entries.value(e);
    if (tensor::storeNumber(stored, type_, 0, number))
      number = tensor::loadNumber(stored, type_, 0);
    Value value;
    value.number = {number.real, number.imaginary};
    value.magnitude = std::abs(value.number);
    set(place, value);
  }
}

Value Tensor::at(int64_t place) const {
  if (!dense_.empty())
    return dense_[static_cast<size_t>(place)];
  const auto found = table_.find(place);
  if (found != table_.end())
    return found->second;
  Value value;
  value.number = isSparse_ ? fill_ : 0;
  value.magnitude = std::isinf(fill_) ? 0 : std::abs(value.number);
  value.isMissing = isSparse_ && fill_ == 0;
  return value;
}

bool Tensor::isStored(int64_t place) const {
  return !isSparse_ || table_.contains(place);
}

void Tensor::set(int64_t place, const Value &value) {
  Value held = value;
  held.isMissing = false;
  held.error += epsilonOf(type_) * std::abs(held.number);
  if (sema::isInteger(type_) && !(held.magnitude < 0x1p53))
    held.error = kUncertain;
  if (!sema::isComplex(type_))
    held.number = heldBy(type_, held.number.real());
  (dense_.empty() ? table_[place] : dense_[static_cast<size_t>(place)]) = held;
}

std::vector<int64_t> Tensor::places() const {
  std::vector<int64_t> all;
  for (size_t place = 0; place < dense_.size(); ++place)
    all.push_back(static_cast<int64_t>(place));
  for (const auto &[place, value] : table_)
    all.push_back(place);
  return all;
}

namespace {

class Comparer {
public:
  explicit Comparer(const Tensor &expected) : expected_(expected) {}

  Comparison run(const tensor::Coordinates &entries) {
    std::unordered_set<int64_t> seen;
    const size_t order = expected_.shape().size();
    for (size_t e = 0; e < entries.size(); ++e) {
      int64_t place = 0;
      for (size_t dim = 0; dim < order; ++dim)
        place = place * expected_.shape()[dim] + entries.coordinates[e * order + dim];
      seen.insert(place);
      const tensor::Number number = entries.value(e);
      look(place, {number.real, number.imaginary});
    }
    for (int64_t place : expected_.places())
      if (!seen.contains(place))
        look(place, expected_.isSparse() ? expected_.missing() : 0);
    return std::move(result_);
  }

private:
  void look(int64_t place, std::complex<double> actual) {
    const Value wanted = expected_.at(place);
    const double size = std::abs(wanted.number);
    const double allowed = wanted.error + spacingOf(expected_.type());
    ++result_.compared;
    const bool isAnything = !(size + allowed < largestOf(expected_.type()));
    if (isAnything || actual == wanted.number)
      return;
    const double difference = std::abs(actual - wanted.number);
    result_.largest = std::max(result_.largest, difference);
    if (difference <= allowed)
      return;
    std::vector<int64_t> at(expected_.shape().size());
    for (size_t dim = at.size(); dim-- > 0; place /= expected_.shape()[dim])
      at[dim] = place % expected_.shape()[dim];
    if (result_.firstWrong && *result_.firstWrong < at)
      return;
    result_.firstWrong = at;
    result_.actual = actual;
    result_.wanted = wanted.number;
    result_.allowed = allowed;
  }

  const Tensor &expected_;
  Comparison result_;
};

} // namespace

Comparison compare(const Tensor &expected, const tensor::Coordinates &entries) {
  return Comparer(expected).run(entries);
}

} // namespace spc::reference
