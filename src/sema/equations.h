// Equations between index variables.
#pragma once

#include "sema/amounts.h"
#include "sema/tree.h"

#include <map>
#include <optional>
#include <vector>

namespace spc::sema {

/// Multiples of index variables and a constant, which add up to 0. No multiple is 0.
struct Equation {
  std::map<VariableId, Amount> multiples;
  Amount constant;

  /// Whether all that it holds are numbers.
  bool isOfNumbers() const;
};

/// The argument of `i64(e)`, a cast in which integers keep their values; any other node as it is.
const Node *behindWideCast(const Node &value);

/// What a comparison `a == b`, `at(a, b)` or `within(a, b)` says of index variables; nullopt where it compares
/// something else than sums of multiples of them. Multiples may be scalars of integers.
std::optional<Equation> equationOf(const CallNode &comparison, const Scope &scope, const KernelHead &kernel);

/// The equations that hold wherever a condition does: of an equality, or of several at once.
std::vector<Equation> equationsOfCondition(const Node &condition, const Scope &scope, const KernelHead &kernel);

/// The equations that hold wherever a product is not 0: of its factors, and of choices that are 0 elsewhere.
std::vector<Equation> equationsOfProduct(const Node &product, const Scope &scope, const KernelHead &kernel);

/// The condition of a choice `select(c, e, 0)`; null where a value is no such choice.
const Node *conditionOfChoice(const Node &value);

} // namespace spc::sema
