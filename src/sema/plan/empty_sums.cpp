#include "sema/plan/empty_sums.h"

#include <algorithm>

namespace spc::sema {

std::vector<ExtentId> extentsThatEmpty(const LogicalStatement &logical, const Planning &planning) {
  const Scope &scope = planning.statements[logical.statement].scope;
  const auto mayBeEmpty = [&](ExtentId extent) { return planning.kernel.extents[extent].fixed.value_or(0) == 0; };
  const auto empties = [&](ExtentId extent) {
    return std::all_of(logical.terms.begin(), logical.terms.end(), [&](const LogicalTerm &term) {
      const auto has = [&](const std::vector<VariableId> &sums) {
        return std::any_of(sums.begin(), sums.end(),
                           [&](VariableId variable) { return scope.variables[variable].extent == extent; });
      };
      return has(term.reductions) || has(term.partSums);
    });
  };
  std::vector<ExtentId> extents;
  if (isInteger(logical.computeType) && planning.kernel.tensors[logical.target].format.isDense())
    return extents; // any number times 0 is 0
  for (const LogicalTerm &term : logical.terms)
    for (VariableId variable : term.partSums) {
      const ExtentId extent = scope.variables[variable].extent;
      if (!has(extents, extent) && mayBeEmpty(extent) && empties(extent))
        extents.push_back(extent);
    }
  return extents;
}

} // namespace spc::sema
