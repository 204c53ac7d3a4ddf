// Logical statements to the kernel's physical ones: loop orders, copies in another storage, operand lists.
#include "sema/plan/accumulators.h"
#include "sema/plan/empty_sums.h"
#include "sema/plan/physical_planner.h"
#include "sema/plan/plan_assembly.h"
#include "sema/plan/prescribed_order.h"
#include "sema/plan/scaled_rows.h"
#include "sema/plan/settled_loops.h"
#include "sema/terms/copy_advice.h"
#include "sema/terms/merge_size.h"

#include <algorithm>

namespace spc::sema {
namespace {

constexpr DiagnosticKind kTooManyLoops{"too-many-loops", Severity::Error};
constexpr DiagnosticKind kAsymptotic{"asymptotic", Severity::Warning};

constexpr size_t kMaxVariables = 16;

class LoopPlanner {
public:
  explicit LoopPlanner(Planning &planning) : planning_(planning), kernel_(planning.kernel), copies_(planning) {}

  void plan(const Expansion &expansion) {
    copies_.refreshBefore(expansion.main.statement);
    for (const LogicalStatement &temporary : expansion.temporaries) {
      plan(temporary);
      copies_.noteWritten(temporary.target);
    }
    if (expansion.copyOfTarget)
      add(*expansion.copyOfTarget);
    plan(expansion.main);
    copies_.noteWritten(expansion.main.target);
    if (const auto standIn = planning_.standIns.find(expansion.main.target); standIn != planning_.standIns.end())
      place(standIn->first, standIn->second, expansion.main.where);
  }

  /// Makes the parts of an output take the entries of what was computed in its place.
  void distribute(TensorId computed, TensorId whole) {
    Distribution distribution{computed, partsOf(kernel_, whole)};
    for (TensorId part : distribution.parts)
      kernel_.tensors[part].fill = kernel_.tensors[computed].fill;
    add(std::move(distribution));
  }

private:
  /// Makes an output take the entries of what was computed in its place, or those of what that is converted from.
  void place(TensorId standIn, bool adds, Span where) {
    const TensorId whole = *kernel_.tensors[standIn].as<Temporary>()->standsFor;
    Placement placement{standIn, whole, {}, adds, where};
    const auto *conversion = kernel_.steps.empty() ? nullptr : std::get_if<Conversion>(&kernel_.steps.back());
    if (conversion && conversion->to == standIn && conversion->from != whole) {
      placement.from = conversion->from;
      placement.dims = conversion->dims;
      kernel_.steps.pop_back();
      kernel_.tensors[standIn].structure = Own{};
      kernel_.tensors[standIn].role = Fused{whole};
    } else {
      for (int dim = 0; dim < kernel_.tensors[whole].order(); ++dim)
        placement.dims.push_back(dim);
    }
    add(std::move(placement));
    copies_.noteWritten(whole);
  }

  /// The step that ranks what an operand holds.
  Ranking rankingOf(const LogicalStatement &logical) const {
    const LogicalTerm &term = logical.terms.front();
    const Scope &scope = planning_.statements[logical.statement].scope;
    const Access &access = scope.accesses[std::get<AccessNode>(term.expr->kind).access];
    Ranking ranking{logical.reduction, access.tensor, logical.target, {}, {}, 0, logical.where};
    ranking.rankDim = static_cast<int>(placeOf(*logical.rank, logical.targetVariables));
    for (size_t dim = 0; dim < access.variables.size(); ++dim)
      if (!has(term.reductions, access.variables[dim])) {
        ranking.dims.push_back(static_cast<int>(dim));
        ranking.rowDims.push_back(static_cast<int>(placeOf(access.variables[dim], logical.targetVariables)));
      }
    for (VariableId variable : term.reductions)
      ranking.dims.push_back(static_cast<int>(placeOf(variable, access.variables)));
    return ranking;
  }

  void plan(const LogicalStatement &logical) {
    if (logical.rank)
      return add(rankingOf(logical));
    for (const LogicalTerm &term : logical.terms)
      if (hasTooManyLoops(logical, term))
        return;
    if (kernel_.tensors[logical.target].isAssembled()) {
      if (std::optional<Step> step = planAssembly(planning_, copies_, logical))
        add(std::move(*step));
      return;
    }
    Statement statement;
    statement.target = logical.target;
    statement.computeType = logical.computeType;
    statement.zeroFirst = logical.zeroFirst;
    statement.reduction = logical.reduction;
    statement.where = logical.where;
    std::vector<const LogicalTerm *> planned;
    for (const LogicalTerm &term : logical.terms) {
      PhysicalPlanner planner = PhysicalPlanner::forTerm(planning_, copies_, logical, term);
      if (std::optional<PhysicalPlan> plan = chooseOrder(planner, term)) {
        statement.terms.push_back(planner.build(*plan));
        if (term.isScaledSum)
          decideScaling(logical, statement, statement.terms.back());
        planned.push_back(&term);
      }
    }
    if (!planning_.diagnostics.hasErrors() && roundsInBetween(logical, statement, kernel_)) {
      const AccumulatedApart apart = accumulateApart(planning_, logical);
      plan(apart.sums);
      copies_.noteWritten(apart.sums.target);
      return plan(apart.rounding);
    }
    if (kernel_.tensors[logical.target].format.isDense())
      statement.emptyWith = extentsThatEmpty(logical, planning_);
    noteEmptyTerms(statement, planned, planning_, planning_.statements[logical.statement].scope);
    for (size_t k = 0; k < planned.size(); ++k)
      if (!warnIfEverywhere(statement.terms[k], *planned[k]) &&
          !warnIfUnsettled(statement.terms[k], statement, *planned[k]) && statement.terms[k].equations.empty())
        warnIfBanded(logical, *planned[k]);
    add(std::move(statement));
  }

  /// Decides where a term of a statement, a sum that is scaled, is so.
  void decideScaling(const LogicalStatement &logical, const Statement &statement, Term &term) {
    const Scaling scaling = scalingOf(term, logical.terms.size() == 1, statement, kernel_);
    term.scalesRows = scaling == Scaling::InMemory;
    if (scaling == Scaling::Apart)
      planning_.contractions.scaledApart.insert(logical.statement);
  }

  /// A reduction that runs over places where a sparse operand has no entry, since these make a difference.
  bool warnIfEverywhere(const Term &term, const LogicalTerm &logical) {
    if (!term.domain || term.domain->kind != Domain::Kind::Everywhere || logical.reductions.empty() ||
        logical.multipliedOut)
      return false;
    const auto isSparse = [&](const Operand &operand) { return !kernel_.tensors[operand.tensor].format.isDense(); };
    const auto operand = std::find_if(term.operands.begin(), term.operands.end(), isSparse);
    planning_.diagnostics
        .report(kAsymptotic, logical.where,
                "this visits every element of " + nameInMessages(kernel_, operand->tensor) +
                    ", not only stored ones: what it makes of missing entries counts, too")
        .advise("where only stored entries are meant, say so with pattern(...), as a factor or in a select");
    return true;
  }

  /// A product that is summed over all pairs of two variables, and 0 but where they are equal.
  bool warnIfUnsettled(const Term &term, const Statement &statement, const LogicalTerm &logical) {
    const auto pair = unsettledPair(term, statement, kernel_);
    if (!pair)
      return false;
    const auto &[one, other] = *pair;
    planning_.diagnostics
        .report(kAsymptotic, logical.where,
                "this visits every pair of '" + one + "' and '" + other + "', though it is 0 but where they are equal")
        .advise("make (" + one + " == " + other + ") a factor of the product, or write one index in place of both");
    return true;
  }

  /// A product that goes through all pairs of two variables, and is 0 but on some diagonals.
  void warnIfBanded(const LogicalStatement &logical, const LogicalTerm &term) {
    const auto pair = bandedPair(term, logical, planning_.statements[logical.statement].scope, kernel_);
    if (!pair)
      return;
    const auto &[one, other] = *pair;
    planning_.diagnostics
        .report(kAsymptotic, term.where,
                "this visits every pair of '" + one + "' and '" + other + "', though it is 0 but on some diagonals")
        .advise("write an addend for each, with (" + one + " == " + other + "), (" + one + " == " + other +
                " + 1) and so on as a factor");
  }

  void add(Step step) {
    for (const RefreshCopy &refresh : copies_.takeSteps())
      kernel_.steps.emplace_back(refresh);
    kernel_.steps.push_back(std::move(step));
  }

  /// The order that the schedule sets, else the cheapest one; nullopt after reporting that there is none.
  std::optional<PhysicalPlan> chooseOrder(const PhysicalPlanner &planner, const LogicalTerm &term) {
    std::optional<PhysicalPlan> cheapest = planner.plan({});
    if (!cheapest) {
      planner.reportNoOrder();
      return std::nullopt;
    }
    const std::optional<std::vector<VariableId>> variables = planner.prescribedVariables();
    if (!variables)
      return cheapest;
    const PrescribedOrder order{*variables, cheapest->loops.copied};
    std::optional<PhysicalPlan> prescribed = planner.plan({}, order);
    if (prescribed)
      warnIfSlow(planning_, term, prescribed->loops.cost, cheapest->loops.cost, planner.orderOf(*cheapest));
    else
      planner.reportForbidden(order, *cheapest);
    return prescribed;
  }

  bool hasTooManyLoops(const LogicalStatement &logical, const LogicalTerm &term) {
    const size_t variables = logical.targetVariables.size() + term.reductions.size();
    if (variables <= kMaxVariables)
      return false;
    planning_.diagnostics.report(kTooManyLoops, term.where,
                                 "this needs " + std::to_string(variables) + " nested loops; the limit is " +
                                     std::to_string(kMaxVariables));
    return true;
  }

  Planning &planning_;
  Kernel &kernel_;
  OperandCopies copies_;
};

} // namespace

void planLoops(Planning &planning, const std::vector<Expansion> &expansions) {
  planning.mostLoopsToMerge = mostLoopsToMerge(planning, expansions);
  checkPrescribedOrder(planning, expansions);
  LoopPlanner planner(planning);
  for (const Expansion &expansion : expansions)
    planner.plan(expansion);
  for (const auto &[computed, whole] : planning.sumOutputs)
    planner.distribute(computed, whole);
}

} // namespace spc::sema
