#include "sema/plan/plan_assembly.h"

#include "sema/plan/empty_sums.h"
#include "sema/plan/physical_planner.h"
#include "sema/plan/prescribed_order.h"
#include "sema/terms/copy_advice.h"
#include "sema/terms/merge_size.h"
#include "sema/terms/sparsity.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

namespace spc::sema {
namespace {

constexpr DiagnosticKind kReorderedResult{"reorder", Severity::Warning};

constexpr int kMaxPermuted = 3;       ///< dimensions: up to here every collecting order is tried
constexpr size_t kMaxJoinedTerms = 3; ///< merging n operands makes 2^n - 1 loop bodies
constexpr size_t kMaxJoinedOperands = 4;
constexpr double kMaxJoinedLoops = 64;                             ///< the same, counted by levels
constexpr double kEntriesOfMatrix = kUnknownExtent * kFiberLength; ///< with fibers of the estimated length

class AssemblyPlanner {
public:
  AssemblyPlanner(Planning &planning, OperandCopies &copies, const LogicalStatement &logical)
      : planning_(planning), copies_(copies), logical_(logical), scope_(planning.statements[logical.statement].scope) {}

  std::optional<Step> run() {
    if (std::optional<Conversion> conversion = asConversion())
      return *conversion;
    const std::vector<LogicalTerm> nests = joinTerms();
    std::optional<Choice> chosen = choose(nests, {});
    if (!chosen) {
      reportNoOrder(nests);
      return std::nullopt;
    }
    if (isPrescribed(nests) && !(chosen = asPrescribed(nests, *chosen)))
      return std::nullopt;
    if (chosen->collecting.dims != storedOrder(target().format))
      reportReorderedResult(chosen->collecting.dims);
    return build(nests, *chosen);
  }

private:
  struct Choice {
    Collecting collecting;
    std::vector<PhysicalPlan> plans; ///< by nest
    double cost = 0;
    size_t sorts = 0; ///< of operands that are copied, and of the result
  };

  using Orders = std::vector<PrescribedOrder>; ///< by nest; none at all: free, as one without variables is

  const Tensor &tensorOf(AccessId id) const { return planning_.kernel.tensors[scope_.accesses[id].tensor]; }
  const Tensor &target() const { return planning_.kernel.tensors[logical_.target]; }

  /// A right side that is one sparse operand with the target's variables and type.
  std::optional<Conversion> asConversion() const {
    const LogicalTerm &term = logical_.terms.front();
    const auto *use = std::get_if<AccessNode>(&term.expr->kind);
    if (logical_.terms.size() > 1 || !use || !term.reductions.empty())
      return std::nullopt;
    const Access &access = scope_.accesses[use->access];
    const Tensor &source = tensorOf(use->access);
    const bool isPermutation = std::is_permutation(access.variables.begin(), access.variables.end(),
                                                   logical_.targetVariables.begin(), logical_.targetVariables.end());
    const auto *temporary = target().as<Temporary>();
    if (planning_.options.dropZeros || (temporary && temporary->dropsZeros) || source.format.isDense() ||
        source.type != target().type || source.fill != target().fill || access.mirrored || !isPermutation)
      return std::nullopt;
    if (target().format.symmetry != format::Symmetry::None && !listsTriangle(source.format))
      return std::nullopt;
    // Which zeros pad the source of a copy the symbolic phase does not know: its copy has more entries.
    const auto *copy = source.as<Converted>();
    if (copy && copy->isCanonical && format::hasPadding(planning_.kernel.tensors[copy->source].format))
      return std::nullopt;
    Conversion conversion{access.tensor, logical_.target, {}, logical_.where};
    for (VariableId variable : access.variables)
      conversion.dims.push_back(dimensionOf(variable));
    return conversion;
  }

  /// Whether all that a format stores are entries of one triangle.
  static bool listsTriangle(const format::Format &format) {
    for (int k = 0; k < format.levelCount(); ++k) {
      const format::LevelKind kind = format::kindOf(format, k);
      const bool isList = kind == format::LevelKind::Compressed || kind == format::LevelKind::Singleton;
      if (format.levels[k].part != format::Part::Whole || !(isList || (k == 0 && kind == format::LevelKind::Dense)))
        return false;
    }
    return format.symmetry != format::Symmetry::None;
  }

  int dimensionOf(VariableId variable) const { return static_cast<int>(placeOf(variable, logical_.targetVariables)); }

  // Terms whose loops are the target's alone, over entries of a sparse operand each, become one that is merged.
  std::vector<LogicalTerm> joinTerms() const {
    std::vector<LogicalTerm> nests, joined;
    size_t operands = 0;
    double loops = 1;
    for (const LogicalTerm &term : logical_.terms) {
      const size_t sparse = sparseAccesses(term).size();
      const double ends = loopsOf(term);
      const bool fits =
          joined.size() < kMaxJoinedTerms && operands + sparse <= kMaxJoinedOperands && loops * ends <= kMaxJoinedLoops;
      LogicalTerm plain = copyOf(term);
      plain.expr = withTieValues(*plain.expr);
      if (fits && mayJoin(plain) && sharesNoAccess(plain, joined)) {
        operands += sparse;
        loops *= ends;
        joined.push_back(std::move(plain));
      } else {
        nests.push_back(copyOf(term));
      }
    }
    // Strictly, terms are added in the order of the source.
    if (planning_.options.strictFp && !joined.empty() && !nests.empty())
      return copiesOfTerms();
    if (!joined.empty())
      nests.insert(nests.begin(), sumOf(std::move(joined), planning_.options.strictFp));
    return nests;
  }

  /// A product with the values of ties in place of their patterns: each entry of a tie is true, and products of values
  /// merge.
  NodePtr withTieValues(const Node &node) const {
    if (const auto *negate = std::get_if<NegateNode>(&node.kind))
      return makeNode(NegateNode{withTieValues(*negate->operand)}, node.where);
    if (const auto *binary = std::get_if<BinaryNode>(&node.kind); binary && binary->op == BinaryOp::Mul)
      return makeNode(BinaryNode{BinaryOp::Mul, withTieValues(*binary->left), withTieValues(*binary->right)},
                      node.where);
    const auto *call = std::get_if<CallNode>(&node.kind);
    if (call && call->function == Function::Cast)
      call = std::get_if<CallNode>(&call->arguments.front()->kind);
    const auto *use =
        call && call->function == Function::Pattern ? std::get_if<AccessNode>(&call->arguments.front()->kind) : nullptr;
    return use && tensorOf(use->access).is<Tie>() ? makeNode(*use, node.where) : clone(node);
  }

  /// How many loops a product's operands make of those of each other term.
  double loopsOf(const LogicalTerm &term) const {
    AccessDomain all{AccessDomain::Kind::All, {}, {}};
    for (AccessId id : sparseAccesses(term))
      all.parts.push_back({AccessDomain::Kind::Stored, id, {}});
    return loopsToMerge(all, {}, scope_, planning_.kernel);
  }

  std::vector<LogicalTerm> copiesOfTerms() const {
    std::vector<LogicalTerm> copies;
    for (const LogicalTerm &term : logical_.terms)
      copies.push_back(copyOf(term));
    return copies;
  }

  std::vector<AccessId> sparseAccesses(const LogicalTerm &term) const {
    std::vector<AccessId> sparse;
    for (AccessId id : accessesOf(*term.expr))
      if (!tensorOf(id).format.isDense())
        sparse.push_back(id);
    return sparse;
  }

  bool mayJoin(const LogicalTerm &term) const {
    if (!term.reductions.empty() || hasDomain(*term.expr, logical_.reduction, scope_, planning_.kernel))
      return false;
    bool visitsEntries = false;
    for (AccessId id : sparseAccesses(term)) {
      const Access &access = scope_.accesses[id];
      if (access.mirrored)
        return false;
      std::set<VariableId> variables(access.variables.begin(), access.variables.end());
      visitsEntries |= variables == std::set(logical_.targetVariables.begin(), logical_.targetVariables.end());
    }
    // An integer product with 0 is folded, and the pattern with it: such a term needs a nest of its own.
    const bool mayFold = !isFloat(logical_.computeType) && !isComplex(logical_.computeType);
    return visitsEntries && !(mayFold && hasLiteral(*term.expr));
  }

  static bool hasLiteral(const Node &node) {
    const std::vector<const Node *> below = children(node);
    return std::holds_alternative<NumberNode>(node.kind) ||
           std::any_of(below.begin(), below.end(), [](const Node *child) { return hasLiteral(*child); });
  }

  static bool sharesNoAccess(const LogicalTerm &term, const std::vector<LogicalTerm> &others) {
    const std::vector<AccessId> mine = accessesOf(*term.expr);
    return std::none_of(others.begin(), others.end(), [&](const LogicalTerm &other) {
      const std::vector<AccessId> theirs = accessesOf(*other.expr);
      return std::any_of(mine.begin(), mine.end(), [&](AccessId id) { return has(theirs, id); });
    });
  }

  LogicalTerm sumOf(std::vector<LogicalTerm> terms, bool keepsOrder) const {
    // a - b rather than -b + a: a difference needs no negation.
    const auto isNegated = [](const LogicalTerm &term) { return std::holds_alternative<NegateNode>(term.expr->kind); };
    const auto positive = std::find_if_not(terms.begin(), terms.end(), isNegated);
    if (!keepsOrder && positive != terms.end())
      std::rotate(terms.begin(), positive, terms.end());
    LogicalTerm sum = std::move(terms.front());
    for (auto term = terms.begin() + 1; term != terms.end(); ++term)
      addTo(sum, std::move(*term), scope_);
    return sum;
  }

  std::vector<std::vector<int>> collectingOrders() const {
    std::vector<std::vector<int>> orders = {storedOrder(target().format)};
    std::vector<int> dims(target().order());
    std::iota(dims.begin(), dims.end(), 0);
    do {
      if (dims != orders.front())
        orders.push_back(dims);
    } while (target().order() <= kMaxPermuted && std::next_permutation(dims.begin(), dims.end()));
    return orders;
  }

  /// The cheapest of those that sort least, unless one that sorts more is far cheaper.
  std::optional<Choice> choose(const std::vector<LogicalTerm> &nests, const Orders &prescribed) const {
    std::map<size_t, Choice> bestBySorts;
    for (const std::vector<int> &dims : collectingOrders()) {
      std::optional<Choice> other = tryOrder(nests, dims, prescribed);
      if (!other)
        continue;
      const auto best = bestBySorts.find(other->sorts);
      if (best == bestBySorts.end() || other->cost < best->second.cost)
        bestBySorts.insert_or_assign(other->sorts, std::move(*other));
    }
    std::optional<Choice> chosen;
    for (auto &[sorts, best] : bestBySorts)
      if (!chosen || best.cost * kOrderOfCost < chosen->cost)
        chosen = std::move(best);
    return chosen;
  }

  std::optional<Choice> tryOrder(const std::vector<LogicalTerm> &nests, const std::vector<int> &dims,
                                 const Orders &prescribed) const {
    Choice choice{{dims, target().order() - 1}, {}};
    if (dims != storedOrder(target().format)) {
      choice.sorts = entriesInMatrices(nests);
      choice.cost = 2 * kEntriesOfMatrix * static_cast<double>(choice.sorts); // two passes over the result
    }
    for (size_t k = 0; k < nests.size(); ++k) {
      const PhysicalPlanner planner = PhysicalPlanner::forTerm(planning_, copies_, logical_, nests[k]);
      std::optional<PhysicalPlan> plan = prescribed.empty() ? planner.plan(dims) : planner.plan(dims, prescribed[k]);
      if (!plan)
        return std::nullopt;
      choice.collecting.rowOrder = std::min(choice.collecting.rowOrder, plan->rowOrder);
      choice.cost += plan->loops.cost;
      choice.sorts += std::count(plan->loops.copied.begin(), plan->loops.copied.end(), true);
      choice.plans.push_back(std::move(*plan));
    }
    return choice;
  }

  /// How many times a matrix's entries the result is taken to have: a product of sparse operands, none of which bounds
  /// it, has as many as a fiber for each entry of one. Operands that meet at all their indices may have few in common.
  size_t entriesInMatrices(const std::vector<LogicalTerm> &nests) const {
    const auto isBounded = [&](const LogicalTerm &nest) {
      const bool hasOwn = hasDomain(*nest.expr, logical_.reduction, scope_, planning_.kernel);
      const MaybeDomain places =
          hasOwn ? domainOfTerm(*nest.expr, logical_.targetDefault, logical_.computeType, scope_, planning_.kernel)
                 : sparsityOf(*nest.expr, logical_.computeType, scope_, planning_.kernel).domain;
      return nest.reductions.empty() || !isOfSeveral(nest) || (places && isBoundedBy(*places));
    };
    return std::ranges::all_of(nests, isBounded) ? 1 : static_cast<size_t>(kFiberLength);
  }

  /// Whether a product has several sparse operands, no two of which have the same indices.
  bool isOfSeveral(const LogicalTerm &nest) const {
    std::set<std::set<VariableId>> indices;
    for (AccessId id : sparseAccesses(nest))
      if (const auto &own = scope_.accesses[id].variables; !indices.emplace(own.begin(), own.end()).second)
        return false;
    return indices.size() > 1;
  }

  /// Whether each place of a domain is that of an operand's entry, with all of the target's variables.
  bool isBoundedBy(const AccessDomain &domain) const {
    const auto bounds = [&](const AccessDomain &part) { return isBoundedBy(part); };
    if (domain.kind == DomainKind::Stored)
      return std::ranges::all_of(logical_.targetVariables, [&](VariableId variable) {
        return has(scope_.accesses[domain.operand].variables, variable);
      });
    return domain.kind == DomainKind::All   ? std::ranges::any_of(domain.parts, bounds)
           : domain.kind == DomainKind::Any ? std::ranges::all_of(domain.parts, bounds)
                                            : false;
  }

  bool isPrescribed(const std::vector<LogicalTerm> &nests) const {
    return std::any_of(nests.begin(), nests.end(), [&](const LogicalTerm &nest) {
      return PhysicalPlanner::forTerm(planning_, copies_, logical_, nest).prescribedVariables().has_value();
    });
  }

  /// The choice with the loops in the order that the schedule sets, and copies that the cheapest one has, too; nullopt
  /// after reporting that there is none.
  std::optional<Choice> asPrescribed(const std::vector<LogicalTerm> &nests, const Choice &cheapest) const {
    Orders orders;
    std::optional<size_t> first;
    for (size_t k = 0; k < nests.size(); ++k) {
      const PhysicalPlanner planner = PhysicalPlanner::forTerm(planning_, copies_, logical_, nests[k]);
      const std::optional<std::vector<VariableId>> variables = planner.prescribedVariables();
      orders.push_back({variables.value_or(std::vector<VariableId>()), cheapest.plans[k].loops.copied});
      if (variables && !first)
        first = k;
    }
    std::optional<Choice> prescribed = choose(nests, orders);
    const PhysicalPlanner planner = PhysicalPlanner::forTerm(planning_, copies_, logical_, nests[*first]);
    if (prescribed) {
      warnIfSlow(planning_, nests[*first], prescribed->cost, cheapest.cost, planner.orderOf(cheapest.plans[*first]));
      return prescribed;
    }
    Diagnostic &refused = planner.reportForbidden(orders[*first], cheapest.plans[*first]);
    if (nests.size() > 1)
      refused.note(logical_.where, "all terms come to the entries of " + quotedName(planning_.kernel, logical_.target) +
                                       " in one order");
    return std::nullopt;
  }

  Statement build(const std::vector<LogicalTerm> &nests, const Choice &choice) const {
    Statement statement;
    statement.target = logical_.target;
    statement.computeType = logical_.computeType;
    statement.reduction = logical_.reduction;
    statement.collecting = choice.collecting;
    statement.collecting->isWide =
        isHalf(target().type) && (nests.size() > 1 || std::any_of(nests.begin(), nests.end(), [](const auto &nest) {
                                    return !nest.reductions.empty();
                                  }));
    statement.where = logical_.where;
    statement.emptyWith = extentsThatEmpty(logical_, planning_);
    for (size_t k = 0; k < nests.size(); ++k)
      statement.terms.push_back(
          PhysicalPlanner::forTerm(planning_, copies_, logical_, nests[k]).build(choice.plans[k]));
    std::vector<const LogicalTerm *> planned;
    for (const LogicalTerm &nest : nests)
      planned.push_back(&nest);
    noteEmptyTerms(statement, planned, planning_, scope_);
    return statement;
  }

  void reportNoOrder(const std::vector<LogicalTerm> &nests) const {
    for (const LogicalTerm &nest : nests) {
      const PhysicalPlanner planner = PhysicalPlanner::forTerm(planning_, copies_, logical_, nest);
      if (!planner.plan(storedOrder(target().format)))
        return planner.reportNoOrder();
    }
  }

  void reportReorderedResult(const std::vector<int> &dims) const {
    std::vector<VariableId> wanted(dims.size());
    for (size_t k = 0; k < dims.size(); ++k)
      wanted[k] = logical_.targetVariables[dims[k]];
    std::string order;
    for (const std::string &name : namesOf(wanted, scope_))
      order += (order.empty() ? "" : ", ") + name;
    Diagnostic &reordered = planning_.diagnostics.report(
        kReorderedResult, logical_.where,
        "the result is reordered: the loops here come to its entries in the order (" + order +
            "), and each call sorts them once into that of " + nameInMessages(planning_.kernel, logical_.target));
    if (!isUnnamed(target()))
      reordered.advise("store " + quotedName(planning_.kernel, logical_.target) + " as " + shippedFormat(dims) +
                       " to avoid that");
  }

  Planning &planning_;
  OperandCopies &copies_;
  const LogicalStatement &logical_;
  const Scope &scope_;
};

} // namespace

std::vector<int> storedOrder(const format::Format &format) {
  std::vector<int> dims;
  const auto note = [&](int dim) {
    if (!has(dims, dim))
      dims.push_back(dim);
  };
  // Entries are sorted by diagonals whichever way they come: the order along these counts.
  for (const format::Level &level : format.levels)
    if (level.part != format::Part::Difference)
      note(level.dim);
  for (const format::Level &level : format.levels) {
    note(level.dim);
    if (level.part == format::Part::Difference)
      note(level.minus);
  }
  return dims;
}

std::optional<Step> planAssembly(Planning &planning, OperandCopies &copies, const LogicalStatement &logical) {
  return AssemblyPlanner(planning, copies, logical).run();
}

} // namespace spc::sema
