// The places at which an expression has to be computed, as they follow from the values of missing entries. Private to
// this folder.
//
// A tensor's missing entries hold its fill. An operation which a fill annihilates is computed where that operand
// stores entries only; any other where one of its operands does, and what it gives for their fills is its own fill.
// After Henry, Hsu et al., "Compilation of Sparse Array Programming Models" (OOPSLA 2021).
#pragma once

#include "sema/terms/domains.h"
#include "sema/tree.h"

#include <optional>

namespace spc::sema {

/// The places at which an expression differs from its fill.
struct Sparsity {
  /// nullopt: nowhere.
  std::optional<AccessDomain> domain;
  /// The value anywhere else; nullopt where there is no one such value, and then the domain is everywhere.
  std::optional<double> fill;
};

/// The sparsity of a tree without sum() nodes that is computed in `type`.
Sparsity sparsityOf(const Node &node, ValueType type, const Scope &scope, const Kernel &kernel);

/// Whether a tree without sum() nodes, computed in `type`, is 0 where an operand stores a 0, whatever other operands
/// hold. Padding is a factor 0, which makes its product 0 unless another factor is known to be none or infinite.
bool isZeroOfStoredZero(const Node &node, AccessId operand, ValueType type, const Scope &scope, const Kernel &kernel);

/// Whether a term with sparse operands is more than a product of them with other factors, or a sum of such products:
/// it calls functions, uses the values of index variables, divides by a sparse operand, reads one whose missing entries
/// are not 0, adds something without sparse operands, or what is made of its values is no sum.
bool hasDomain(const Node &term, Reduction reduction, const Scope &scope, const Kernel &kernel);

/// The places at which a term that hasDomain() is computed. That is everywhere if outside of the domain its value is
/// not `targetDefault`, which the statement's target has there anyway: the identity of its reduction, or its fill.
AccessDomain domainOfTerm(const Node &term, double targetDefault, ValueType type, const Scope &scope,
                          const Kernel &kernel);

/// Whether a tree reads a sparse operand.
bool hasSparse(const Node &node, const Scope &scope, const Kernel &kernel);

/// The sparse operand A of `not pattern(A)`, which is 0 where A stores an entry.
std::optional<AccessId> complementedMask(const Node &node, const Scope &scope, const Kernel &kernel);

/// Whether an expression is a sum whose addends' sparse operands have different variables: it has entries at all values
/// of those that one of them lacks.
bool isUnevenSum(const Node &node, const Scope &scope, const Kernel &kernel);

/// The accesses in the order of the text that a value's own loops read: those below reductions are computed before,
/// where the value is computed as it is written.
std::vector<AccessId> accessesBesideReductions(const Node &value);

/// Whether a tree reads values of a sparse operand, not its pattern alone, whose missing entries are not 0.
bool hasFill(const Node &node, const Scope &scope, const Kernel &kernel);

} // namespace spc::sema
