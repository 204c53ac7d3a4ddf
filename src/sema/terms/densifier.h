// Why a result that looks sparse is dense. Private to this folder.
#pragma once

#include "sema/terms/logical_plan.h"

namespace spc::sema {

/// A part of a term that has values where no operand stores an entry.
struct Densifier {
  Span where;
  std::string reason; ///< "this is 1 where nothing is stored"
  std::string advice; ///< what to write instead
};

/// The smallest such part, the first one from the left; nullopt where the term is 0 there. `type`: in which it is
/// computed.
std::optional<Densifier> densifierOf(const Node &term, ValueType type, const Scope &scope, const Kernel &kernel);

/// Whether a statement reads a sparse operand that has all of the target's variables, so that its result looks sparse,
/// and has no term of dense operands, one of which has them.
bool looksSparse(const LogicalStatement &logical, const Scope &scope, const Kernel &kernel);

/// Whether every term has sparse operands that cover the target's variables. A vector from a matrix is
/// dense by nature, with a tail or without.
bool couldBeSparse(const LogicalStatement &logical, const Scope &scope, const Kernel &kernel);

/// Whether the terms would be such for a target that lists its entries, of which sums within products are taken
/// otherwise.
bool couldBeListed(const LogicalStatement &logical, const Planning &planning);

/// Whether a term of sparse operands has a value where they have no entries.
bool isEverywhere(const LogicalTerm &term, const LogicalStatement &logical, const Scope &scope, const Kernel &kernel);

/// Warns of the terms that make an assembled target store all of its elements.
void warnIfFull(Planning &planning, const LogicalStatement &logical);

} // namespace spc::sema
