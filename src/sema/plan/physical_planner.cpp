#include "sema/plan/physical_planner.h"

#include "format/levels.h"
#include "sema/equations.h"
#include "sema/plan/build_expression.h"
#include "sema/plan/dense_view.h"
#include "sema/plan/lifted_loops.h"
#include "sema/plan/prescribed_order.h"
#include "sema/terms/shared_pattern.h"
#include "sema/terms/sparsity.h"

#include <algorithm>

namespace spc::sema {
namespace {

constexpr int kTargetWeight = 2; ///< a strided target is loaded and stored

// An index over the space's loops as one over the nest, where loop `order[k]` is the k-th.
Index inNest(Index index, const std::vector<int> &order) {
  for (IndexTerm &part : index.terms)
    part.loop = LoopId(placeOf(static_cast<int>(part.loop.index()), order));
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

// Whether some operand for which `holds` has an entry at each place of a domain.
bool isWithinEntries(const AccessDomain &domain, const std::function<bool(AccessId)> &holds) {
  const auto isPart = [&](const AccessDomain &part) { return isWithinEntries(part, holds); };
  switch (domain.kind) {
  case AccessDomain::Kind::Stored:
    return holds(domain.operand);
  case AccessDomain::Kind::Everywhere:
  case AccessDomain::Kind::Missing:
    return false;
  case AccessDomain::Kind::All:
    return std::any_of(domain.parts.begin(), domain.parts.end(), isPart);
  case AccessDomain::Kind::Any:
    return std::all_of(domain.parts.begin(), domain.parts.end(), isPart);
  }
  return false;
}

} // namespace

PhysicalPlanner PhysicalPlanner::forTerm(Planning &planning, OperandCopies &copies, const LogicalStatement &logical,
                                         const LogicalTerm &term) {
  const Kernel &kernel = planning.kernel;
  const SparseOperands operands(kernel, planning.statements[logical.statement].scope, logical, term);
  if (operands.mayMerge(planning.mostLoopsToMerge))
    return PhysicalPlanner(planning, copies, logical, term, operands.merged());
  PhysicalPlanner walking(planning, copies, logical, term, operands.allWalked());
  if (kernel.tensors[logical.target].isAssembled())
    return walking;
  PhysicalPlanner following(planning, copies, logical, term, operands.withFollowers());
  return following.read_.hasFollowers && following.plan({}) ? following : walking;
}

std::vector<int> PhysicalPlanner::numbersOf(const std::vector<VariableId> &some) const {
  return sema::numbersOf(some, read_.variables);
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
  const bool isMirrored = std::any_of(read_.accesses.begin(), read_.accesses.end(),
                                      [&](AccessId id) { return scope_.accesses[id].mirrored; });
  return isMirrored ? std::nullopt : inPrescribedOrder(planning_, read_.variables, scope_);
}

std::optional<PhysicalPlan> PhysicalPlanner::plan(const std::vector<int> &collecting,
                                                  const PrescribedOrder *order) const {
  std::vector<bool> mayBeCopied;
  for (const SparseAccess &access : read_.sparse)
    mayBeCopied.push_back(access.mayBeCopied);
  const std::optional<DomainOver<int>> domain = walkedPlaces();
  const auto prescribedProblem = [&](const std::vector<bool> &copied) {
    std::optional<LoopProblem> problem = problemFor(copied, collecting);
    if (problem) {
      problem->domain = domain;
      problem->mayFactor = !planning_.options.strictFp && mayFactorFibers(logical_, term_, read_, scope_, kernel_);
    }
    for (int variable : problem &&order ? numbersOf(order->variables) : std::vector<int>())
      problem->prescribed.push_back(spaceFor(copied)->outermostLoop(variable));
    return problem;
  };
  std::optional<LoopPlan> chosen = chooseLoops(order ? order->mayBeCopied : mayBeCopied, prescribedProblem);
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
  return LevelSpace::build(static_cast<int>(read_.variables.size()), read_.sparse, copied);
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
  for (AccessId id : read_.accesses) {
    const Access &access = scope_.accesses[id];
    const Tensor &tensor = kernel_.tensors[access.tensor];
    // Behind each position of a leader its follower has elements, which a sum of loops could leave.
    if (!tensor.format.isDense() && !has(read_.walked, id))
      for (size_t dim : tailDims(kernel_, access.tensor))
        if (space->valueOf(numbersOf({access.variables[dim]}).front()).terms.size() > 1)
          return std::nullopt;
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
    for (const IndexTerm &part :
         space.valueOf(static_cast<int>(placeOf(byDimension[level.dim], read_.variables))).terms)
      loops.push_back(static_cast<int>(part.loop.index()));
  return loops;
}

Term PhysicalPlanner::build(const PhysicalPlan &plan) {
  const std::vector<int> &order = plan.loops.order;
  const LevelSpace space = *spaceFor(plan.loops.copied);
  // What is looked up may do so in a list that another copy has.
  for (size_t operand = 0; operand < read_.sparse.size(); ++operand)
    if (plan.loops.copied[operand] && rootUse(operand, plan, space) == RootUse::Listed)
      copyOf(operand, plan, space);
  Term result;
  result.overwrites = term_.overwrites;
  result.isMerged = read_.isMerged;
  result.where = term_.where;
  for (int loop : order)
    result.loops.push_back(makeLoop(space.loops()[loop]));
  if (target().isAssembled())
    for (int dim = 0; dim < target().order(); ++dim)
      result.target.push_back(inNest(space.valueOf(dim), order));
  else
    result.target = indicesOf(target().format, numbersOf(logical_.targetVariables), space, order);
  for (AccessId id : read_.accesses)
    result.operands.push_back(buildOperand(id, plan, space));
  const auto valueOf = [&](VariableId variable) {
    return inNest(space.valueOf(static_cast<int>(placeOf(variable, read_.variables))), order);
  };
  buildExpression(result, valueOf);
  return result;
}

/// How the term reads an operand: where it is, or its copy in the storage that is planned.
Operand PhysicalPlanner::buildOperand(AccessId id, const PhysicalPlan &plan, const LevelSpace &space) {
  const std::vector<int> &order = plan.loops.order;
  const Access access = scope_.accesses[id];
  const size_t place = placeOf(id, read_.walked);
  const bool isWalked = place < read_.walked.size();
  Operand operand{access.tensor, {}, access.mirrored, {}, {}};
  std::vector<int> numbers;
  if (isWalked) {
    numbers = read_.sparse[place].variables;
  } else if (hasDerived(access, scope_)) {
    operand.tensor = DenseView(access, scope_, kernel_).addTo(kernel_);
    numbers = numbersOf(inStorageOrder(access));
  } else {
    numbers = numbersOf(access.variables);
  }
  if (isWalked && plan.loops.copied[place])
    operand.tensor = copyOf(place, plan, space);
  operand.indices = indicesOf(kernel_.tensors[operand.tensor].format, numbers, space, order);
  if (const format::Format &format = kernel_.tensors[access.tensor].format;
      isWalked && !plan.loops.copied[place] && format.levels.front().isFound &&
      !isFoundAt(static_cast<int>(space.levelIndex(format.levels.front(), numbers)->terms.front().loop.index()), plan,
                 space))
    planning_.copies.askForWholeRoot(kernel_.tensors[access.tensor].as<Converted>()->source);
  if (const AccessId leader = leaderOf(id, read_.accesses, scope_, kernel_); !isWalked && leader != id)
    operand.follows = OperandId(placeOf(leader, read_.accesses));
  if (access.mirrored)
    for (int variable : numbers)
      operand.diagonal.push_back(inNest(space.valueOf(variable), order));
  return operand;
}

TensorId PhysicalPlanner::copyOf(size_t operand, const PhysicalPlan &plan, const LevelSpace &space) {
  return copies_.copyFor(Access(scope_.accesses[read_.walked[operand]]), read_.sparse[operand], space, plan.loops.order,
                         rootUse(operand, plan, space), target().isAssembled(), scope_);
}

/// How the loops come to the root of an operand's copy.
RootUse PhysicalPlanner::rootUse(size_t operand, const PhysicalPlan &plan, const LevelSpace &space) const {
  const auto [place, dim] = OperandCopies::levelPlaces(read_.sparse[operand], space, plan.loops.order).front();
  const SpaceLoop &loop = space.loops()[plan.loops.order[place]];
  const bool isOne = space.valueOf(read_.sparse[operand].variables[dim]).terms.size() == 1;
  if (place > 0 && isOne && isFoundAt(plan.loops.order[place], plan, space))
    return RootUse::Found;
  return isOne && isListedEverywhere(loop) ? RootUse::Listed : RootUse::Whole;
}

/// Whether the loops come to nothing but coordinates of a loop that a sparse operand lists.
bool PhysicalPlanner::isFoundAt(int loop, const PhysicalPlan &plan, const LevelSpace &space) const {
  const auto isListed = [&](AccessId id) { return lists(id, loop, plan, space); };
  return space.loops()[loop].part == format::Part::Whole && !read_.isMerged &&
         isWithinEntries(visitedPlaces(), isListed);
}

/// Whether a sparse operand, as the loops read it, lists the coordinates of a loop.
bool PhysicalPlanner::lists(AccessId id, int loop, const PhysicalPlan &plan, const LevelSpace &space) const {
  const size_t number = placeOf(id, read_.walked);
  if (number == read_.walked.size())
    return false;
  const SparseAccess &access = read_.sparse[number];
  if (!plan.loops.copied[number])
    return std::any_of(access.format->levels.begin(), access.format->levels.end(), [&](const format::Level &level) {
      const std::optional<Index> index = space.levelIndex(level, access.variables);
      return !level.isFullyDense() && index && index->terms.size() == 1 &&
             static_cast<int>(index->terms.front().loop.index()) == loop;
    });
  const auto places = OperandCopies::levelPlaces(access, space, plan.loops.order);
  return std::any_of(places.begin() + 1, places.end(),
                     [&](const auto &level) { return plan.loops.order[level.first] == loop; });
}

/// The places at which loops compute the term.
AccessDomain PhysicalPlanner::visitedPlaces() const {
  if (hasDomain(*term_.expr, logical_.reduction, scope_, kernel_))
    return domainOfTerm(*term_.expr, logical_.targetDefault, logical_.computeType, scope_, kernel_);
  return sparsityOf(*term_.expr, logical_.computeType, scope_, kernel_).domain.value_or(AccessDomain());
}

/// The same in numbers of walked operands; nullopt where all of these have to have an entry.
std::optional<DomainOver<int>> PhysicalPlanner::walkedPlaces() const {
  if (!hasDomain(*term_.expr, logical_.reduction, scope_, kernel_))
    return std::nullopt;
  const std::function<DomainOver<int>(const AccessDomain &)> numbered = [&](const AccessDomain &domain) {
    DomainOver<int> places{domain.kind};
    if (domain.kind == DomainKind::Stored || domain.kind == DomainKind::Missing) {
      const bool isWalked = has(read_.walked, domain.operand);
      const AccessId walked = isWalked ? domain.operand : leaderOf(domain.operand, read_.accesses, scope_, kernel_);
      if (!has(read_.walked, walked))
        return DomainOver<int>{};
      places.operand = static_cast<int>(placeOf(walked, read_.walked));
    }
    for (const AccessDomain &part : domain.parts)
      places.parts.push_back(numbered(part));
    return places;
  };
  return numbered(visitedPlaces());
}

/// The value, and where it is computed.
void PhysicalPlanner::buildExpression(Term &result, const std::function<Index(VariableId)> &valueOf) const {
  std::optional<AccessDomain> domain;
  if (hasDomain(*term_.expr, logical_.reduction, scope_, kernel_))
    domain = domainOfTerm(*term_.expr, logical_.targetDefault, logical_.computeType, scope_, kernel_);
  const ExpressionBuilder builder(read_.accesses, scope_, kernel_, valueOf, domain);
  // What is computed nowhere must not fold to a constant, which loops would not see.
  const NodePtr entry = domain ? anyEntryOf(*domain) : nullptr;
  result.expr = builder.build(entry ? *entry : *term_.expr, logical_.computeType);
  if (domain)
    result.domain = builder.numbered(*domain);
  addEquations(result, valueOf);
}

void PhysicalPlanner::addEquations(Term &result, const std::function<Index(VariableId)> &valueOf) const {
  const auto add = [&](const std::vector<Equation> &equations, bool isChoice) {
    for (const Equation &equation : equations) {
      LoopEquation tied{{}, isChoice};
      for (const auto &[variable, multiple] : equation.multiples)
        for (const IndexTerm &part : valueOf(variable).terms)
          tied.multiples[part.loop] += multiple.number * part.scale;
      std::erase_if(tied.multiples, [](const auto &one) { return one.second == 0; });
      if (equation.isOfNumbers() && !tied.multiples.empty())
        result.equations.push_back(std::move(tied));
    }
  };
  const Node *value = term_.expr.get();
  while (const auto *minus = std::get_if<NegateNode>(&value->kind))
    value = minus->operand.get();
  if (const Node *condition = conditionOfChoice(*value))
    add(equationsOfCondition(*condition, scope_, kernel_), true);
  else
    add(equationsOfProduct(*value, scope_, kernel_), false);
}

/// Of a domain without places an access that it names, as a truth where one is computed; else null.
NodePtr PhysicalPlanner::anyEntryOf(const AccessDomain &domain) const {
  if (!isNowhere(domain))
    return nullptr;
  NodePtr entry = makeNode(AccessNode{domain.parts.front().operand}, term_.where);
  if (logical_.computeType != ValueType::Bool)
    return entry;
  CallNode truth{Function::Cast, ValueType::Bool, {}};
  truth.arguments.push_back(std::move(entry));
  return makeNode(std::move(truth), term_.where);
}

bool PhysicalPlanner::isListedEverywhere(const SpaceLoop &loop) const {
  const VariableId variable = read_.variables[loop.variable];
  const auto lists = [&](const Tensor &tensor, const std::vector<VariableId> &byDimension) {
    return std::none_of(tensor.format.levels.begin(), tensor.format.levels.end(), [&](const format::Level &level) {
      return level.isDense() && byDimension[level.dim] == variable;
    });
  };
  return loop.part == format::Part::Whole && lists(target(), logical_.targetVariables) &&
         std::all_of(read_.accesses.begin(), read_.accesses.end(), [&](AccessId id) {
           const Access &access = scope_.accesses[id];
           if (!hasDerived(access, scope_))
             return lists(kernel_.tensors[access.tensor], access.variables);
           const std::vector<VariableId> plain = plainVariables(access, scope_);
           return !has(plain, variable);
         });
}

Loop PhysicalPlanner::makeLoop(const SpaceLoop &loop) const {
  const auto isTarget = [&](int variable) { return variable < static_cast<int>(logical_.targetVariables.size()); };
  const Variable &variable = scope_.variables[read_.variables[loop.variable]];
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
    result.variable += " - " + scope_.variables[read_.variables[loop.minus]].name;
    result.isReduction = result.isReduction || !isTarget(loop.minus);
    break;
  }
  return result;
}

} // namespace spc::sema
