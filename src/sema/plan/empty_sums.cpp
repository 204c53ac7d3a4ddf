#include "sema/plan/empty_sums.h"

#include "sema/two_phases.h"

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

/// Whether a term may be anything but 0 where a part of it is: it multiplies more than that.
static bool multipliesPart(const Term &term, const Kernel &kernel) {
  return std::count_if(term.operands.begin(), term.operands.end(), [&](const Operand &operand) {
           const auto *temporary = kernel.tensors[operand.tensor].as<Temporary>();
           return !temporary || !temporary->isPart;
         }) > 0;
}

void noteEmptyTerms(Statement &statement, const std::vector<const LogicalTerm *> &logical, const Planning &planning,
                    const Scope &scope) {
  const Tensor &target = planning.kernel.tensors[statement.target];
  // Any integer times 0 is 0, and what is planned beforehand has its number of entries.
  const bool isAlwaysZero = target.format.isDense() && isInteger(statement.computeType);
  const bool isPlanned = statement.collecting && mergePlan(planning.kernel, statement) != MergePlan::None;
  if (isAlwaysZero || isPlanned || (!target.format.isDense() && !statement.collecting))
    return;
  for (size_t k = 0; k < logical.size(); ++k) {
    Term &term = statement.terms[k];
    for (VariableId variable : logical[k]->partSums) {
      const ExtentId extent = scope.variables[variable].extent;
      const bool isLoop = std::any_of(term.loops.begin(), term.loops.end(),
                                      [&](const Loop &loop) { return loop.extent == extent && loop.isReduction; });
      if (!isLoop && !has(term.emptyWith, extent) && !has(statement.emptyWith, extent) &&
          planning.kernel.extents[extent].fixed.value_or(0) == 0 && !term.loops.empty() &&
          (statement.collecting || multipliesPart(term, planning.kernel)))
        term.emptyWith.push_back(extent);
    }
  }
}

} // namespace spc::sema
