// The evaluator's values, with what they may be off by.
#pragma once

#include "harness/dense_nodes.h"
#include "harness/number_types.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <stdexcept>
#include <utility>
#include <vector>

namespace spc::testing::evaluator {

using Element = std::complex<double>;

/// What may become of a value in a product: it is one number, or what it is multiplied with may be multiplied with its
/// addends instead. Of a product's sums one at most is open in the end: the others are computed as they are written.
enum class Openness { Number, Sum, Reduction };

/// A value, or nothing where an entry is missing.
struct Value {
  Element value = 0;
  double magnitude = 0; ///< of a number its own; of a sum that is open that of its addends
  double error = 0;     ///< of the value as it is written
  bool present = false; ///< it counts in sums and products
  bool stored = false;  ///< it may differ from what missing entries give
  double additions = 1; ///< how many products a sum that is open is the sum of
  double excess = 0;    ///< by how much more it may be off where it is multiplied out
  Openness openness = Openness::Number;
  bool settles = false; ///< it makes a product 0 whatever else is multiplied
};

/// The absolute value: std::abs takes the long way for what is real, too.
inline double sizeOf(const Element &value) {
  return value.imag() == 0 ? std::abs(value.real()) : std::abs(value);
}

/// A sum as the number that it is once it is computed apart: as it is written, or, what sum(...) is taken of, with its
/// addends added up apart.
inline Value asNumber(Value value) {
  if (value.openness == Openness::Reduction)
    value.error += value.excess;
  value.excess = 0;
  value.additions = 1;
  value.magnitude = sizeOf(value.value);
  value.openness = Openness::Number;
  return value;
}

/// What sum(...) gives is computed before the sum that it is an addend of.
inline Value addendOf(const Value &value) {
  return value.openness == Openness::Reduction ? asNumber(value) : value;
}

/// What a missing entry is: nothing, where that is a 0.
inline Value ofFill(double fill) {
  return fill == 0 ? Value{} : Value{fill, std::isinf(fill) ? 0 : std::abs(fill), 0, true, false};
}

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

/// What a product is off by whose factors are as large as `a` and `b` and off by `errorOfA` and `errorOfB`.
inline double errorOfProduct(double a, double errorOfA, double b, double errorOfB, double epsilon) {
  return a * errorOfB + b * errorOfA + errorOfA * errorOfB + epsilon * a * b;
}

/// What a factor that settles its product makes of it.
inline Value zeroOf(bool stored) {
  Value zero{0, 0, 0, true, stored};
  zero.settles = true;
  return zero;
}

/// A call's value, which has an element where a sparse operand does, or its fill is not 0.
inline Value filled(Value value, const Node &call, bool isStored) {
  value.stored = isStored;
  value.present = isStored || call.fill != 0.0;
  return value;
}

/// What a comparison of index variables is: where one that ties them is false, it is missing.
inline Value maskOf(bool isTrue, bool isTied) {
  Value mask{isTrue ? 1.0 : 0.0, isTrue ? 1.0 : 0.0, 0, isTrue || !isTied, isTrue};
  mask.settles = !isTrue;
  return mask;
}

/// The product of values of `type`, off by a relative `epsilon` of its own.
inline Value multiply(const Value &a, const Value &b, double epsilon, sema::ValueType type = sema::ValueType::F64) {
  if (!a.present || !b.present)
    return {};
  if (a.settles || b.settles)
    return zeroOf(a.stored || b.stored);
  if (a.openness != Openness::Number && b.openness != Openness::Number) {
    const bool areSums = a.openness == b.openness;
    const auto closed = [&](const Value &sum) {
      return areSums || sum.openness == Openness::Reduction ? asNumber(sum) : sum;
    };
    return multiply(closed(a), closed(b), epsilon, type);
  }
  const bool wraps = sema::isInteger(type) && sema::bytesOf(type) < 8;
  Value product{wraps ? wrappedProduct(a.value, b.value) : productOf(a.value, b.value),
                a.magnitude * b.magnitude,
                errorOfProduct(sizeOf(a.value), a.error, sizeOf(b.value), b.error, epsilon),
                true,
                a.stored || b.stored,
                a.additions * b.additions};
  product.openness = a.openness != Openness::Number ? a.openness : b.openness;
  if (product.openness != Openness::Number)
    product.excess = std::max(
        0.0, errorOfProduct(a.magnitude, a.error + a.excess, b.magnitude, b.error + b.excess, epsilon) - product.error);
  return product;
}

/// The quotient. A missing divisor can only be an empty sum, whose value is 0.
inline Value divide(const Value &a, const Value &b, double epsilon) {
  if (!a.present)
    return {};
  if (a.settles)
    return zeroOf(a.stored);
  const double divisor = sizeOf(b.value), offBy = asNumber(b).error;
  const auto errorOf = [&](double magnitude, double error) {
    return divisor > offBy ? (error + magnitude * offBy) / (divisor - offBy) + epsilon * magnitude
                           : std::numeric_limits<double>::infinity();
  };
  Value result{quotientOf(a.value, b.value),
               a.magnitude / divisor,
               errorOf(sizeOf(a.value) / divisor, a.error),
               true,
               a.stored || b.stored,
               a.additions};
  result.openness = a.openness;
  if (a.openness != Openness::Number && divisor > offBy)
    result.excess = std::max(0.0, errorOf(result.magnitude, a.error + a.excess) - result.error);
  return result;
}

/// What a value may be off by once it is stored, rounded once: the least numbers of f16 are far apart, too.
inline double storedError(const Value &value, sema::ValueType type) {
  const double spacing = type == sema::ValueType::F16 ? std::ldexp(1, -24) : 0;
  const double error = value.error + value.excess;
  return error + epsilonOf(type) * (sizeOf(value.value) + error) + spacing;
}

/// Visits the points of the variables' ranges, but none at which `enters`, asked once the first `outside` of them have
/// values, is false.
template <typename Enters, typename Visit>
void forEachPoint(std::vector<Variable> &variables, const std::vector<int> &loops, size_t outside, const Enters &enters,
                  const Visit &visit, size_t depth = 0) {
  if (depth == outside && !enters())
    return;
  if (depth == loops.size())
    return visit();
  Variable &variable = variables[static_cast<size_t>(loops[depth])];
  if (variable.extent < 0)
    throw std::runtime_error("an index variable has no extent");
  for (variable.at = 0; variable.at < variable.extent; ++variable.at)
    forEachPoint(variables, loops, outside, enters, visit, depth + 1);
}

/// Visits every point of the variables' ranges.
template <typename Visit>
void forEachPoint(std::vector<Variable> &variables, const std::vector<int> &loops, const Visit &visit) {
  forEachPoint(variables, loops, loops.size(), [] { return true; }, visit);
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
    total_.excess += value.excess;
    written_ += sizeOf(value.value);
    count_ += value.additions;
  }

  /// Of numbers of a type. The ends of 64 bits are infinities here, whose sums cannot be worked out.
  Value total(double epsilon, sema::ValueType type, Openness openness) const {
    Value result = total_;
    if (sema::isInteger(type) && addends_ > 1 && !isFinite(result.value)) {
      result.value = 0;
      result.error = std::numeric_limits<double>::infinity();
    }
    const double added = epsilon * static_cast<double>(addends_) * written_;
    result.error += added;
    result.excess += std::max(0.0, epsilon * count_ * result.magnitude - added);
    result.additions = std::max(1.0, count_);
    result.openness = openness;
    return openness == Openness::Number ? asNumber(result) : result;
  }

private:
  Value total_;
  int64_t addends_ = 0;
  double written_ = 0; ///< the sum of the addends' absolute values
  double count_ = 0;   ///< of products, once everything is multiplied out
};

} // namespace spc::testing::evaluator
