#include "syntax/semiring.h"

#include <algorithm>
#include <limits>
#include <set>
#include <utility>

namespace spc::syntax {
namespace {

using Addition = Semiring::Addition;
using Multiplication = Semiring::Multiplication;

constexpr DiagnosticKind kSemiringFactor{"semiring-factor", Severity::Error};
constexpr DiagnosticKind kSemiringTarget{"index-expression", Severity::Error};

constexpr std::pair<std::string_view, Addition> kAdditions[] = {
    {"+", Addition::Plus}, {"min", Addition::Min}, {"max", Addition::Max}, {"or", Addition::Or}};

constexpr std::pair<std::string_view, Multiplication> kMultiplications[] = {
    {"*", Multiplication::Times},      {"+", Multiplication::Plus},  {"min", Multiplication::Min},
    {"max", Multiplication::Max},      {"and", Multiplication::And}, {"first", Multiplication::First},
    {"second", Multiplication::Second}};

template <typename Table> auto named(const Table &table, std::string_view text) {
  const auto found =
      std::find_if(std::begin(table), std::end(table), [&](const auto &one) { return one.first == text; });
  return found == std::end(table) ? std::nullopt : std::optional(found->second);
}

ExprPtr make(decltype(Expr::node) node, Span where) {
  return std::make_unique<Expr>(Expr{std::move(node), where});
}

ExprPtr call(Function function, Span where, std::vector<ExprPtr> arguments) {
  return make(Call{function, {std::string(spellingOf(function).text), where}, std::move(arguments)}, where);
}

ExprPtr call(Function function, Span where, ExprPtr left, ExprPtr right) {
  std::vector<ExprPtr> arguments;
  arguments.push_back(std::move(left));
  arguments.push_back(std::move(right));
  return call(function, where, std::move(arguments));
}

/// The access that a factor is, parentheses opened, else nullptr.
const Access *accessIn(const Expr &factor) {
  if (const auto *paren = std::get_if<Paren>(&factor.node))
    return accessIn(*paren->inner);
  const auto *access = std::get_if<Access>(&factor.node);
  return access && !access->indices.empty() ? access : nullptr;
}

class Rewriter {
public:
  Rewriter(const Semiring &semiring, SyntaxErrors &errors) : semiring_(semiring), errors_(errors) {}

  void rewrite(Statement &statement) {
    for (const Index &index : statement.target.indices) {
      bound_.insert(index.text);
      forEachVariable(index, [&](const Name &name) { bound_.insert(name.text); });
      if (!index.isPlain() && !(index.terms.empty() && !index.isHeld()) && statement.op == AssignOp::Assign &&
          semiring_.addition != Addition::Plus)
        errors_
            .report(kSemiringTarget, index.where,
                    "what comes to one element is added up by '=', and this semiring's sum is another one")
            .advise("write '+=', or give the element's index a name and compare it in a select");
    }
    // The others take the right side in as it is, once for each value of what the target lacks.
    const bool isReduced = statement.op == AssignOp::Assign || statement.op == AssignOp::Add;
    statement.value = isReduced ? ofAddends(std::move(statement.value)) : rewritten(std::move(statement.value));
    if (statement.op == AssignOp::Add)
      statement.op = semiring_.addition == Addition::Min   ? AssignOp::Min
                     : semiring_.addition == Addition::Max ? AssignOp::Max
                     : semiring_.addition == Addition::Or  ? AssignOp::Or
                                                           : AssignOp::Add;
  }

private:
  /// A right side whose addends are reduced, each by itself. Signs are opened only where sums are sums.
  ExprPtr ofAddends(ExprPtr expr) {
    const bool isSum = semiring_.addition == Addition::Plus;
    auto *binary = std::get_if<Binary>(&expr->node);
    auto *negate = std::get_if<Negate>(&expr->node);
    if (auto *paren = std::get_if<Paren>(&expr->node))
      paren->inner = ofAddends(std::move(paren->inner));
    else if (negate && isSum)
      negate->operand = ofAddends(std::move(negate->operand));
    else if (binary && (binary->op == BinaryOp::Add || (binary->op == BinaryOp::Sub && isSum)))
      return sumOf(binary->op, ofAddends(std::move(binary->left)), ofAddends(std::move(binary->right)), expr->where);
    else
      return reduced(std::move(expr));
    return expr;
  }

  ExprPtr sumOf(BinaryOp op, ExprPtr left, ExprPtr right, Span where) {
    return op == BinaryOp::Add ? add(std::move(left), std::move(right), where)
                               : make(Binary{op, std::move(left), std::move(right)}, where);
  }

  /// An addend over all values of the variables that the target lacks.
  ExprPtr reduced(ExprPtr addend) {
    std::vector<Name> variables;
    collectVariables(*addend, variables);
    ExprPtr value = rewritten(std::move(addend));
    if (variables.empty())
      return value;
    const Span where = value->where;
    const Reduction reduction = semiring_.addition == Addition::Min   ? Reduction::Min
                                : semiring_.addition == Addition::Max ? Reduction::Max
                                : semiring_.addition == Addition::Or  ? Reduction::Any
                                                                      : Reduction::Sum;
    return make(Reduce{reduction, std::move(variables), std::move(value)}, where);
  }

  void collectVariables(const Expr &expr, std::vector<Name> &variables) {
    const auto isKnown = [&](const Name &name) {
      return bound_.contains(name.text) || std::any_of(variables.begin(), variables.end(),
                                                       [&](const Name &other) { return other.text == name.text; });
    };
    if (const auto *access = std::get_if<Access>(&expr.node))
      for (const Index &index : access->indices)
        forEachVariable(index, [&](const Name &name) {
          if (!isKnown(name))
            variables.push_back(name);
        });
    const std::set<std::string> outside = bound_;
    if (const auto *reduction = std::get_if<Reduce>(&expr.node))
      for (const Name &variable : reduction->variables)
        bound_.insert(variable.text);
    for (const Expr *child : children(expr))
      collectVariables(*child, variables);
    bound_ = outside;
  }

  ExprPtr rewritten(ExprPtr expr) {
    if (auto *binary = std::get_if<Binary>(&expr->node)) {
      ExprPtr left = rewritten(std::move(binary->left)), right = rewritten(std::move(binary->right));
      if (binary->op == BinaryOp::Add)
        return add(std::move(left), std::move(right), expr->where);
      if (binary->op == BinaryOp::Mul)
        return multiply(std::move(left), std::move(right), expr->where);
      return make(Binary{binary->op, std::move(left), std::move(right)}, expr->where);
    }
    if (auto *paren = std::get_if<Paren>(&expr->node))
      paren->inner = rewritten(std::move(paren->inner));
    else if (auto *negate = std::get_if<Negate>(&expr->node))
      negate->operand = rewritten(std::move(negate->operand));
    else if (auto *reduction = std::get_if<Reduce>(&expr->node))
      reduction->body = rewritten(std::move(reduction->body));
    else if (auto *function = std::get_if<Call>(&expr->node))
      for (ExprPtr &argument : function->arguments)
        argument = rewritten(std::move(argument));
    return expr;
  }

  ExprPtr add(ExprPtr left, ExprPtr right, Span where) {
    switch (semiring_.addition) {
    case Addition::Min:
      return call(Function::Min, where, std::move(left), std::move(right));
    case Addition::Max:
      return call(Function::Max, where, std::move(left), std::move(right));
    case Addition::Or:
      return call(Function::Or, where, std::move(left), std::move(right));
    default:
      return make(Binary{BinaryOp::Add, std::move(left), std::move(right)}, where);
    }
  }

  ExprPtr multiply(ExprPtr left, ExprPtr right, Span where) {
    switch (semiring_.multiplication) {
    case Multiplication::Plus:
      if (semiring_.addition == Addition::Min || semiring_.addition == Addition::Max)
        return call(semiring_.addition == Addition::Min ? Function::MinPlus : Function::MaxPlus, where, std::move(left),
                    std::move(right));
      // In parentheses: it is no sum of addends.
      return make(Paren{make(Binary{BinaryOp::Add, std::move(left), std::move(right)}, where)}, where);
    case Multiplication::Min:
      return call(Function::Min, where, std::move(left), std::move(right));
    case Multiplication::Max:
      return call(Function::Max, where, std::move(left), std::move(right));
    case Multiplication::And:
      return call(Function::And, where, std::move(left), std::move(right));
    case Multiplication::First:
      return selected(std::move(right), std::move(left), where);
    case Multiplication::Second:
      return selected(std::move(left), std::move(right), where);
    default:
      return make(Binary{BinaryOp::Mul, std::move(left), std::move(right)}, where);
    }
  }

  /// `value` where `mask` has an entry, and the identity of the addition where it has none.
  ExprPtr selected(ExprPtr mask, ExprPtr value, Span where) {
    if (!accessIn(*mask)) {
      errors_
          .report(kSemiringFactor, mask->where,
                  "this semiring's product asks where a factor has entries, and this is no tensor with indices")
          .advise("make a temporary of it: let T(i,j) = ...");
      return value;
    }
    std::vector<ExprPtr> arguments;
    arguments.push_back(std::move(mask));
    ExprPtr pattern = call(Function::Pattern, where, std::move(arguments));
    if (semiring_.addition == Addition::Plus || semiring_.addition == Addition::Or)
      return make(Binary{BinaryOp::Mul, std::move(value), std::move(pattern)}, where);
    ExprPtr identity = make(Literal{std::numeric_limits<double>::infinity(), "inf"}, where);
    if (semiring_.addition == Addition::Max)
      identity = make(Negate{std::move(identity)}, where);
    std::vector<ExprPtr> choice;
    choice.push_back(std::move(pattern));
    choice.push_back(std::move(value));
    choice.push_back(std::move(identity));
    return call(Function::Select, where, std::move(choice));
  }

  const Semiring &semiring_;
  SyntaxErrors &errors_;
  std::set<std::string> bound_; ///< the target's variables, and those of reductions around what is looked at
};

} // namespace

std::optional<Addition> additionNamed(std::string_view text) {
  return named(kAdditions, text);
}

std::optional<Multiplication> multiplicationNamed(std::string_view text) {
  return named(kMultiplications, text);
}

std::optional<double> fillOf(const Semiring &semiring) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const bool isOrdered = semiring.addition == Addition::Min || semiring.addition == Addition::Max;
  if (!isOrdered || semiring.multiplication == Multiplication::Times || semiring.multiplication == Multiplication::And)
    return std::nullopt;
  return semiring.addition == Addition::Min ? kInfinity : -kInfinity;
}

void applySemiring(const Semiring &semiring, Statement &statement, SyntaxErrors &errors) {
  if (semiring.addition != Addition::Plus || semiring.multiplication != Multiplication::Times)
    Rewriter(semiring, errors).rewrite(statement);
}

} // namespace spc::syntax
