#include "reference/nodes.h"

#include "tensor/numbers.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_set>

namespace spc::reference {

namespace {

constexpr int64_t kMostDense = 1 << 23; ///< elements of an array

int64_t countOf(const std::vector<int64_t> &shape) {
  int64_t count = 1;
  for (int64_t extent : shape)
    if (__builtin_mul_overflow(count, std::max<int64_t>(extent, 1), &count))
      throw Unsupported("evaluate tensors of more than 2^63 elements");
  return std::find(shape.begin(), shape.end(), 0) == shape.end() ? count : 0;
}

} // namespace

double spacingOf(sema::ValueType type) {
  switch (type) {
  case sema::ValueType::F16:
    return 0x1p-24;
  case sema::ValueType::F64:
  case sema::ValueType::CF64:
    return std::numeric_limits<double>::min();
  default:
    return isExact(type) ? 0 : std::numeric_limits<float>::min();
  }
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
    return std::numeric_limits<double>::max();
  }
}

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

Tensor::Tensor(std::vector<int64_t> shape, sema::ValueType type, bool isSparse, double fill, bool isComputed)
    : shape_(std::move(shape)), type_(type), isSparse_(isSparse), fill_(fill), isComputed_(isComputed),
      missing_(numberIn(type, isSparse ? fill : 0)) {
  missing_.isMissing = isSparse && fill == 0;
  const int64_t count = countOf(shape_);
  if (!isSparse_ && count <= kMostDense)
    dense_.resize(static_cast<size_t>(count));
}

Value elementOf(sema::ValueType type, tensor::Number number) {
  if (isExact(type)) {
    const std::optional<tensor::Integer> integer = tensor::toInteger(number);
    return integer ? wrapped(type, static_cast<uint64_t>(*integer), true) : numberIn(type, number.real);
  }
  alignas(16) unsigned char stored[16];
  if (tensor::storeNumber(stored, type, 0, number))
    number = tensor::loadNumber(stored, type, 0);
  Value value;
  value.number = {number.real, number.imaginary};
  value.magnitude = std::isfinite(std::abs(value.number)) ? std::abs(value.number) : 0;
  return value;
}

void Tensor::fill(tensor::Coordinates entries) {
  const size_t given = entries.size();
  tensor::sortAndSum(entries, type_);
  const bool isSummed = entries.size() < given; // whose order is not the kernel's
  const size_t order = shape_.size();
  for (size_t e = 0; e < entries.size(); ++e) {
    int64_t place = 0;
    for (size_t dim = 0; dim < order; ++dim)
      place = place * shape_[dim] + entries.coordinates[e * order + dim];
    Value element = elementOf(type_, entries.value(e));
    if (isSummed)
      element.error = epsilonOf(type_) * element.magnitude;
    hasNonFinite_ = hasNonFinite_ || !std::isfinite(std::abs(element.number));
    put(place, std::move(element));
  }
}

Value Tensor::at(int64_t place) const {
  if (!dense_.empty())
    return dense_[static_cast<size_t>(place)];
  const auto found = table_.find(place);
  return found != table_.end() ? found->second : missing_;
}

bool Tensor::isStored(int64_t place) const {
  if (!isSparse_)
    return true;
  const auto found = table_.find(place);
  return found != table_.end() && !(isPadded_ && found->second.number == 0.0);
}

void Tensor::set(int64_t place, const Value &value) {
  Value held = value;
  held.isMissing = false;
  if (!isExact(type_)) {
    if (!sema::isComplex(type_))
      held.number = held.number.real();
    const double size = std::abs(held.number);
    if (std::isfinite(size))
      held.error += epsilonOf(type_) * size + (size * epsilonOf(type_) < spacingOf(type_) ? spacingOf(type_) : 0);
    held.magnitude = std::isfinite(size) ? size + held.error : 0;
    held.addends = 1;
  }
  put(place, std::move(held));
}

void Tensor::put(int64_t place, Value value) {
  (dense_.empty() ? table_[place] : dense_[static_cast<size_t>(place)]) = std::move(value);
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
      look(place, elementOf(expected_.type(), entries.value(e)));
    }
    for (int64_t place : expected_.places())
      if (!seen.contains(place))
        look(place, expected_.missing());
    return std::move(result_);
  }

private:
  void look(int64_t place, const Value &actual) {
    const Value wanted = expected_.at(place);
    const double allowed = wanted.error + spacingOf(expected_.type());
    const bool isSame = isExact(expected_.type()) ? isOneOf(actual.integer, wanted) : actual.number == wanted.number;
    // Another order of additions makes a NaN of infinities, never a number.
    const bool isNoNumber = !std::isfinite(std::abs(wanted.number)) && wanted.error == 0;
    const bool isAnything = !isNoNumber && !(std::abs(wanted.number) + allowed < largestOf(expected_.type()));
    if (isAnything && !(isSame && std::isfinite(allowed))) {
      ++result_.uncertain;
      return;
    }
    ++result_.compared;
    if (isSame || (isNoNumber && !std::isfinite(std::abs(actual.number))))
      return;
    const double difference = std::abs(actual.number - wanted.number);
    result_.largest = std::max(result_.largest, difference);
    if (!isExact(expected_.type()) && difference <= allowed)
      return;
    std::vector<int64_t> at(expected_.shape().size());
    for (size_t dim = at.size(); dim-- > 0; place /= expected_.shape()[dim])
      at[dim] = place % expected_.shape()[dim];
    if (result_.firstWrong && *result_.firstWrong < at)
      return;
    result_.firstWrong = at;
    result_.actual = numberOf(actual);
    result_.wanted = numberOf(wanted);
    result_.allowed = allowed;
  }

  static bool isOneOf(int64_t integer, const Value &wanted) {
    return integer == wanted.integer ||
           (wanted.alternatives &&
            std::find(wanted.alternatives->begin(), wanted.alternatives->end(), integer) != wanted.alternatives->end());
  }

  tensor::Number numberOf(const Value &value) const {
    if (!isExact(expected_.type()))
      return {value.number.real(), value.number.imag()};
    return tensor::fromInteger(expected_.type() == sema::ValueType::U64
                                   ? tensor::Integer{static_cast<uint64_t>(value.integer)}
                                   : tensor::Integer{value.integer});
  }

  const Tensor &expected_;
  Comparison result_;
};

} // namespace

Comparison compare(const Tensor &expected, const tensor::Coordinates &entries) {
  return Comparer(expected).run(entries);
}

} // namespace spc::reference
