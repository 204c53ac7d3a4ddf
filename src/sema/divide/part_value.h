// What a value is where each process computes it from its part of the data, and what becomes of that in operations.
#pragma once

#include "sema/expression.h"
#include "sema/tree.h"

#include <string>

namespace spc::sema {

struct PartValue {
  enum class Kind {
    Same,    ///< all parts have the value that the whole has
    Slice,   ///< at each coordinate of a part the value that the whole has there
    Partial, ///< a reduction of all parts' values is the value that the whole has
    Refused,
  };
  Kind kind = Kind::Same;
  VariableId along = {};         ///< of Slice: the variable whose coordinates these are
  Reduction by = Reduction::Sum; ///< of Partial: Sum, Product, Min, Max, Any or All
  std::string reason = {};       ///< of Refused

  bool isSame() const { return kind == Kind::Same; }
  bool isSlice() const { return kind == Kind::Slice; }
  bool isPartial() const { return kind == Kind::Partial; }
  bool isPartial(Reduction reduction) const { return isPartial() && by == reduction; }
  bool isRefused() const { return kind == Kind::Refused; }

  static PartValue slice(VariableId along) { return {Kind::Slice, along}; }
  static PartValue partial(Reduction by) { return {Kind::Partial, {}, by}; }
  static PartValue refused(std::string reason) { return {Kind::Refused, {}, {}, std::move(reason)}; }
};

/// The operations on values of parts where `index` is divided.
class PartArithmetic {
public:
  explicit PartArithmetic(std::string index) : index_(std::move(index)) {}

  /// Of an operation on elements without any sums behind it: it may do what it likes.
  PartValue joined(const PartValue &one, const PartValue &other) const;
  PartValue sum(const PartValue &left, const PartValue &right, BinaryOp op, ValueType type) const;
  PartValue product(const PartValue &left, const PartValue &right, ValueType type) const;
  PartValue quotient(const PartValue &left, const PartValue &right) const;
  PartValue negative(PartValue value, ValueType type) const;
  /// The same times a number that is known.
  PartValue scaled(PartValue value, double factor, ValueType type) const;
  /// The least or greatest of two, or what `any` and `all` make of them.
  PartValue extreme(const PartValue &one, const PartValue &other, Reduction reduction) const;
  PartValue converted(PartValue value, ValueType from, ValueType to) const;
  PartValue inverted(const PartValue &value) const;
  /// Over variables that are not divided.
  PartValue reduced(PartValue value, Reduction reduction, ValueType type) const;
  /// Over a variable that is divided.
  PartValue reducedAlong(const PartValue &value, VariableId along, Reduction reduction, ValueType type) const;

  /// "the sum over 'i'", of a value that is partial
  std::string nameOf(const PartValue &value) const;

private:
  std::string index_;
};

/// The reduction that another one is in a type: sums of bools ask whether any is true.
Reduction reductionIn(Reduction reduction, ValueType type);

/// Whether a function of one number never falls, and is defined for all numbers.
bool isMonotone(Function function);

} // namespace spc::sema
