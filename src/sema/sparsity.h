// Where an expression has to be computed: what follows from the values of missing entries. Private to this folder.
//
// A tensor's missing entries hold its fill. An operation which a fill annihilates is computed where that operand
// stores entries only; any other where one of its operands does, and what it gives for their fills is its own fill.
// After Henry, Hsu et al., "Compilation of Sparse Array Programming Models" (OOPSLA 2021).
#pragma once

#include "sema/tree.h"

#include <optional>

namespace spc::sema {

/// Where an expression differs from its fill.
struct Sparsity {
  /// The operands of `domain` are AccessIds; nullopt: nowhere.
  std::optional<Domain> domain;
  /// The value anywhere else; nullopt where there is no one such value, and then the domain is everywhere.
  std::optional<double> fill;
};

/// Of a tree without sum() nodes.
Sparsity sparsityOf(const Node &node, const Scope &scope, const Kernel &kernel);

/// Whether a term with sparse operands is more than a product of them with other factors, or a sum of such products:
/// it calls functions, uses the values of index variables, or divides by a sparse operand.
bool hasDomain(const Node &term, const Scope &scope, const Kernel &kernel);

/// Where a term of a sum is computed, of one that hasDomain(): everywhere where it is not 0 outside of its domain.
Domain domainOfTerm(const Node &term, const Scope &scope, const Kernel &kernel);

/// Whether a domain is where one operand stores entries; then which.
std::optional<int> singleOperand(const Domain &domain);

} // namespace spc::sema
