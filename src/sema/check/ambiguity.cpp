// Sums whose place the notation leaves open: the variable lives inside one group only, so that summing the group and
// summing the whole term are different things.
#include "sema/check/checking.h"
#include "sema/composed_reductions.h"

#include <algorithm>

namespace spc::sema {
namespace {

constexpr DiagnosticKind kAmbiguousSum{"ambiguous-sum", Severity::Error};

enum class Group { Sum, Divisor, Call };

struct Ambiguity {
  Group group;
  std::vector<const Node *> summedInside; ///< what a sum inside the group would go around
};

// The group that holds every use of `variable`, where that makes its sum ambiguous.
std::optional<Ambiguity> findAmbiguity(const Node &node, VariableId variable, const Scope &scope) {
  if (asSum(node)) {
    Ambiguity ambiguity{Group::Sum, {}};
    std::vector<Addend> addends = openAddends(node, false);
    for (const Addend &addend : addends)
      if (occurs(variable, *addend.node, scope))
        ambiguity.summedInside.push_back(addend.node);
    if (ambiguity.summedInside.size() < addends.size())
      return ambiguity;
    return std::nullopt;
  }
  if (const auto *binary = std::get_if<BinaryNode>(&node.kind)) {
    bool left = occurs(variable, *binary->left, scope);
    bool right = occurs(variable, *binary->right, scope);
    if (left && right)
      return std::nullopt;
    if (right && binary->op == BinaryOp::Div)
      return Ambiguity{Group::Divisor, {binary->right.get()}};
    return findAmbiguity(left ? *binary->left : *binary->right, variable, scope);
  }
  if (const std::optional<ComposedReduction> written = composedReduction(node);
      written && written->reduction != Reduction::Mean)
    return Ambiguity{Group::Call, {written->body}};
  std::vector<const Node *> below = children(node);
  const auto *reduction = std::get_if<ReduceNode>(&node.kind);
  const auto *call = std::get_if<CallNode>(&node.kind);
  if (call && language::isOfPlaces(call->function)) // no value is summed within an index
    return std::nullopt;
  if (call && call->function == Function::Where &&
      occurs(variable, *below[1], scope)) // as of a product with the condition
    return occurs(variable, *below[0], scope) ? std::nullopt : findAmbiguity(*below[1], variable, scope);
  if (call && call->function == Function::Cast) // what is cast may say more
    if (std::optional<Ambiguity> within = findAmbiguity(*below.front(), variable, scope))
      return within;
  if (std::holds_alternative<CallNode>(node.kind) || (reduction && reduction->reduction != Reduction::Sum)) {
    Ambiguity ambiguity{Group::Call, {}};
    for (const Node *argument : below)
      if (occurs(variable, *argument, scope))
        ambiguity.summedInside.push_back(argument);
    return ambiguity;
  }
  return below.empty() ? std::nullopt : findAmbiguity(*below.front(), variable, scope);
}

void checkAddend(Checking &checking, const ResolvedStatement &statement, const Node &addend) {
  const Scope &scope = statement.scope;
  for (VariableId variable : freeVariables(addend, scope)) {
    if (scope.variables[variable].kind != Variable::Kind::Implicit)
      continue;
    std::optional<Ambiguity> ambiguity = findAmbiguity(addend, variable, scope);
    if (!ambiguity)
      continue;
    const std::string &name = scope.variables[variable].name;
    const char *group = ambiguity->group == Group::Sum       ? "one of several added in parentheses"
                        : ambiguity->group == Group::Divisor ? "a divisor"
                                                             : "what one function or reduction is called with";
    std::string inside = print(addend, scope, checking.program, {ambiguity->summedInside, name});
    std::string whole = print(addend, scope, checking.program, {{&addend}, name});
    checking.diagnostics
        .report(kAmbiguousSum, ambiguity->summedInside.front()->where,
                "where the sum over " + inQuotes(name) + " sits is ambiguous: it occurs only in " + group)
        .note(addend.where, "this may mean " + inside)
        .note(addend.where, "or it may mean " + whole)
        .advise("write the sum that you mean");
  }
}

} // namespace

void checkAmbiguity(Checking &checking) {
  for (const ResolvedStatement &statement : checking.program.statements) {
    const language::AssignOp op = statement.op;
    // min=, max= and or= take in the whole value at each point.
    if (!statement.value || (op != language::AssignOp::Assign && op != language::AssignOp::Add))
      continue;
    for (const Addend &addend : openAddends(*statement.value, false))
      checkAddend(checking, statement, *addend.node);
  }
}

} // namespace spc::sema
