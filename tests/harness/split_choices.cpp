#include "harness/split_choices.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace spc::testing {
namespace {

using language::BinaryOp;
using language::Function;
using syntax::Expr;
using syntax::ExprPtr;

ExprPtr make(decltype(Expr::node) node, Span where) {
  return std::make_unique<Expr>(Expr{std::move(node), where});
}

ExprPtr copyOf(const Expr &expr) {
  const auto copied = [](const std::vector<ExprPtr> &list) {
    std::vector<ExprPtr> copies;
    for (const ExprPtr &one : list)
      copies.push_back(copyOf(*one));
    return copies;
  };
  if (const auto *minus = std::get_if<syntax::Negate>(&expr.node))
    return make(syntax::Negate{copyOf(*minus->operand)}, expr.where);
  if (const auto *binary = std::get_if<syntax::Binary>(&expr.node))
    return make(syntax::Binary{binary->op, copyOf(*binary->left), copyOf(*binary->right)}, expr.where);
  if (const auto *call = std::get_if<syntax::Call>(&expr.node))
    return make(syntax::Call{call->function, call->name, copied(call->arguments)}, expr.where);
  if (const auto *reduce = std::get_if<syntax::Reduce>(&expr.node))
    return make(syntax::Reduce{reduce->reduction, reduce->variables, copyOf(*reduce->body)}, expr.where);
  if (const auto *paren = std::get_if<syntax::Paren>(&expr.node))
    return make(syntax::Paren{copyOf(*paren->inner)}, expr.where);
  if (const auto *access = std::get_if<syntax::Access>(&expr.node))
    return make(*access, expr.where);
  return make(std::get<syntax::Literal>(expr.node), expr.where);
}

const Expr *inside(const Expr *expr) {
  while (const auto *paren = std::get_if<syntax::Paren>(&expr->node))
    expr = paren->inner.get();
  return expr;
}

const syntax::Call *callOf(const Expr &expr, Function function) {
  const auto *call = std::get_if<syntax::Call>(&inside(&expr)->node);
  return call && call->function == function ? call : nullptr;
}

/// A sum of multiples of index variables; the number is that of "".
using Linear = std::map<std::string, double>;

Linear sumOf(Linear a, const Linear &b, double scale) {
  for (const auto &[name, multiple] : b)
    a[name] += scale * multiple;
  return a;
}

std::optional<Linear> linear(const Expr &expr, const std::set<std::string> &variables) {
  const Expr &bare = *inside(&expr);
  if (const auto *number = std::get_if<syntax::Literal>(&bare.node))
    return std::trunc(number->value) == number->value ? std::optional(Linear{{"", number->value}}) : std::nullopt;
  if (const auto *access = std::get_if<syntax::Access>(&bare.node))
    return access->indices.empty() && variables.contains(access->tensor.text)
               ? std::optional(Linear{{access->tensor.text, 1}})
               : std::nullopt;
  if (const auto *minus = std::get_if<syntax::Negate>(&bare.node)) {
    const std::optional<Linear> own = linear(*minus->operand, variables);
    return own ? std::optional(sumOf({}, *own, -1)) : std::nullopt;
  }
  const auto *binary = std::get_if<syntax::Binary>(&bare.node);
  const std::optional<Linear> left = binary ? linear(*binary->left, variables) : std::nullopt;
  const std::optional<Linear> right = binary ? linear(*binary->right, variables) : std::nullopt;
  if (!left || !right)
    return std::nullopt;
  const auto isNumber = [](const Linear &one) { return one.size() == 1 && one.begin()->first.empty(); };
  if (binary->op == BinaryOp::Mul && (isNumber(*left) || isNumber(*right)))
    return isNumber(*left) ? sumOf({}, *right, left->at("")) : sumOf({}, *left, right->at(""));
  if (binary->op == BinaryOp::Add || binary->op == BinaryOp::Sub)
    return sumOf(*left, *right, binary->op == BinaryOp::Add ? 1 : -1);
  return std::nullopt;
}

struct Case {
  const Expr *condition;
  const Expr *chosen; ///< null where the condition is the value
};

void addCases(const Expr &condition, const Expr *chosen, std::vector<Case> &cases) {
  if (const syntax::Call *either = callOf(condition, Function::Or))
    for (const ExprPtr &part : either->arguments)
      addCases(*part, chosen, cases);
  else
    cases.push_back({&condition, chosen});
}

bool areApart(const std::vector<Case> &cases, const std::set<std::string> &variables) {
  std::vector<Linear> equations;
  for (const Case &one : cases) {
    const syntax::Call *equal = callOf(*one.condition, Function::Equal);
    const std::optional<Linear> left = equal ? linear(*equal->arguments[0], variables) : std::nullopt;
    const std::optional<Linear> right = equal ? linear(*equal->arguments[1], variables) : std::nullopt;
    if (!left || !right)
      return false;
    Linear own = sumOf(*left, *right, -1);
    own[""] += 0;
    std::erase_if(own, [](const auto &term) { return !term.first.empty() && term.second == 0; });
    if (own.size() != 3)
      return false;
    if (std::next(own.begin())->second < 0)
      own = sumOf({}, own, -1);
    for (const Linear &other : equations) {
      Linear moved = other;
      moved[""] = own[""];
      if (moved != own || other.at("") == own.at(""))
        return false;
    }
    equations.push_back(own);
  }
  return cases.size() <= 16;
}

bool isZero(const Expr &expr) {
  const auto *minus = std::get_if<syntax::Negate>(&inside(&expr)->node);
  const auto *number = std::get_if<syntax::Literal>(&inside(minus ? &*minus->operand : &expr)->node);
  return number && number->value == 0;
}

ExprPtr chosenOrZero(const Expr &condition, const Expr &chosen) {
  syntax::Call choice{Function::Select, {"select", condition.where}, {}};
  choice.arguments.push_back(copyOf(condition));
  choice.arguments.push_back(copyOf(chosen));
  choice.arguments.push_back(make(syntax::Literal{0, "0"}, condition.where));
  return make(std::move(choice), condition.where);
}

/// `i != j` of `i == j`.
ExprPtr otherThan(const Expr &equation) {
  ExprPtr other = copyOf(*inside(&equation));
  std::get<syntax::Call>(other->node).function = Function::NotEqual;
  return make(syntax::Paren{std::move(other)}, equation.where);
}

/// Adds the index variables that an expression has and does not run over itself.
void collectNames(const Expr &expr, const std::set<std::string> &variables, std::set<std::string> &names) {
  if (const auto *reduce = std::get_if<syntax::Reduce>(&expr.node)) {
    std::set<std::string> own;
    collectNames(*reduce->body, variables, own);
    for (const language::Name &bound : reduce->variables)
      own.erase(bound.text);
    names.merge(own);
    return;
  }
  if (const auto *access = std::get_if<syntax::Access>(&expr.node)) {
    if (access->indices.empty() && variables.contains(access->tensor.text))
      names.insert(access->tensor.text);
    for (const language::Index &index : access->indices)
      language::forEachVariable(index, [&](const language::Name &variable) { names.insert(variable.text); });
  }
  for (const Expr *child : syntax::children(expr))
    collectNames(*child, variables, names);
}

/// The variables whose values sparse tensors list, an expression being 0 at all others.
std::set<std::string> listedBy(const Expr &expr, const std::set<std::string> &listed) {
  const Expr &bare = *inside(&expr);
  std::set<std::string> found;
  if (const auto *access = std::get_if<syntax::Access>(&bare.node)) {
    for (const language::Index &index : access->indices)
      if (listed.contains(access->tensor.text) && index.isPlain() && !index.isHeld())
        language::forEachVariable(index, [&](const language::Name &variable) { found.insert(variable.text); });
  } else if (const auto *minus = std::get_if<syntax::Negate>(&bare.node)) {
    found = listedBy(*minus->operand, listed);
  } else if (const auto *sum = std::get_if<syntax::Reduce>(&bare.node)) {
    if (sum->reduction == language::Reduction::Sum)
      found = listedBy(*sum->body, listed);
    for (const language::Name &bound : sum->variables)
      found.erase(bound.text);
  } else if (const syntax::Call *part = callOf(bare, Function::Where)) {
    found = listedBy(*part->arguments[1], listed);
  } else if (const auto *binary = std::get_if<syntax::Binary>(&bare.node)) {
    found = listedBy(*binary->left, listed);
    std::set<std::string> right = listedBy(*binary->right, listed);
    if (binary->op == BinaryOp::Mul)
      found.merge(right);
    else if (binary->op != BinaryOp::Div)
      std::erase_if(found, [&](const std::string &name) { return !right.contains(name); });
  }
  return found;
}

bool isListed(const Expr &value, const Expr &condition, const Names &names) {
  std::set<std::string> tied;
  collectNames(condition, names.variables, tied);
  const std::set<std::string> listed = listedBy(value, names.listed);
  return std::all_of(tied.begin(), tied.end(), [&](const std::string &name) { return listed.contains(name); });
}

struct Cases {
  std::vector<Case> all;
  const Expr *rest = nullptr; ///< what is listed where none of them holds
};

Cases casesOf(const Expr &factor, const Names &names) {
  Cases found;
  std::vector<Case> &cases = found.all;
  if (callOf(factor, Function::Or)) {
    addCases(factor, nullptr, cases);
    return found;
  }
  const Expr *rest = &factor;
  while (const syntax::Call *choice = callOf(*rest, Function::Select)) {
    addCases(*choice->arguments[0], choice->arguments[1].get(), cases);
    rest = choice->arguments[2].get();
  }
  if (!cases.empty() && isListed(*rest, *cases.front().condition, names))
    found.rest = rest;
  else if (!isZero(*rest))
    cases.clear();
  return found;
}

bool isSumOf(const Cases &cases, const Names &names) {
  const auto isAnywhere = [&](const Case &one) {
    return !isZero(*one.chosen) && !isListed(*one.chosen, *one.condition, names);
  };
  return (cases.rest ? std::any_of(cases.all.begin(), cases.all.end(), isAnywhere) : cases.all.size() > 1) &&
         areApart(cases.all, names.variables);
}

ExprPtr *factorApart(ExprPtr &product, bool isWhole, const Names &names) {
  if (auto *paren = std::get_if<syntax::Paren>(&product->node))
    return factorApart(paren->inner, isWhole, names);
  if (auto *binary = std::get_if<syntax::Binary>(&product->node); binary && binary->op == BinaryOp::Mul) {
    ExprPtr *left = factorApart(binary->left, false, names);
    return left ? left : factorApart(binary->right, false, names);
  }
  const auto *call = std::get_if<syntax::Call>(&product->node);
  const bool isCandidate = call && (call->function == Function::Or || (isWhole && call->function == Function::Select));
  return isCandidate && isSumOf(casesOf(*product, names), names) ? &product : nullptr;
}

} // namespace

ExprPtr splitCases(Expr &addend, const Names &names) {
  ExprPtr part = copyOf(addend), sum;
  ExprPtr *factor = factorApart(part, true, names);
  if (!factor)
    return nullptr;
  const ExprPtr whole = copyOf(**factor);
  std::set<std::string> used;
  collectNames(addend, names.variables, used);
  const Cases cases = casesOf(*whole, names);
  std::vector<ExprPtr> factors;
  ExprPtr rest = cases.rest ? make(syntax::Paren{copyOf(*cases.rest)}, cases.rest->where) : nullptr;
  for (const Case &one : cases.all) {
    factors.push_back(one.chosen ? chosenOrZero(*one.condition, *one.chosen) : copyOf(*one.condition));
    if (rest)
      rest = make(syntax::Binary{BinaryOp::Mul, std::move(rest), otherThan(*one.condition)}, one.condition->where);
  }
  if (rest)
    factors.push_back(std::move(rest));
  for (ExprPtr &own : factors) {
    const Span where = own->where;
    *factor = make(syntax::Paren{std::move(own)}, where);
    std::set<std::string> kept;
    collectNames(*part, names.variables, kept);
    if (kept != used)
      return nullptr;
    ExprPtr copy = copyOf(*part);
    sum = sum ? make(syntax::Binary{BinaryOp::Add, std::move(sum), std::move(copy)}, addend.where) : std::move(copy);
  }
  return make(syntax::Paren{std::move(sum)}, addend.where);
}

} // namespace spc::testing
