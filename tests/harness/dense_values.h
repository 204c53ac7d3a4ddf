// The evaluator's values, with what they may be off by.
#pragma once

#include "harness/dense_nodes.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <stdexcept>
#include <utility>
#include <vector>

namespace spc::testing::evaluator {

using Element = std::complex<double>;

/// A value, or nothing where an entry is missing.
struct Value {
  Element value = 0;
  double magnitude = 0; ///< the same expression over absolute values, every difference read as a sum
  double error = 0;
  bool present = false; ///< it counts in sums and products
  bool stored = false;  ///< it may differ from what missing entries give
  double additions = 1; ///< how many products it is the sum of, once everything is multiplied out
};

inline bool isReal(const Element &a, const Element &b) {
  return a.imag() == 0 && b.imag() == 0;
}

/// Of integers, their product's lowest 32 bits: a double does not hold 64.
inline Element wrappedProduct(Element a, Element b) {
  if (!(std::abs(a.real()) < 0x1p53 && std::abs(b.real()) < 0x1p53))
    return a * b;
  const auto bits = [](Element number) { return static_cast<uint64_t>(static_cast<int64_t>(number.real())); };
  return static_cast<double>(static_cast<uint32_t>(bits(a) * bits(b)));
}

/// An infinity times a real number makes no imaginary part.
inline Element productOf(const Element &a, const Element &b) {
  return isReal(a, b) ? Element(a.real() * b.real()) : a * b;
}

inline Element quotientOf(const Element &a, const Element &b) {
  return isReal(a, b) ? Element(a.real() / b.real()) : a / b;
}

/// The greater of two bounds; one that is no number bounds nothing.
inline double worse(double a, double b) {
  return std::isnan(a) || std::isnan(b) ? std::numeric_limits<double>::infinity() : std::max(a, b);
}

inline bool isFinite(const Element &value) {
  return std::isfinite(value.real()) && std::isfinite(value.imag());
}

/// The product of values of `type`, off by a relative `epsilon` of its own.
inline Value multiply(const Value &a, const Value &b, double epsilon, sema::ValueType type = sema::ValueType::F64) {
  if (!a.present || !b.present)
    return {};
  const double magnitude = a.magnitude * b.magnitude;
  const double error = a.magnitude * b.error + b.magnitude * a.error + a.error * b.error + epsilon * magnitude;
  const bool wraps = sema::isInteger(type) && sema::bytesOf(type) < 8;
  const Element product = wraps ? wrappedProduct(a.value, b.value) : productOf(a.value, b.value);
  return {product, magnitude, error, true, a.stored || b.stored, a.additions * b.additions};
}

/// The quotient. A missing divisor can only be an empty sum, whose value is 0.
inline Value divide(const Value &a, const Value &b, double epsilon) {
  if (!a.present)
    return {};
  const double divisor = std::abs(b.value);
  const double magnitude = a.magnitude / divisor;
  double error = std::numeric_limits<double>::infinity();
  if (divisor > b.error)
    error = (a.error + magnitude * b.error) / (divisor - b.error) + epsilon * magnitude;
  return {quotientOf(a.value, b.value), magnitude, error, true, a.stored || b.stored, a.additions};
}

/// What a value may be off by once it is stored: the least numbers of f16 are far apart, too.
inline double storedError(const Value &value, sema::ValueType type, double epsilon) {
  const double spacing = type == sema::ValueType::F16 ? std::ldexp(1, -24) : 0;
  return value.error + epsilon * std::abs(value.value) + spacing * value.additions;
}

/// Visits every point of the variables' ranges.
template <typename Visit>
void forEachPoint(std::vector<Variable> &variables, const std::vector<int> &loops, Visit visit, size_t depth = 0) {
  if (depth == loops.size())
    return visit();
  Variable &variable = variables[static_cast<size_t>(loops[depth])];
  if (variable.extent < 0)
    throw std::runtime_error("an index variable has no extent");
  for (variable.at = 0; variable.at < variable.extent; ++variable.at)
    forEachPoint(variables, loops, visit, depth + 1);
}

/// Sets whether what is evaluated is a factor or an addend of a statement or of a sum, as long as it lives.
class Within {
public:
  Within(bool &isTerm, bool value) : isTerm_(isTerm), before_(std::exchange(isTerm, value)) {}
  ~Within() { isTerm_ = before_; }
  Within(const Within &) = delete;
  Within &operator=(const Within &) = delete;

private:
  bool &isTerm_;
  bool before_;
};

/// Adds up values, the missing ones left out.
class Accumulator {
public:
  void add(const Value &value, bool isNegated = false) {
    if (!value.present)
      return;
    ++addends_;
    total_.present = true;
    total_.stored |= value.stored;
    total_.value += isNegated ? -value.value : value.value;
    total_.magnitude += value.magnitude;
    total_.error += value.error;
    count_ += value.additions;
  }

  /// Of numbers of a type. The ends of 64 bits are infinities here, whose sums cannot be worked out.
  Value total(double epsilon, sema::ValueType type) const {
    Value result = total_;
    if (sema::isInteger(type) && addends_ > 1 && !isFinite(result.value)) {
      result.value = 0;
      result.error = std::numeric_limits<double>::infinity();
    }
    result.error += epsilon * count_ * result.magnitude;
    result.additions = std::max(1.0, count_);
    return result;
  }

private:
  Value total_;
  int64_t addends_ = 0;
  double count_ = 0; ///< of products, once everything is multiplied out
};

} // namespace spc::testing::evaluator
