// What a product computes for the entries of a sparse operand by functions that take long, `S(i,j) * exp(E(i,j))` in
// `O(i,f) = S(i,j) * exp(E(i,j)) * V(j,f)`, as a temporary with that operand's pattern: several products share it, and
// loops over further variables do not compute it again.
#include "format/levels.h"
#include "sema/apart.h"
#include "sema/simplify.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace spc::sema {
namespace {

/// Extents of variables over which a product computes no entry again, as registers hold what it multiplies.
constexpr int64_t kFewColumns = 16;

/// A product in which an operand's entries are multiplied with functions of as many variables.
struct Found {
  size_t statement;
  Node *entries; ///< the factor that lists them: the operand, or where it has entries
  Access operand;
  std::vector<Node *> functions = {}; ///< in the order of the text
  bool isRepeated = false;            ///< for each element of a further dimension
  std::string key = {};               ///< the same for what computes the same
};

class FunctionSplitter {
public:
  explicit FunctionSplitter(Program &program) : program_(program) {}

  void run() {
    for (size_t k = 0; k < program_.statements.size(); ++k)
      note(k);
    for (const std::string &key : order_)
      if (const std::vector<Found> &all = found_.at(key); isWorthwhile(all))
        computeApart(all);
    if (!apart_.empty())
      insertApart(program_, std::move(apart_));
  }

private:
  const ResolvedStatement &at(size_t statement) const { return program_.statements[statement]; }

  /// Whether a tensor lists entries, or may do so as a statement's target.
  bool mayList(TensorId tensor) const {
    return !program_.tensors[tensor].format.isDense() || (listed_.contains(tensor) && listed_.at(tensor));
  }

  /// Whether an access lists the entries of an operand, at the same place, or none.
  bool listsAlike(const Access &access, const Access &operand) const {
    const auto pattern = patterns_.find(access.tensor);
    const TensorId owner = pattern == patterns_.end() ? access.tensor : pattern->second;
    return !mayList(access.tensor) || (owner == operand.tensor && access.variables == operand.variables);
  }

  void note(size_t number) {
    ResolvedStatement &statement = program_.statements[number];
    if (!statement.value)
      return;
    const bool asks = hasNode(*statement.value, [](const Node &one) {
      const auto *call = std::get_if<CallNode>(&one.kind);
      return call && (language::isOfPlaces(call->function) || call->function == Function::Where);
    });
    const TensorId written = statement.target.tensor;
    if (const std::optional<TensorId> pattern = asks ? std::nullopt : patternOf(number))
      patterns_.emplace(written, *pattern);
    if (lastWrite_.contains(written))
      patterns_.erase(written);
    lastWrite_[written] = number;
    listed_[written] |=
        asks || std::ranges::any_of(statement.scope.accesses, [&](const Access &one) { return mayList(one.tensor); });
    const Tensor &target = program_.tensors[statement.target.tensor];
    const ValueType type = computeTypeOf(program_, statement);
    if (!asks && !statement.takesIn && !statement.isFused && target.format.isDense() &&
        (statement.op == AssignOp::Assign || statement.op == AssignOp::Add) &&
        (type == ValueType::F64 || type == ValueType::F32))
      search(number, *statement.value);
  }

  /// The operand whose entries a temporary has, which is a product with it.
  std::optional<TensorId> patternOf(size_t number) {
    ResolvedStatement &statement = program_.statements[number];
    if (!statement.isTemporary || statement.op != AssignOp::Assign || program_.symbols[statement.target.tensor].boundBy)
      return std::nullopt;
    std::vector<Node *> factors;
    addFactors(*statement.value, factors);
    const std::optional<Found> found = foundIn(number, factors);
    return found && found->operand.variables == statement.target.variables && mayShare(*found) &&
                   isAlone(*statement.value, *found)
               ? std::optional(found->operand.tensor)
               : std::nullopt;
  }

  /// Looks through sums for products.
  void search(size_t number, Node &node) {
    const auto *reduction = std::get_if<ReduceNode>(&node.kind);
    const auto *binary = std::get_if<BinaryNode>(&node.kind);
    if (binary && (binary->op == BinaryOp::Mul || binary->op == BinaryOp::Div))
      noteProduct(number, node);
    if (asSum(node) || std::holds_alternative<NegateNode>(node.kind) ||
        (reduction && reduction->reduction == Reduction::Sum))
      for (Node *child : children(node))
        search(number, *child);
  }

  /// The factors of a product that are no divisors.
  static void addFactors(Node &node, std::vector<Node *> &factors) {
    auto *binary = std::get_if<BinaryNode>(&node.kind);
    if (!binary || asSum(node))
      return factors.push_back(&node);
    addFactors(*binary->left, factors);
    if (binary->op == BinaryOp::Mul)
      addFactors(*binary->right, factors);
  }

  /// Looks for products in what a product divides by, and in the sums among its factors but some of these.
  void searchWithin(size_t number, Node &node, const std::vector<Node *> &but) {
    auto *binary = std::get_if<BinaryNode>(&node.kind);
    if (!binary || asSum(node)) {
      if (std::holds_alternative<ReduceNode>(node.kind) && !has(but, &node))
        search(number, node);
      return;
    }
    searchWithin(number, *binary->left, but);
    if (binary->op == BinaryOp::Div)
      search(number, *binary->right);
    else
      searchWithin(number, *binary->right, but);
  }

  /// The one factor of several that lists entries.
  std::optional<Found> foundIn(size_t number, const std::vector<Node *> &factors) const {
    std::optional<Found> found;
    for (Node *factor : factors)
      if (const std::optional<AccessId> operand = entriesOf(*factor, at(number).scope)) {
        if (found)
          return std::nullopt;
        found = Found{number, factor, at(number).scope.accesses[*operand]};
      }
    return found;
  }

  void noteProduct(size_t number, Node &product) {
    std::vector<Node *> factors;
    addFactors(product, factors);
    std::optional<Found> found = foundIn(number, factors);
    if (found)
      for (Node *factor : factors)
        if (factor != found->entries && isLong(*factor, found->operand.variables, at(number).scope))
          found->functions.push_back(factor);
    searchWithin(number, product, found ? found->functions : std::vector<Node *>());
    const bool isTarget = found && &product == at(number).value.get() &&
                          factors.size() == found->functions.size() + 1 &&
                          found->operand.variables == at(number).target.variables;
    if (!found || found->functions.empty() || isTarget || !mayShare(*found) || !isAlone(product, *found))
      return;
    found->isRepeated = isRepeated(product, factors, *found);
    found->key = keyOf(*found);
    if (!found_.contains(found->key))
      order_.push_back(found->key);
    found_[found->key].push_back(*std::move(found));
  }

  /// Whether a temporary may have the pattern of an operand: it lists just entries, or is copied to such a format
  /// anyway, as functions of its elements want these whole.
  bool mayShare(const Found &found) const {
    const Scope &scope = at(found.statement).scope;
    return format::listsJustEntries(program_.tensors[found.operand.tensor].format) ||
           std::ranges::any_of(found.functions, [&](const Node *function) {
             const std::vector<AccessId> all = accessesOf(*function);
             return std::ranges::any_of(all,
                                        [&](AccessId id) { return scope.accesses[id].tensor == found.operand.tensor; });
           });
  }

  /// Whether loops over a further dimension of the target are inside of those over entries: none of these is summed
  /// over before, as nothing else has its variable.
  bool isRepeated(const Node &product, const std::vector<Node *> &factors, const Found &found) const {
    const ResolvedStatement &statement = at(found.statement);
    const std::vector<VariableId> &own = found.operand.variables, &targets = statement.target.variables;
    const auto isWide = [&](VariableId variable) {
      const std::optional<int64_t> fixed = program_.extents[statement.scope.variables[variable].extent].fixed;
      return !has(own, variable) && has(targets, variable) && fixed.value_or(kFewColumns) >= kFewColumns;
    };
    const auto isReadElsewhere = [&](VariableId variable) {
      return std::ranges::any_of(factors, [&](const Node *factor) {
        return factor != found.entries && std::ranges::find(found.functions, factor) == found.functions.end() &&
               occurs(variable, *factor, statement.scope);
      });
    };
    return std::ranges::any_of(freeVariables(product, statement.scope), isWide) &&
           std::ranges::all_of(
               own, [&](VariableId variable) { return has(targets, variable) || isReadElsewhere(variable); });
  }

  /// The operand of which a factor is a value for each entry, `A(i,j)` or `pattern(A(i,j))`, if each is listed once.
  std::optional<AccessId> entriesOf(const Node &factor, const Scope &scope) const {
    const auto *call = std::get_if<CallNode>(&factor.kind);
    const Node &node = call && call->function == Function::Pattern ? *call->arguments.front() : factor;
    const auto *use = std::get_if<AccessNode>(&node.kind);
    if (!use)
      return std::nullopt;
    const Access &access = scope.accesses[use->access];
    const Tensor &tensor = program_.tensors[access.tensor];
    const format::Format &format = tensor.format;
    std::vector<VariableId> sorted = access.variables;
    std::ranges::sort(sorted);
    const bool isDistinct = std::ranges::adjacent_find(sorted) == sorted.end();
    const bool isGiven = tensor.is<Parameter>() && program_.symbols[access.tensor].firstWrite < 0;
    return isGiven && !format.isDense() && tensor.fill == 0 && tensor.order() > 1 && isDistinct &&
                   !hasDerived(access, scope)
               ? std::optional(use->access)
               : std::nullopt;
  }

  /// Whether a factor calls such a function of all variables of an operand, and has no others.
  bool isLong(const Node &factor, const std::vector<VariableId> &own, const Scope &scope) const {
    std::vector<VariableId> free = freeVariables(factor, scope);
    bool isPlain = true;
    forEachAccess(factor, true,
                  [&](const AccessNode &use, Span) { isPlain &= !hasDerived(scope.accesses[use.access], scope); });
    return isPlain && std::ranges::is_permutation(free, own) && callsLong(factor);
  }

  /// Whether nothing but an operand decides for which entries a product is computed: what else lists entries lists the
  /// same ones, or is in a divisor.
  bool isAlone(const Node &product, const Found &found) const {
    const auto *binary = std::get_if<BinaryNode>(&product.kind);
    if (binary && !asSum(product))
      return isAlone(*binary->left, found) && (binary->op == BinaryOp::Div || isAlone(*binary->right, found));
    const Scope &scope = at(found.statement).scope;
    return &product == found.entries || !hasNode(product, [&](const Node &node) {
      const auto *use = std::get_if<AccessNode>(&node.kind);
      return asksForEntries(node) || std::holds_alternative<IndexNode>(node.kind) ||
             (use && !listsAlike(scope.accesses[use->access], found.operand));
    });
  }

  /// The same for products that compute the same.
  std::string keyOf(const Found &found) const {
    Scope named = at(found.statement).scope;
    const std::vector<VariableId> &own = found.operand.variables;
    for (VariableId id : named.variables.ids()) {
      Variable &variable = named.variables[id];
      variable.name = (has(own, id) ? "#" + std::to_string(placeOf(id, own)) : "%" + std::to_string(id.index())) + ":" +
                      std::to_string(variable.extent.index());
    }
    std::vector<VariableId> bound;
    for (const Node *function : found.functions)
      addBound(*function, bound);
    for (size_t k = 0; k < bound.size(); ++k)
      named.variables[bound[k]].name =
          "%" + std::to_string(k) + ":" + std::to_string(named.variables[bound[k]].extent.index());
    std::string key(spelling(computeTypeOf(program_, at(found.statement))));
    key += " " + print(*found.entries, named, program_);
    std::vector<std::string> functions;
    for (const Node *function : found.functions)
      functions.push_back(print(*function, named, program_));
    std::ranges::sort(functions);
    for (const std::string &function : functions)
      key += " * " + function;
    return key;
  }

  static void addBound(const Node &node, std::vector<VariableId> &bound) {
    if (const auto *reduction = std::get_if<ReduceNode>(&node.kind))
      bound.insert(bound.end(), reduction->variables.begin(), reduction->variables.end());
    for (const Node *child : children(node))
      addBound(*child, bound);
  }

  /// Whether products are computed more often otherwise, from the same numbers.
  bool isWorthwhile(const std::vector<Found> &all) const {
    return (all.size() > 1 || all.front().isRepeated) &&
           std::ranges::all_of(all, [&](const Found &found) { return isSettled(found, all) && hasOwnSums(found); });
  }

  /// Whether what a product reads is written before any of them.
  bool isSettled(const Found &found, const std::vector<Found> &all) const {
    const Scope &scope = at(found.statement).scope;
    bool isSettled = true;
    const auto visit = [&](const AccessNode &use, Span) {
      const auto written = lastWrite_.find(scope.accesses[use.access].tensor);
      isSettled &= written == lastWrite_.end() || written->second < all.front().statement;
    };
    for (const Node *function : found.functions)
      forEachAccess(*function, true, visit);
    return isSettled;
  }

  /// Whether the sums in functions stand nowhere else in a statement, which would share them.
  bool hasOwnSums(const Found &found) const {
    const ResolvedStatement &statement = at(found.statement);
    const auto readBy = [&](const Node &sum) {
      std::set<TensorId> tensors;
      forEachAccess(sum, true,
                    [&](const AccessNode &use, Span) { tensors.insert(statement.scope.accesses[use.access].tensor); });
      return tensors;
    };
    std::multiset<std::set<TensorId>> within, all;
    const auto add = [&](const Node &node, std::multiset<std::set<TensorId>> &sums, const auto &again) -> void {
      if (std::holds_alternative<ReduceNode>(node.kind))
        sums.insert(readBy(node));
      for (const Node *child : children(node))
        again(*child, sums, again);
    };
    for (const Found &same : found_.at(found.key))
      for (const Node *function : same.functions)
        if (same.statement == found.statement)
          add(*function, within, add);
    add(*statement.value, all, add);
    return std::ranges::all_of(within, [&](const auto &sum) { return within.count(sum) == all.count(sum); });
  }

  void computeApart(const std::vector<Found> &all) {
    const Found &first = all.front();
    const ResolvedStatement &statement = at(first.statement);
    Tensor made;
    made.name = "$" + std::to_string(program_.tensors.size());
    made.role = Temporary{};
    made.type = computeTypeOf(program_, statement);
    const TensorId tensor = addTemporary(program_, std::move(made), first.operand.variables, statement);
    NodePtr value = clone(*first.entries);
    for (const Node *function : first.functions)
      value = makeBinary(BinaryOp::Mul, std::move(value), clone(*function));
    apart_.push_back({first.statement, statementApart(tensor, first.operand.variables, statement, std::move(value))});
    for (const Found &found : all) {
      ResolvedStatement &reader = program_.statements[found.statement];
      const AccessId own = reader.scope.intern({tensor, found.operand.variables, {}, found.operand.where});
      found.entries->kind = AccessNode{own};
      leaveOut(reader.value, found.functions);
      tidy(reader);
    }
  }

  /// Leaves factors out of the products of a tree.
  static void leaveOut(NodePtr &node, const std::vector<Node *> &factors) {
    auto *binary = std::get_if<BinaryNode>(&node->kind);
    if (has(factors, node.get())) {
      node->kind = NumberNode{1, "1"};
    } else if (binary && binary->op == BinaryOp::Mul && has(factors, binary->left.get())) {
      node = std::exchange(binary->right, nullptr);
      leaveOut(node, factors);
    } else if (binary && binary->op == BinaryOp::Mul && has(factors, binary->right.get())) {
      node = std::exchange(binary->left, nullptr);
      leaveOut(node, factors);
    } else if (binary) {
      leaveOut(binary->left, factors);
      leaveOut(binary->right, factors);
    } else if (auto *negate = std::get_if<NegateNode>(&node->kind)) {
      leaveOut(negate->operand, factors);
    } else if (auto *reduction = std::get_if<ReduceNode>(&node->kind)) {
      leaveOut(reduction->body, factors);
    }
  }

  Program &program_;
  std::map<TensorId, bool> listed_; ///< by what statements write: whether it may list entries
  std::map<TensorId, size_t> lastWrite_;
  std::map<TensorId, TensorId> patterns_;           ///< of temporaries: the operand whose entries each has
  std::map<std::string, std::vector<Found>> found_; ///< by what they compute
  std::vector<std::string> order_;                  ///< of its keys, in the order of the text
  std::vector<Apart> apart_;
};

} // namespace

void computeFunctionsApart(Program &program) {
  FunctionSplitter(program).run();
}

} // namespace spc::sema
