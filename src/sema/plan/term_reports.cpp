// Why a term has no order of loops, or not the one that the user has set.
#include "sema/plan/physical_planner.h"
#include "sema/plan/prescribed_order.h"
#include "sema/terms/copy_advice.h"

#include <algorithm>

namespace spc::sema {
namespace {

constexpr DiagnosticKind kNoLoopOrder{"no-loop-order", Severity::Error};
constexpr DiagnosticKind kScheduleOrder{"schedule-order", Severity::Error};

} // namespace

void PhysicalPlanner::reportNoOrder() const {
  bool isAsked = false;
  for (AccessId id : read_.walked)
    isAsked |= planning_.copies.ask(kernel_, scope_.accesses[id].tensor,
                                    planning_.statements[logical_.statement].target.tensor, scope_.accesses[id].where);
  if (isAsked)
    return;
  Diagnostic &refused = planning_.diagnostics.report(kNoLoopOrder, term_.where,
                                                     "no order of loops visits these operands as they are stored");
  for (AccessId id : read_.walked) {
    const Access &access = scope_.accesses[id];
    const Tensor &tensor = kernel_.tensors[access.tensor];
    refused.note(access.where, nameInMessages(kernel_, access.tensor) + " is stored as " +
                                   format::describe(tensor.format, namesOf(access.variables, scope_)));
  }
  refused.advise("store one of them in another format");
}

std::vector<int> PhysicalPlanner::storedVariables(const SparseAccess &operand, const LevelSpace &space) const {
  std::vector<int> stored;
  for (const format::Level &level : operand.format->levels) {
    const std::optional<Index> index = space.levelIndex(level, operand.variables);
    for (int variable : operand.variables)
      if (index && index->terms.size() == 1 && index->terms.front().loop == space.valueOf(variable).terms.front().loop)
        stored.push_back(variable);
  }
  return stored;
}

std::string PhysicalPlanner::orderOf(const PhysicalPlan &plan) const {
  const LevelSpace space = *spaceFor(plan.loops.copied);
  std::vector<VariableId> order;
  for (int loop : plan.loops.order)
    for (size_t variable = 0; variable < read_.variables.size(); ++variable)
      if (space.outermostLoop(static_cast<int>(variable)) == loop)
        order.push_back(read_.variables[variable]);
  return listOfNames(order, scope_);
}

Diagnostic &PhysicalPlanner::reportForbidden(const PrescribedOrder &order, const PhysicalPlan &cheapest) const {
  Diagnostic &refused =
      planning_.diagnostics.report(kScheduleOrder, planning_.given.order->where,
                                   "the loops of this term cannot be in the order " +
                                       listOfNames(order.variables, scope_) + " with its operands as they are stored");
  refused.note(term_.where, "the term is here");
  const LevelSpace space = *spaceFor(cheapest.loops.copied);
  const std::vector<int> wanted = numbersOf(order.variables);
  const auto place = [&](int variable) { return std::find(wanted.begin(), wanted.end(), variable); };
  for (size_t k = 0; k < read_.sparse.size(); ++k) {
    const std::vector<int> stored = storedVariables(read_.sparse[k], space);
    const auto outer =
        std::adjacent_find(stored.begin(), stored.end(), [&](int a, int b) { return place(b) < place(a); });
    if (cheapest.loops.copied[k] || outer == stored.end())
      continue;
    const Access &access = scope_.accesses[read_.walked[k]];
    const auto name = [&](int variable) { return inQuotes(scope_.variables[read_.variables[variable]].name); };
    const Tensor &tensor = kernel_.tensors[access.tensor];
    refused.note(access.where, nameInMessages(kernel_, access.tensor) + " is stored as " +
                                   format::describe(tensor.format, namesOf(access.variables, scope_)) + ": " +
                                   name(outer[1]) + " inside of " + name(outer[0]));
  }
  return refused.advise("write \"order\": " + orderOf(cheapest) + ", or leave it out");
}

} // namespace spc::sema
