// At how many places something is computed, before loops have an order. Private to this folder.
#pragma once

#include "sema/terms/domains.h"

#include <vector>

namespace spc::sema {

/// The estimate for how many values a variable has.
double extentEstimate(VariableId variable, const Scope &scope, const Kernel &kernel);

/// The places of a domain in a space of variables, by the estimates of sema/estimates.h; variables of a declared size
/// have that. `domain`: of accesses in `scope` whose variables are among `variables`.
double placesOf(const AccessDomain &domain, const std::vector<VariableId> &variables, const Scope &scope,
                const Kernel &kernel);

/// The variables of an operand's levels, outermost first.
std::vector<VariableId> levelsOf(AccessId operand, const Scope &scope, const Kernel &kernel);

/// How a sparse operand is stored.
struct Stored {
  struct Level {
    VariableId variable;
    bool isDense = false;
  };
  std::vector<Level> levels; ///< outermost first
  bool isConstant = false;
};

/// The sparse operands in a value that store whole indices, ties aside.
std::vector<Stored> storedIn(const Node &value, const Scope &scope, const Kernel &kernel);

/// Whether an array over a variable of an operand is hardly larger than that: it has a dense level, as its copies in
/// other orders then have.
bool hasMemoryFor(VariableId variable, const Stored &operand);

/// Whether an operand of a value has elements for neighbouring values of a variable that are no neighbours.
bool isStrided(const Node &value, VariableId variable, const Scope &scope, const Kernel &kernel);

} // namespace spc::sema
