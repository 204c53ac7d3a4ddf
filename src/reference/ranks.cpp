#include "reference/ranks.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace spc::reference {

using language::Function;
using sema::ValueType;

Ranks::Ranks(std::vector<Value> values, std::vector<int64_t> row, language::Reduction kind, ValueType type)
    : values_(std::move(values)), row_(std::move(row)), isLeast_(language::ranksLeast(kind)), type_(type),
      order_(values_.size()) {
  std::iota(order_.begin(), order_.end(), size_t{0});
  std::stable_sort(order_.begin(), order_.end(), [&](size_t one, size_t other) { return isBefore(one, other); });
  const double sign = isLeast_ ? 1 : -1; // so that the least comes first
  for (const Value &value : values_) {
    const double number = value.number.real();
    isCertain_ = isCertain_ && !value.alternatives && (!isExact(type_) || value.error == 0);
    error_ = std::max(error_, value.error);
    const bool isNaN = std::isnan(number); // comes before all numbers
    least_.push_back(isNaN ? -std::numeric_limits<double>::infinity() : sign * number - value.error);
    most_.push_back(isNaN ? -std::numeric_limits<double>::infinity() : sign * number + value.error);
  }
  std::sort(least_.begin(), least_.end());
  std::sort(most_.begin(), most_.end());
}

bool Ranks::isBefore(size_t one, size_t other) const {
  const Value &a = values_[one], &b = values_[other];
  if (isExact(type_))
    return callOf(isLeast_ ? Function::Less : Function::Greater, {a, b}, {type_, type_}, ValueType::Bool).integer != 0;
  const double x = a.number.real(), y = b.number.real();
  if (std::isnan(x) || std::isnan(y))
    return std::isnan(x) && !std::isnan(y);
  return isLeast_ ? x < y : x > y;
}

Value Ranks::value(int64_t rank) const {
  if (static_cast<size_t>(rank) >= order_.size())
    return numberIn(type_, isLeast_ ? HUGE_VAL : type_ == ValueType::Bool ? 0 : -HUGE_VAL);
  Value result = values_[order_[static_cast<size_t>(rank)]];
  result.isMissing = false;
  result.error = error_;
  if (!isCertain_)
    return converted(wrapped(ValueType::I64, 0, false), ValueType::I64, type_);
  return result;
}

Value Ranks::place(int64_t rank, ValueType type) const {
  constexpr size_t kMostCandidates = 64;
  if (static_cast<size_t>(rank) >= order_.size())
    return numberIn(type, HUGE_VAL);
  std::vector<int64_t> others;
  const size_t first = order_[static_cast<size_t>(rank)];
  if (error_ > 0)
    for (size_t place = 0; place < values_.size(); ++place) {
      const double number = (isLeast_ ? 1 : -1) * values_[place].number.real();
      const bool mayBe = number + values_[place].error >= least_[static_cast<size_t>(rank)] &&
                         number - values_[place].error <= most_[static_cast<size_t>(rank)];
      if (place != first && mayBe)
        others.push_back(static_cast<int64_t>(place));
    }
  const bool isKnown = isCertain_ && others.size() < kMostCandidates;
  Value result = wrapped(ValueType::I64, static_cast<uint64_t>(first), isKnown);
  if (isKnown && !others.empty())
    result.alternatives = std::make_shared<const std::vector<int64_t>>(std::move(others));
  return converted(result, ValueType::I64, type);
}

} // namespace spc::reference
