#include "sema/plan/physical_planner.h"

#include "format/levels.h"
#include "sema/plan/build_expression.h"
#include "sema/plan/dense_view.h"
#include "sema/plan/prescribed_order.h"
#include "sema/terms/shared_pattern.h"
#include "sema/terms/sparsity.h"

#include <algorithm>

namespace spc::sema {
namespace {

constexpr int kTargetWeight = 2; ///< a strided target is loaded and stored

template <typename T> int positionOf(const std::vector<T> &values, T value) {
  return static_cast<int>(std::find(values.begin(), values.end(), value) - values.begin());
}

int usesOf(AccessId access, const Node &expr) {
  int uses = 0;
  forEachAccess(expr, true, [&](const AccessNode &use, Span) { uses += use.access == access; });
  return uses;
}

/// Whether every entry is where loops over the target's dimensions come to it once and in order: neither blocks nor
/// diagonals, no padding and no repeats.
bool visitsEntriesInOrder(const format::Format &format) {
  return !format.mayRepeat() && !format::hasPadding(format) &&
         std::all_of(format.levels.begin(), format.levels.end(),
                     [](const format::Level &level) { return level.ordered; });
}

// An index over the space's loops as one over the nest, where loop `order[k]` is the k-th.
Index inNest(Index index, const std::vector<int> &order) {
  for (IndexTerm &part : index)
    part.loop = LoopId(static_cast<size_t>(positionOf(order, static_cast<int>(part.loop.index()))));
  return index;
}

// A dense tensor is indexed by dimension, a sparse one by level.
std::vector<Index> indicesOf(const format::Format &format, const std::vector<int> &variables, const LevelSpace &space,
                             const std::vector<int> &order) {
  std::vector<Index> indices;
  if (format.isDense()) {
    for (int variable : variables)
      indices.push_back(inNest(space.valueOf(variable), order));
    return indices;
  }
  for (const format::Level &level : format.levels)
    indices.push_back(inNest(*space.levelIndex(level, variables), order));
  return indices;
}

} // namespace

PhysicalPlanner::PhysicalPlanner(Analysis &analysis, OperandCopies &copies, const LogicalStatement &logical,
                                 const LogicalTerm &term)
    : analysis_(analysis), kernel_(analysis.kernel), copies_(copies), logical_(logical), term_(term),
      scope_(analysis.statements[logical.statement].scope), variables_(logical.targetVariables),
      accesses_(accessesOf(*term.expr)) {
  variables_.insert(variables_.end(), term.reductions.begin(), term.reductions.end());
  // Positions are those of the leader as it is stored: no order may need a copy of it.
  findSparseAccesses(!target().isAssembled());
  if (sparse_.size() < sparseCount() && !plan({}))
    findSparseAccesses(false);
}

size_t PhysicalPlanner::sparseCount() const {
  return std::count_if(accesses_.begin(), accesses_.end(),
                       [&](AccessId id) { return !kernel_.tensors[scope_.accesses[id].tensor].format.isDense(); });
}

AccessId PhysicalPlanner::leaderOfOperand(AccessId access) const {
  const bool isSparse = std::find(sparse_.begin(), sparse_.end(), access) != sparse_.end();
  return isSparse ? access : leaderOf(access, accesses_, scope_, kernel_);
}

bool PhysicalPlanner::mayFollow(AccessId access) const {
  const AccessId leader = leaderOf(access, accesses_, scope_, kernel_);
  const Tensor &tensor = kernel_.tensors[scope_.accesses[access].tensor];
  return leader != access && &tensor != &target() && isReadOnlyAt(leader) && isReadOneWay(leader);
}

/// Whether all operands that have a leader's structure have its indices, too: positions in the structure then mean the
/// leader's.
bool PhysicalPlanner::isReadOneWay(AccessId leader) const {
  const TensorId owner = structureOwner(kernel_, scope_.accesses[leader].tensor);
  return std::all_of(accesses_.begin(), accesses_.end(), [&](AccessId id) {
    return structureOwner(kernel_, scope_.accesses[id].tensor) != owner ||
           leaderOf(id, accesses_, scope_, kernel_) == leader;
  });
}

/// Whether the term is computed only where an operand stores entries.
bool PhysicalPlanner::isReadOnlyAt(AccessId leader) const {
  return !hasDomain(*term_.expr, logical_.reduction, scope_, kernel_) ||
         isWithin(domainOfTerm(*term_.expr, logical_.targetDefault, logical_.computeType, scope_, kernel_),
                  {AccessDomain::Kind::Stored, leader, {}});
}

void PhysicalPlanner::findSparseAccesses(bool mayFollowOthers) {
  sparse_.clear();
  operands_.clear();
  std::vector<AccessId> leaders;
  for (AccessId id : accesses_)
    if (mayFollowOthers && mayFollow(id))
      leaders.push_back(leaderOf(id, accesses_, scope_, kernel_));
  for (AccessId id : accesses_) {
    if (mayFollowOthers && mayFollow(id))
      continue;
    const Access &access = scope_.accesses[id];
    const format::Format &format = kernel_.tensors[access.tensor].format;
    if (format.isDense())
      continue;
    SparseAccess operand{&format, numbersOf(access.variables)};
    if (access.mirrored)
      std::swap(operand.variables.front(), operand.variables.back());
    // Copies have a dense root: a vector's would have no missing entries. A target's pattern is shared.
    const bool isLeader = std::find(leaders.begin(), leaders.end(), id) != leaders.end();
    operand.mayBeCopied = !isLeader && (target().isAssembled() || (format.order() > 1 && target().format.isDense()));
    // Parts of an entry make up a product of it, and nothing else. Blocks and padding, which are zeros, may stay where
    // the operand alone decides where something is added.
    const bool isProduct = !hasDomain(*term_.expr, logical_.reduction, scope_, kernel_);
    const bool needsEntries = target().isAssembled() || !(isProduct || addsAlone(id));
    operand.mustBeCopied = (format.mayRepeat() && (!isProduct || usesOf(id, *term_.expr) > 1)) ||
                           (needsEntries && !visitsEntriesInOrder(format));
    operands_.push_back(std::move(operand));
    sparse_.push_back(id);
  }
}

bool PhysicalPlanner::addsAlone(AccessId access) const {
  const auto isSparse = [&](AccessId id) {
    return !kernel_.tensors[scope_.accesses[id].tensor].format.isDense() &&
           leaderOf(id, accesses_, scope_, kernel_) == id;
  };
  return logical_.reduction == Reduction::Sum && std::count_if(accesses_.begin(), accesses_.end(), isSparse) == 1 &&
         singleOperand(domainOfTerm(*term_.expr, logical_.targetDefault, logical_.computeType, scope_, kernel_)) ==
             access;
}

std::vector<int> PhysicalPlanner::numbersOf(const std::vector<VariableId> &some) const {
  std::vector<int> numbers;
  for (VariableId variable : some)
    numbers.push_back(positionOf(variables_, variable));
  return numbers;
}

std::optional<PhysicalPlan> PhysicalPlanner::plan(const std::vector<int> &collecting) const {
  return plan(collecting, nullptr);
}

std::optional<PhysicalPlan> PhysicalPlanner::plan(const std::vector<int> &collecting,
                                                  const PrescribedOrder &order) const {
  return plan(collecting, &order);
}

std::optional<std::vector<VariableId>> PhysicalPlanner::prescribedVariables() const {
  // What is read as a mirror image is visited the other way round: no one order would do for it and for its original.
  const bool isMirrored =
      std::any_of(accesses_.begin(), accesses_.end(), [&](AccessId id) { return scope_.accesses[id].mirrored; });
  return isMirrored ? std::nullopt : inPrescribedOrder(analysis_, variables_, scope_);
}

std::optional<PhysicalPlan> PhysicalPlanner::plan(const std::vector<int> &collecting,
                                                  const PrescribedOrder *order) const {
  std::vector<bool> mayBeCopied;
  for (const SparseAccess &access : operands_)
    mayBeCopied.push_back(access.mayBeCopied);
  const auto problem = [&](const std::vector<bool> &copied) {
    std::optional<LoopProblem> problem = problemFor(copied, collecting);
    for (int variable : problem &&order ? numbersOf(order->variables) : std::vector<int>())
      problem->prescribed.push_back(spaceFor(copied)->outermostLoop(variable));
    return problem;
  };
  std::optional<LoopPlan> chosen = chooseLoops(order ? order->mayBeCopied : mayBeCopied, problem);
  if (!chosen)
    return std::nullopt;
  PhysicalPlan plan{std::move(*chosen)};
  // No operand is split into parts: each variable is one loop, under its own number.
  const auto limit = static_cast<int>(collecting.size()) - 1;
  while (plan.rowOrder < limit && plan.loops.order[plan.rowOrder] == collecting[plan.rowOrder])
    ++plan.rowOrder;
  return plan;
}

std::optional<LevelSpace> PhysicalPlanner::spaceFor(const std::vector<bool> &copied) const {
  return LevelSpace::build(static_cast<int>(variables_.size()), operands_, copied);
}

std::optional<LoopProblem> PhysicalPlanner::problemFor(const std::vector<bool> &copied,
                                                       const std::vector<int> &collecting) const {
  std::optional<LevelSpace> space = spaceFor(copied);
  std::optional<std::vector<SparseUse>> uses = space ? space->uses() : std::nullopt;
  if (!uses)
    return std::nullopt;
  LoopProblem problem;
  problem.sparse = std::move(*uses);
  problem.collected = collecting;
  for (int loop = 0; loop < static_cast<int>(space->loops().size()); ++loop)
    problem.extents.push_back(space->extentOf(loop));
  problem.indexesTarget.resize(problem.extents.size());
  if (target().format.isDense() && target().order() > 0) {
    if (!space->mayIndexDense(numbersOf(logical_.targetVariables)))
      return std::nullopt;
    problem.dense.push_back({loopsInStorageOrder(target().format, logical_.targetVariables, *space), kTargetWeight});
    for (int loop : problem.dense.back().loops)
      problem.indexesTarget[loop] = true;
  }
  for (AccessId id : accesses_) {
    const Access &access = scope_.accesses[id];
    const Tensor &tensor = kernel_.tensors[access.tensor];
    if (!tensor.format.isDense() || tensor.order() == 0)
      continue;
    const bool isView = hasDerived(access, scope_);
    const std::vector<VariableId> variables = isView ? inStorageOrder(access) : access.variables;
    if (!space->mayIndexDense(numbersOf(variables)))
      return std::nullopt;
    const format::Format format = isView ? format::denseFormat(static_cast<int>(variables.size())) : tensor.format;
    problem.dense.push_back({loopsInStorageOrder(format, variables, *space), 1});
  }
  return problem;
}

std::vector<VariableId> PhysicalPlanner::inStorageOrder(const Access &access) const {
  return DenseView(access, scope_, kernel_).variables();
}

std::vector<int> PhysicalPlanner::loopsInStorageOrder(const format::Format &format,
                                                      const std::vector<VariableId> &byDimension,
                                                      const LevelSpace &space) const {
  std::vector<int> loops;
  for (const format::Level &level : format.levels)
    for (const IndexTerm &part : space.valueOf(positionOf(variables_, byDimension[level.dim])))
      loops.push_back(static_cast<int>(part.loop.index()));
  return loops;
}

Term PhysicalPlanner::build(const PhysicalPlan &plan) {
  const std::vector<int> &order = plan.loops.order;
  const LevelSpace space = *spaceFor(plan.loops.copied);
  const bool isListed = !order.empty() && isListedEverywhere(space.loops()[order.front()]);
  const auto valueOf = [&](VariableId variable) {
    return inNest(space.valueOf(positionOf(variables_, variable)), order);
  };
  Term result;
  result.overwrites = term_.overwrites;
  result.where = term_.where;
  for (int loop : order)
    result.loops.push_back(makeLoop(space.loops()[loop]));
  if (target().isAssembled())
    for (int dim = 0; dim < target().order(); ++dim)
      result.target.push_back(inNest(space.valueOf(dim), order));
  else
    result.target = indicesOf(target().format, numbersOf(logical_.targetVariables), space, order);
  for (AccessId id : accesses_) {
    const Access access = scope_.accesses[id];
    const auto place = std::find(sparse_.begin(), sparse_.end(), id) - sparse_.begin();
    const bool isSparse = place < static_cast<long>(sparse_.size());
    Operand operand{access.tensor, {}, access.mirrored, {}};
    std::vector<int> numbers;
    if (isSparse) {
      numbers = operands_[place].variables;
    } else if (hasDerived(access, scope_)) {
      operand.tensor = DenseView(access, scope_, kernel_).addTo(kernel_);
      numbers = numbersOf(inStorageOrder(access));
    } else {
      numbers = numbersOf(access.variables);
    }
    if (isSparse && plan.loops.copied[place])
      operand.tensor = copies_.copyFor(access, operands_[place], space, order, isListed, scope_);
    operand.indices = indicesOf(kernel_.tensors[operand.tensor].format, numbers, space, order);
    if (const AccessId leader = leaderOfOperand(id); !isSparse && leader != id)
      operand.follows = OperandId(static_cast<size_t>(positionOf(accesses_, leader)));
    if (access.mirrored)
      for (int variable : numbers)
        operand.diagonal.push_back(inNest(space.valueOf(variable), order));
    result.operands.push_back(std::move(operand));
  }
  std::optional<AccessDomain> domain;
  if (hasDomain(*term_.expr, logical_.reduction, scope_, kernel_))
    domain = domainOfTerm(*term_.expr, logical_.targetDefault, logical_.computeType, scope_, kernel_);
  const ExpressionBuilder builder(accesses_, scope_, kernel_, valueOf, domain);
  // What is computed nowhere must not fold to a constant, which loops would not see.
  const NodePtr entry = domain ? anyEntryOf(*domain) : nullptr;
  result.expr = builder.build(entry ? *entry : *term_.expr, logical_.computeType);
  if (domain)
    result.domain = builder.numbered(*domain);
  return result;
}

/// Of a domain without places an access that it names, else null.
NodePtr PhysicalPlanner::anyEntryOf(const AccessDomain &domain) const {
  if (!isNowhere(domain))
    return nullptr;
  return makeNode(AccessNode{domain.parts.front().operand}, term_.where);
}

bool PhysicalPlanner::isListedEverywhere(const SpaceLoop &loop) const {
  const VariableId variable = variables_[loop.variable];
  const auto lists = [&](const Tensor &tensor, const std::vector<VariableId> &byDimension) {
    return std::none_of(tensor.format.levels.begin(), tensor.format.levels.end(), [&](const format::Level &level) {
      return level.isDense() && byDimension[level.dim] == variable;
    });
  };
  return loop.part == format::Part::Whole && lists(target(), logical_.targetVariables) &&
         std::all_of(accesses_.begin(), accesses_.end(), [&](AccessId id) {
           const Access &access = scope_.accesses[id];
           if (!hasDerived(access, scope_))
             return lists(kernel_.tensors[access.tensor], access.variables);
           const std::vector<VariableId> plain = plainVariables(access, scope_);
           return std::find(plain.begin(), plain.end(), variable) == plain.end();
         });
}

Loop PhysicalPlanner::makeLoop(const SpaceLoop &loop) const {
  const auto isTarget = [&](int variable) { return variable < static_cast<int>(logical_.targetVariables.size()); };
  const Variable &variable = scope_.variables[variables_[loop.variable]];
  Loop result{variable.name, variable.extent, !isTarget(loop.variable), loop.part, loop.block};
  switch (loop.part) {
  case format::Part::Whole:
    break;
  case format::Part::Quotient:
    result.variable += " / " + std::to_string(loop.block);
    break;
  case format::Part::Remainder:
    result.variable += " % " + std::to_string(loop.block);
    break;
  case format::Part::Difference:
    result.variable += " - " + scope_.variables[variables_[loop.minus]].name;
    result.isReduction = result.isReduction || !isTarget(loop.minus);
    break;
  }
  return result;
}

} // namespace spc::sema
