// The factors of which an addend of a derivative is the product. Private to this folder.
#pragma once

#include "grad/partials.h"

namespace spc::grad {

/// The factors of a product, sorted by where they may stand.
class Factors {
public:
  explicit Factors(const Program &program) : program_(program) {}

  /// Adds one, taken apart where it is a product, a quotient or a negation.
  void add(const Factor &one);

  /// Puts what stands behind conditions in place: where they do not hold, it is not computed with.
  void closeConditions();

  /// A count that is divided by, too, as that of a mean, is left out altogether.
  void multiplyByCount(NodePtr count);

  /// Whether an index variable is in some factor.
  bool have(VariableId variable) const;

  /// Whether the language takes a sum over `variable` to reach around the whole product without being told.
  bool isSumClear(VariableId variable) const;

  /// Whether a variable indexes a dimension alone, so that it is known what it runs over; where its value is computed
  /// with, in each addend of the product as the language may multiply it out.
  bool isExtentKnown(VariableId variable) const;

  /// The product, without coefficient and sign. Takes the factors away.
  NodePtr take();

  std::vector<NodePtr> plain, divisors;
  double coefficient = 1;
  bool isNegative = false;

private:
  void add(const Node &expr, bool isDivisor, bool isConditional);
  void addCondition(const Node &condition);

  const Program &program_;
  std::vector<NodePtr> conditions_, guarded_, guardedDivisors_;
};

} // namespace spc::grad
