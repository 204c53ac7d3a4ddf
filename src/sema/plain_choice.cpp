#include "sema/plain_choice.h"

#include "sema/equations.h"
#include "sema/simplify.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace spc::sema {
namespace {

CallNode *asCall(Node &node, Function function) {
  auto *call = std::get_if<CallNode>(&node.kind);
  return call && call->function == function ? call : nullptr;
}

/// `i != j`, of indices: an equation is what says where loops have to go.
bool isNegatedEquation(Node &condition) {
  return asCall(condition, Function::NotEqual) && accessesOf(condition).empty();
}

bool isNegated(Node &condition) {
  if (const CallNode *either = asCall(condition, Function::Or))
    return isNegated(*either->arguments[0]) || isNegated(*either->arguments[1]);
  if (const CallNode *both = asCall(condition, Function::And))
    return isNegated(*both->arguments[0]) && isNegated(*both->arguments[1]);
  return asCall(condition, Function::Not) || isNegatedEquation(condition);
}

NodePtr negationOf(NodePtr condition) {
  const Span where = condition->where;
  if (CallNode *negation = asCall(*condition, Function::Not))
    return std::move(negation->arguments[0]);
  if (isNegatedEquation(*condition)) {
    asCall(*condition, Function::NotEqual)->function = Function::Equal;
    return condition;
  }
  CallNode *either = asCall(*condition, Function::Or), *both = asCall(*condition, Function::And);
  CallNode result{either ? Function::And : both ? Function::Or : Function::Not, ValueType::F64, {}};
  if (either || both)
    for (NodePtr &part : (either ? either : both)->arguments)
      result.arguments.push_back(negationOf(std::move(part)));
  else
    result.arguments.push_back(std::move(condition));
  return makeNode(std::move(result), where);
}

const NumberNode *numberIn(const Node &node) {
  const auto *negate = std::get_if<NegateNode>(&node.kind);
  return std::get_if<NumberNode>(negate ? &negate->operand->kind : &node.kind);
}

/// Writes `2 * select(c, a, 0)` as `select(c, 2 * a, 0)`, and so quotients by numbers.
void scaleChosen(Node &node) {
  auto *binary = std::get_if<BinaryNode>(&node.kind);
  if (!binary || asSum(node))
    return;
  const bool isFirst = conditionOfChoice(*binary->left) != nullptr;
  const bool isSecond = !isFirst && binary->op == BinaryOp::Mul && conditionOfChoice(*binary->right);
  const NumberNode *scale = numberIn(isFirst ? *binary->right : *binary->left);
  if (!(isFirst || isSecond) || !scale || !std::isfinite(scale->value) ||
      (binary->op == BinaryOp::Div && scale->value == 0))
    return;
  NodePtr choice = std::move(isFirst ? binary->left : binary->right);
  NodePtr &chosen = std::get<CallNode>(choice->kind).arguments[1];
  (isFirst ? binary->left : binary->right) = std::move(chosen);
  chosen = makeNode(std::move(*binary), node.where);
  node.kind = std::move(choice->kind);
}

void orderChoicesIn(Node &node) {
  for (Node *child : children(node))
    orderChoicesIn(*child);
  if (CallNode *choice = asCall(node, Function::Select))
    orderChoice(choice->arguments);
  scaleChosen(node);
}

/// Whether a condition is an equation of two index variables, or several of them.
bool isTie(const Node &condition, const Scope &scope, const KernelHead &kernel) {
  const auto *call = std::get_if<CallNode>(&condition.kind);
  if (call && call->function == Function::And)
    return isTie(*call->arguments[0], scope, kernel) && isTie(*call->arguments[1], scope, kernel);
  const std::optional<Equation> equation =
      call && call->function == Function::Equal ? equationOf(*call, scope, kernel) : std::nullopt;
  return equation && equation->multiples.size() == 2;
}

/// The most equations that one condition is taken apart into.
constexpr size_t kMostEquations = 16;

/// Conditions with what is chosen by each; null where that is the condition itself.
using Cases = std::vector<std::pair<NodePtr, NodePtr>>;

/// Adds a condition, and the equations that `or` joins in it one by one.
void addCases(const Node &condition, const Node *chosen, Cases &cases) {
  const auto *call = std::get_if<CallNode>(&condition.kind);
  if (call && call->function == Function::Or)
    for (const NodePtr &part : call->arguments)
      addCases(*part, chosen, cases);
  else
    cases.emplace_back(clone(condition), chosen ? clone(*chosen) : nullptr);
}

/// Whether of several conditions one at most holds: each says that the same multiples of two variables add up to
/// another number.
bool areApart(const Cases &cases, const Scope &scope, const KernelHead &kernel) {
  std::vector<Equation> equations;
  for (const auto &[condition, chosen] : cases) {
    const auto *call = std::get_if<CallNode>(&condition->kind);
    std::optional<Equation> own =
        call && call->function == Function::Equal ? equationOf(*call, scope, kernel) : std::nullopt;
    if (!own || own->multiples.size() != 2 || !own->isOfNumbers())
      return false;
    if (own->multiples.begin()->second.number < 0) {
      own->constant = negative(own->constant);
      for (auto &[variable, multiple] : own->multiples)
        multiple = negative(multiple);
    }
    for (const Equation &other : equations)
      if (other.multiples != own->multiples || other.constant == own->constant)
        return false;
    equations.push_back(std::move(*own));
  }
  return cases.size() <= kMostEquations;
}

bool isZero(const Node &value) {
  const NumberNode *number = numberIn(value);
  return number && number->value == 0;
}

/// The variables whose values operands list, as far as formats are known, a value being 0 at all others.
std::set<VariableId> listedBy(const Node &value, const Scope &scope, const KernelHead &kernel) {
  const auto by = [&](const NodePtr &part) { return listedBy(*part, scope, kernel); };
  if (const auto *access = std::get_if<AccessNode>(&value.kind)) {
    const Access &read = scope.accesses[access->access];
    const Tensor &tensor = kernel.tensors[read.tensor];
    const bool isListed = !tensor.format.isDense() && tensor.fill == 0;
    return isListed ? std::set<VariableId>(read.variables.begin(), read.variables.end()) : std::set<VariableId>();
  }
  if (const auto *minus = std::get_if<NegateNode>(&value.kind))
    return by(minus->operand);
  if (const auto *sum = std::get_if<ReduceNode>(&value.kind); sum && sum->reduction == Reduction::Sum) {
    std::set<VariableId> free = by(sum->body);
    for (VariableId bound : sum->variables)
      free.erase(bound);
    return free;
  }
  if (const auto *call = std::get_if<CallNode>(&value.kind); call && call->function == Function::Where)
    return by(call->arguments[1]);
  const auto *binary = std::get_if<BinaryNode>(&value.kind);
  if (!binary || !(asSum(value) || binary->op == BinaryOp::Mul || binary->op == BinaryOp::Div))
    return {};
  std::set<VariableId> left = by(binary->left), right = by(binary->right);
  if (binary->op == BinaryOp::Mul)
    left.merge(right);
  else if (asSum(value))
    std::erase_if(left, [&](VariableId variable) { return !right.contains(variable); });
  return left;
}

bool isListed(const Node &value, const Node &condition, const Scope &scope, const KernelHead &kernel) {
  const std::set<VariableId> listed = listedBy(value, scope, kernel);
  const std::vector<VariableId> tied = freeVariables(condition, scope);
  return std::all_of(tied.begin(), tied.end(), [&](VariableId variable) { return listed.contains(variable); });
}

/// What a factor is made of.
struct SplitChoice {
  Cases cases;
  NodePtr rest; ///< what operands list, where no case holds; null where that is 0
};

/// Takes a choice by equations apart, and the choices that it has where none of these holds, or `i == j or i == k`.
/// There are no cases where a factor is neither, or has values elsewhere.
SplitChoice choiceOf(const Node &factor, const Scope &scope, const KernelHead &kernel) {
  SplitChoice all;
  Cases &cases = all.cases;
  const Node *rest = &factor;
  const CallNode *choice = nullptr;
  while ((choice = std::get_if<CallNode>(&rest->kind)) && choice->function == Function::Select) {
    addCases(*choice->arguments[0], choice->arguments[1].get(), cases);
    rest = choice->arguments[2].get();
  }
  if (cases.empty() && choice && choice->function == Function::Or)
    addCases(factor, nullptr, cases);
  else if (!cases.empty() && isListed(*rest, *cases.front().first, scope, kernel))
    all.rest = clone(*rest);
  else if (!isZero(*rest))
    return {};
  return all;
}

/// Whether a factor is the sum of addends that have values at other places: of several cases, or of one that is at
/// more than what operands list.
bool isOfCases(const SplitChoice &choice, const Scope &scope, const KernelHead &kernel) {
  const auto isAnywhere = [&](const auto &one) {
    return !isZero(*one.second) && !isListed(*one.second, *one.first, scope, kernel);
  };
  const bool isSum =
      choice.rest ? std::any_of(choice.cases.begin(), choice.cases.end(), isAnywhere) : choice.cases.size() > 1;
  return isSum && areApart(choice.cases, scope, kernel);
}

/// The factor of a product that is to be taken apart; a choice is the whole product. Null where there is none.
NodePtr *factorApart(NodePtr &product, bool isWhole, const Scope &scope, const KernelHead &kernel) {
  if (auto *binary = std::get_if<BinaryNode>(&product->kind); binary && binary->op == BinaryOp::Mul) {
    NodePtr *left = factorApart(binary->left, false, scope, kernel);
    return left ? left : factorApart(binary->right, false, scope, kernel);
  }
  const auto *call = std::get_if<CallNode>(&product->kind);
  const bool isCandidate = call && (call->function == Function::Or || (isWhole && call->function == Function::Select));
  return isCandidate && isOfCases(choiceOf(*product, scope, kernel), scope, kernel) ? &product : nullptr;
}

NodePtr chosenOrZero(NodePtr condition, NodePtr chosen) {
  const Span where = condition->where;
  CallNode choice{Function::Select, ValueType::F64, {}};
  choice.arguments.push_back(std::move(condition));
  choice.arguments.push_back(std::move(chosen));
  choice.arguments.push_back(makeNode(NumberNode{0, "0"}, where));
  return makeNode(std::move(choice), where);
}

/// `i != j` of `i == j`, by which products are 0 where the equation holds, whatever else they multiply.
NodePtr otherThan(const Node &equation) {
  NodePtr other = clone(equation);
  std::get<CallNode>(other->kind).function = Function::NotEqual;
  return other;
}

/// An addend that has a value where one of several equations holds as the sum of addends for each, and of what it is
/// where none does; null where it is none, or where what is chosen alone has an index.
NodePtr splitCases(const Node &addend, const Scope &scope, const KernelHead &kernel) {
  NodePtr part = clone(addend), sum;
  NodePtr *factor = factorApart(part, true, scope, kernel);
  if (!factor)
    return nullptr;
  SplitChoice all = choiceOf(**factor, scope, kernel);
  std::vector<NodePtr> factors;
  for (auto &[condition, chosen] : all.cases) {
    if (all.rest)
      all.rest = makeBinary(BinaryOp::Mul, std::move(all.rest), otherThan(*condition));
    factors.push_back(chosen ? chosenOrZero(std::move(condition), std::move(chosen)) : std::move(condition));
  }
  if (all.rest)
    factors.push_back(std::move(all.rest));
  for (NodePtr &own : factors) {
    *factor = std::move(own);
    if (freeVariables(*part, scope).size() != freeVariables(addend, scope).size())
      return nullptr;
    sum = sum ? makeBinary(BinaryOp::Add, std::move(sum), clone(*part)) : clone(*part);
  }
  return sum;
}

/// Whether loops come to few places of a product with an equation as they are: over an operand that lists entries, or
/// over all elements of what is computed. What is assembled lists where an equation holds.
bool isNarrow(const Node &addend, const ResolvedStatement &statement, const KernelHead &kernel) {
  NodePtr part = clone(addend);
  const SplitChoice whole = choiceOf(**factorApart(part, true, statement.scope, kernel), statement.scope, kernel);
  const std::vector<VariableId> tied = freeVariables(*whole.cases.front().first, statement.scope);
  const auto hasTied = [&](const Access &access) {
    return std::all_of(tied.begin(), tied.end(), [&](VariableId variable) { return has(access.variables, variable); });
  };
  const std::vector<AccessId> accesses = accessesOf(addend);
  const Tensor &target = kernel.tensors[statement.target.tensor];
  return (target.format.isDense() && !target.is<Temporary>() && hasTied(statement.target)) ||
         (!whole.rest && std::any_of(accesses.begin(), accesses.end(), [&](AccessId id) {
           const Access &access = statement.scope.accesses[id];
           return !kernel.tensors[access.tensor].format.isDense() && hasTied(access);
         }));
}

/// Splits the addends of a value, if that changes no order in which anything is added up that is to stay.
void splitAddends(NodePtr &value, const ResolvedStatement &statement, const KernelHead &kernel) {
  if (auto *minus = std::get_if<NegateNode>(&value->kind))
    return splitAddends(minus->operand, statement, kernel);
  if (auto *sum = std::get_if<ReduceNode>(&value->kind); sum && sum->reduction == Reduction::Sum)
    return splitAddends(sum->body, statement, kernel);
  if (asSum(*value)) {
    auto &sum = std::get<BinaryNode>(value->kind);
    splitAddends(sum.left, statement, kernel);
    return splitAddends(sum.right, statement, kernel);
  }
  const std::vector<VariableId> free = freeVariables(*value, statement.scope);
  const bool isElementwise = std::all_of(free.begin(), free.end(), [&](VariableId variable) {
    return statement.scope.variables[variable].kind == Variable::Kind::Target;
  });
  NodePtr sum = isElementwise || !kernel.strictFp ? splitCases(*value, statement.scope, kernel) : nullptr;
  if (sum && !isNarrow(*value, statement, kernel))
    value = std::move(sum);
}

void multiplyChosen(NodePtr &addend, const Scope &scope, const KernelHead &kernel) {
  if (auto *minus = std::get_if<NegateNode>(&addend->kind))
    return multiplyChosen(minus->operand, scope, kernel);
  if (auto *sum = std::get_if<ReduceNode>(&addend->kind); sum && sum->reduction == Reduction::Sum)
    return multiplyChosen(sum->body, scope, kernel);
  if (asSum(*addend)) {
    auto &sum = std::get<BinaryNode>(addend->kind);
    multiplyChosen(sum.left, scope, kernel);
    return multiplyChosen(sum.right, scope, kernel);
  }
  orderChoicesIn(*addend);
  if (NodePtr sum = splitCases(*addend, scope, kernel)) {
    addend = std::move(sum);
    return multiplyChosen(addend, scope, kernel);
  }
  CallNode *choice = asCall(*addend, Function::Select);
  if (choice && conditionOfChoice(*addend) && isTie(*choice->arguments[0], scope, kernel))
    addend = makeBinary(BinaryOp::Mul, std::move(choice->arguments[1]), std::move(choice->arguments[0]));
}

} // namespace

NodePtr choicesAsProducts(const Node &addend, const Scope &scope, const KernelHead &kernel) {
  NodePtr product = clone(addend);
  multiplyChosen(product, scope, kernel);
  return product;
}

void orderChoice(std::vector<NodePtr> &arguments) {
  CallNode *negation = nullptr;
  while ((negation = asCall(*arguments[0], Function::Not)) && asCall(*negation->arguments[0], Function::Not))
    arguments[0] = negationOf(negationOf(std::move(arguments[0])));
  const bool isLast = numberIn(*arguments[2]) && !numberIn(*arguments[1]);
  if (!isLast && isNegated(*arguments[0])) {
    arguments[0] = negationOf(std::move(arguments[0]));
    std::swap(arguments[1], arguments[2]);
  }
}

void orderChoices(Program &program) {
  for (ResolvedStatement &statement : program.statements)
    if (statement.value) {
      orderChoicesIn(*statement.value);
      const Tensor &target = program.tensors[statement.target.tensor];
      const bool hasStructure = target.hasDeclaredOwner() || target.keepsStructure;
      if ((statement.op == AssignOp::Assign || statement.op == AssignOp::Add) && target.type != ValueType::Bool &&
          (target.format.isDense() || !hasStructure))
        splitAddends(statement.value, statement, program);
    }
}

} // namespace spc::sema
