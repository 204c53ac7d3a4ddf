#include "sema/terms/reading_order.h"

#include "sema/terms/fuse.h"
#include "sema/terms/walking.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

namespace spc::sema {
namespace {

/// The variables of an array along whose innermost loop all that it is computed of is read in order, its parts being
/// stored for that.
std::vector<VariableId> contiguousIn(const Contraction &plan, const ContractionSpace &space) {
  std::vector<VariableId> list;
  if (plan.isListed || plan.mask)
    return list;
  std::copy_if(plan.variables.begin(), plan.variables.end(), std::back_inserter(list), [&](VariableId variable) {
    return std::none_of(plan.factors.begin(), plan.factors.end(),
                        [&](size_t k) { return has(space.factors[k].strided, variable); }) &&
           std::all_of(plan.parts.begin(), plan.parts.end(), [&](const Contraction &part) {
             return !has(part.variables, variable) || has(contiguousIn(part, space), variable);
           });
  });
  return list;
}

/// Puts the dimensions of each part that lists its entries in the order that asks for the fewest copies: of what it is
/// made of, which loops are to come to row by row, and of what it is read beside, or of itself.
class ListOrder {
public:
  explicit ListOrder(const ContractionSpace &space) : space_(space), loops_(space.targets) {
    loops_.insert(loops_.end(), space.sums.begin(), space.sums.end());
    for (VariableId loop : loops_)
      extents_.push_back(space.extents.at(loop));
  }

  /// `rows`: of what the nest gives, if it is collected: outermost first. Gives how many entries more are copied than
  /// if all of these could be in the order of whatever loops.
  double choose(Contraction &nest, const std::vector<VariableId> &rows) const {
    for (Contraction &part : nest.parts)
      if (part.isListed && part.variables.size() > 1 && part.variables.size() <= kMostWalked)
        choosePart(part, nest, rows);
    const bool isOrdered = rows.size() > 1 || std::any_of(nest.parts.begin(), nest.parts.end(),
                                                          [](const Contraction &part) { return part.isListed; });
    // Walkings within an order of cost count as alike: either may copy more.
    double more = isOrdered ? std::max(0.0, copiesFor(nest, rows) - copiesIn(nest, {}, true)) : 0;
    for (Contraction &part : nest.parts)
      more += choose(part, part.isListed ? part.variables : std::vector<VariableId>());
    return more;
  }

private:
  void choosePart(Contraction &part, const Contraction &nest, const std::vector<VariableId> &rows) const {
    std::vector<VariableId> order = part.variables, best = order;
    const auto lessThan = [&](VariableId a, VariableId b) { return placeOf(a, loops_) < placeOf(b, loops_); };
    const auto copies = [&] { return copiesFor(nest, rows) + copiesFor(part, part.variables); };
    double least = copies();
    if (least == 0)
      return;
    std::sort(order.begin(), order.end(), lessThan);
    do {
      part.variables = order;
      if (const double own = copies(); own < least) {
        least = own;
        best = order;
      }
    } while (least > 0 && std::next_permutation(order.begin(), order.end(), lessThan));
    part.variables = best;
  }

  /// The entries that a nest copies, or its result's that are put in order once they are collected.
  double copiesFor(const Contraction &nest, const std::vector<VariableId> &rows) const {
    const double ordered = copiesIn(nest, rows);
    return rows.size() > 1 ? std::min(ordered, copiesIn(nest, {}) + nest.entries) : ordered;
  }

  double copiesIn(const Contraction &nest, const std::vector<VariableId> &rows, bool isFree = false) const {
    std::vector<Walked> lists;
    for (size_t k : nest.factors)
      for (const Stored &stored : space_.factors[k].stored)
        lists.push_back(walkedAs(stored, loops_, extents_));
    for (const Contraction &part : nest.parts)
      if (part.isListed) {
        Stored stored;
        for (VariableId variable : part.variables)
          stored.levels.push_back({variable});
        lists.push_back(walkedAs(stored, loops_, extents_, part.entries));
        lists.back().isFree = isFree;
      }
    if (rows.size() > 1) {
      Walked &collected = lists.emplace_back();
      for (VariableId variable : rows)
        collected.levels.push_back({placeOf(variable, loops_), true});
      collected.mayBeCopied = false;
    }
    double most = 1;
    std::vector<const Walked *> walked;
    for (const Walked &list : lists) {
      most = std::max(most, list.entries);
      walked.push_back(&list);
    }
    return cheapestWalking(walked, extents_, most).copied;
  }

  const ContractionSpace &space_;
  std::vector<VariableId> loops_;
  std::vector<double> extents_;
};

} // namespace

double orderLists(Contraction &plan, const ContractionSpace &space) {
  std::vector<VariableId> rows;
  if (space.row) {
    rows = space.targets;
    std::stable_partition(rows.begin(), rows.end(), [&](VariableId variable) { return variable == *space.row; });
  }
  return ListOrder(space).choose(plan, rows);
}

void orderForReaders(Contraction &plan, const ContractionSpace &space) {
  if (plan.parts.empty())
    return;
  std::vector<VariableId> loops = plan.variables;
  const auto last = loops.empty() ? loops.end() : loops.end() - 1;
  loops.insert(last, plan.sums.begin(), plan.sums.end());
  const bool isDense =
      std::none_of(plan.factors.begin(), plan.factors.end(), [&](size_t k) { return space.factors[k].isSparse; });
  for (Contraction &part : plan.parts) {
    std::sort(part.variables.begin(), part.variables.end(), [&](VariableId a, VariableId b) {
      return std::find(loops.begin(), loops.end(), a) < std::find(loops.begin(), loops.end(), b);
    });
    const std::vector<VariableId> contiguous = contiguousIn(part, space);
    if (isDense && !contiguous.empty() && !has(contiguous, part.variables.back()))
      std::stable_partition(part.variables.begin(), part.variables.end(),
                            [&](VariableId variable) { return variable != contiguous.back(); });
    orderForReaders(part, space);
  }
}

void orderForOperands(std::vector<VariableId> &variables, const Node &sum, const std::vector<VariableId> &targets,
                      const Scope &scope, const Kernel &kernel) {
  std::map<VariableId, int> strides; // less than 0 of rows, more of what lies side by side
  for (AccessId id : accessesOf(sum)) {
    const Access &access = scope.accesses[id];
    const format::Format &format = kernel.tensors[access.tensor].format;
    if (access.variables.size() < 2 || format.levels.empty())
      continue;
    const format::Level &level = format.isDense() ? format.levels.back() : format.levels.front();
    strides[access.variables[static_cast<size_t>(level.dim)]] += format.isDense() ? 1 : -1;
  }
  std::ranges::stable_sort(variables, {}, [&](VariableId variable) {
    return std::pair(std::clamp(strides[variable], -1, 1), placeOf(variable, targets));
  });
}

/// Whether no statement behind one goes through what that makes in another order of its dimensions: its own target has
/// them in this order, as far as it has them.
static bool isReadInOrder(const Planning &planning, size_t statement, const std::vector<size_t> &dims) {
  const TensorId made = planning.statements[statement].target.tensor;
  for (size_t k = statement + 1; k < planning.statements.size(); ++k) {
    const ResolvedStatement &use = planning.statements[k];
    for (AccessId id : accessesOf(*use.value)) {
      const Access &access = use.scope.accesses[id];
      std::vector<size_t> places;
      for (size_t dim : dims)
        if (access.tensor == made && has(use.target.variables, access.variables[dim]))
          places.push_back(placeOf(access.variables[dim], use.target.variables));
      if (!std::ranges::is_sorted(places))
        return false;
    }
  }
  return true;
}

void storeInLoopOrder(Planning &planning, size_t statement) {
  const ResolvedStatement &made = planning.statements[statement];
  const std::vector<VariableId> &targets = made.target.variables;
  Tensor &tensor = planning.kernel.tensors[made.target.tensor];
  if (!made.isTemporary || made.op != AssignOp::Assign || planning.symbols[made.target.tensor].boundBy ||
      planning.options.asWritten || planning.given.order ||
      !tensor.format.sameStorage(format::denseFormat(tensor.order())) ||
      (isElementwise(made) && !hasReduction(*made.value)))
    return;
  std::vector<VariableId> variables = targets;
  orderForOperands(variables, *made.value, targets, made.scope, planning.kernel);
  std::vector<size_t> dims;
  for (VariableId variable : variables)
    dims.push_back(placeOf(variable, targets));
  if (!std::ranges::is_sorted(dims) && isReadInOrder(planning, statement, dims))
    tensor.format = format::permuted(tensor.format, {dims.begin(), dims.end()});
}

} // namespace spc::sema
