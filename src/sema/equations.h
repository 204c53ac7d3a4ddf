// Equations between index variables.
#pragma once

#include "sema/amounts.h"
#include "sema/tree.h"

#include <map>
#include <optional>

namespace spc::sema {

/// Multiples of index variables and a constant, which add up to 0. No multiple is 0.
struct Equation {
  std::map<VariableId, Amount> multiples;
  Amount constant;

  /// Whether all that it holds are numbers.
  bool isOfNumbers() const;
};

/// What `i64(e)` widens, where integers keep their values; a node that is no such cast as it is.
const Node *behindWideCast(const Node &value);

/// What a comparison `a == b`, `at(a, b)` or `within(a, b)` says of index variables; nullopt where it compares
/// something else than sums of multiples of them. Multiples may be scalars of integers.
std::optional<Equation> equationOf(const CallNode &comparison, const Scope &scope, const KernelHead &kernel);

} // namespace spc::sema
