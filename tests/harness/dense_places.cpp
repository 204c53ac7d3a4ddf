#include "harness/dense_places.h"

#include "harness/number_types.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace spc::testing::evaluator {
namespace {

/// A place, which is known only where all values are.
Value placeAt(double at, const std::vector<Value> &values) {
  double error = 0;
  for (const Value &value : values)
    error = worse(error, value.error);
  return {at, std::isinf(at) ? 0 : at, error > 0 ? kInf : 0, true, true};
}

/// Of nothing a place is the greatest number of the type in which it is computed, which another type need not hold.
Value noPlace(const Node &node, sema::ValueType type) {
  const double at = endOf(node.type, false);
  return {at, std::isinf(at) ? 0 : at, sema::isInteger(node.type) && node.type != type ? kInf : 0, true, true};
}

} // namespace

Value firstPlace(const Node &node, const std::vector<Value> &values, sema::ValueType type) {
  if (values.empty())
    return noPlace(node, type);
  size_t best = 0;
  for (size_t k = 1; k < values.size(); ++k) {
    const double value = values[k].value.real(), before = values[best].value.real();
    const bool isBetter = node.reduction == language::Reduction::ArgMin ? value < before : value > before;
    if (!std::isnan(before) && (std::isnan(value) || isBetter))
      best = k;
  }
  return placeAt(static_cast<double>(best), values);
}

Value atRank(const Node &node, const std::vector<Value> &values, int64_t rank, sema::ValueType type) {
  using language::Reduction;
  const bool isPlace = node.reduction == Reduction::ArgTop || node.reduction == Reduction::ArgBottom;
  const bool isLeast = node.reduction == Reduction::Bottom || node.reduction == Reduction::ArgBottom;
  if (rank >= static_cast<int64_t>(values.size())) {
    if (isPlace)
      return noPlace(node, type);
    const double end = endOf(node.type, !isLeast);
    return {end, std::isinf(end) ? 0 : std::abs(end), 0, true, true};
  }
  std::vector<size_t> order(values.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t one, size_t other) {
    const double x = values[one].value.real(), y = values[other].value.real();
    if (std::isnan(x) || std::isnan(y))
      return std::isnan(x) && !std::isnan(y);
    return isLeast ? x < y : x > y;
  });
  const size_t at = order[static_cast<size_t>(rank)];
  if (isPlace)
    return placeAt(static_cast<double>(at), values);
  Value value = values[at];
  for (const Value &other : values)
    value.error = worse(value.error, other.error);
  value.present = value.stored = true;
  return value;
}

} // namespace spc::testing::evaluator
