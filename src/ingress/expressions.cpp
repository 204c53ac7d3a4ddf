#include "ingress/expressions.h"

#include "language/function.h"

#include "llvm/ADT/StringExtras.h"

#include <algorithm>
#include <cmath>

namespace spc::ingress {

using syntax::Expr;
using syntax::ExprPtr;

namespace {

std::string spellingOf(double value) {
  if (std::isinf(value))
    return "inf";
  char text[40];
  for (int digits = 1; digits <= 17; ++digits) {
    std::snprintf(text, sizeof text, "%.*g", digits, value);
    if (std::strtod(text, nullptr) == value)
      break;
  }
  return text;
}

struct Cloner {
  decltype(Expr::node) operator()(const syntax::Literal &literal) const { return literal; }
  decltype(Expr::node) operator()(const syntax::Access &access) const { return access; }
  decltype(Expr::node) operator()(const syntax::Negate &negate) const { return syntax::Negate{clone(negate.operand)}; }
  decltype(Expr::node) operator()(const syntax::Binary &binary) const {
    return syntax::Binary{binary.op, clone(binary.left), clone(binary.right)};
  }
  decltype(Expr::node) operator()(const syntax::Call &call) const {
    syntax::Call copy{call.function, call.name, {}};
    for (const ExprPtr &argument : call.arguments)
      copy.arguments.push_back(clone(argument));
    return copy;
  }
  decltype(Expr::node) operator()(const syntax::Reduce &reduce) const {
    return syntax::Reduce{reduce.reduction, reduce.variables, clone(reduce.body)};
  }
  decltype(Expr::node) operator()(const syntax::Paren &paren) const { return syntax::Paren{clone(paren.inner)}; }
};

} // namespace

ExprPtr Maker::make(decltype(Expr::node) node) const {
  return std::make_unique<Expr>(Expr{std::move(node), where_});
}

ExprPtr Maker::number(double value) const {
  ExprPtr literal = make(syntax::Literal{std::fabs(value), spellingOf(std::fabs(value))});
  return std::signbit(value) ? negate(std::move(literal)) : std::move(literal);
}

ExprPtr Maker::integer(int64_t value) const {
  const uint64_t magnitude = value < 0 ? 0 - static_cast<uint64_t>(value) : static_cast<uint64_t>(value);
  ExprPtr literal = make(syntax::Literal{static_cast<double>(magnitude), std::to_string(magnitude)});
  return value < 0 ? negate(std::move(literal)) : std::move(literal);
}

ExprPtr Maker::truth(bool value) const {
  return make(syntax::Literal{value ? 1.0 : 0.0, value ? "true" : "false"});
}

ExprPtr Maker::name(const std::string &name) const {
  return make(syntax::Access{named(name), {}});
}

ExprPtr Maker::access(const std::string &tensor, std::vector<language::Index> indices) const {
  return make(syntax::Access{named(tensor), std::move(indices)});
}

ExprPtr Maker::padded(const std::string &tensor, std::vector<language::Index> indices) const {
  return make(syntax::Access{named(tensor), std::move(indices), true});
}

ExprPtr Maker::negate(ExprPtr operand) const {
  return make(syntax::Negate{std::move(operand)});
}

ExprPtr Maker::binary(language::BinaryOp op, ExprPtr left, ExprPtr right) const {
  return make(syntax::Binary{op, std::move(left), std::move(right)});
}

ExprPtr Maker::call(language::Function function, std::vector<ExprPtr> arguments) const {
  return make(syntax::Call{function, named(std::string(language::spellingOf(function).text)), std::move(arguments)});
}

ExprPtr Maker::cast(const std::string &type, ExprPtr value) const {
  std::vector<ExprPtr> arguments;
  arguments.push_back(std::move(value));
  return make(syntax::Call{language::Function::Cast, named(type), std::move(arguments)});
}

ExprPtr Maker::reduce(language::Reduction reduction, const std::vector<std::string> &variables, ExprPtr body) const {
  if (variables.empty())
    return body;
  std::vector<language::Name> names;
  for (const std::string &variable : variables)
    names.push_back(named(variable));
  return make(syntax::Reduce{reduction, std::move(names), std::move(body)});
}

language::Index Maker::index(const std::string &variable) const {
  language::Index index;
  index.terms.push_back({named(variable), 1, {}});
  return settled(std::move(index), where_);
}

ExprPtr clone(const Expr &expr) {
  return std::make_unique<Expr>(Expr{std::visit(Cloner(), expr.node), expr.where});
}

Element clone(const Element &element) {
  return {clone(element.value), clone(element.domain)};
}

size_t sizeOf(const Expr &expr) {
  size_t size = 1;
  for (const Expr *child : syntax::children(expr))
    size += sizeOf(*child);
  return size;
}

bool isNumber(const Expr &expr, double value) {
  if (const auto *negate = std::get_if<syntax::Negate>(&expr.node))
    return value != 0 && isNumber(*negate->operand, -value);
  const auto *literal = std::get_if<syntax::Literal>(&expr.node);
  return literal && literal->value == value;
}

bool mentions(const Expr &expr, const std::vector<std::string> &loops) {
  const auto isOneOf = [&](const std::string &name) {
    return std::find(loops.begin(), loops.end(), name) != loops.end();
  };
  const auto isIn = [&](const language::Index &index) {
    return std::any_of(index.terms.begin(), index.terms.end(),
                       [&](const language::IndexTerm &term) { return isOneOf(term.variable.text); });
  };
  if (const auto *access = std::get_if<syntax::Access>(&expr.node)) {
    if (isOneOf(access->tensor.text))
      return true;
    for (const language::Index &index : access->indices)
      if (isIn(index) || std::any_of(index.within.begin(), index.within.end(), isIn))
        return true;
  }
  const std::vector<const Expr *> children = syntax::children(expr);
  return std::any_of(children.begin(), children.end(), [&](const Expr *child) { return mentions(*child, loops); });
}

void addLoop(language::Index &index, const std::string &loop, int64_t multiple,
             const std::map<std::string, int64_t> &fixed, Span where) {
  if (const auto known = fixed.find(loop); known != fixed.end())
    index.constant += multiple * known->second;
  else
    index.terms.push_back({{loop, where}, multiple, {}});
}

language::Index settled(language::Index index, Span where) {
  std::vector<language::IndexTerm> terms;
  for (language::IndexTerm &term : index.terms) {
    const auto same = std::find_if(terms.begin(), terms.end(), [&](const language::IndexTerm &other) {
      return other.variable.text == term.variable.text && term.numbers.empty() && other.numbers.empty();
    });
    if (same == terms.end())
      terms.push_back(std::move(term));
    else
      same->scale += term.scale;
  }
  std::erase_if(terms, [](const language::IndexTerm &term) { return term.scale == 0; });
  index.terms = std::move(terms);
  index.where = where;
  index.text = language::spellingOf(index);
  return index;
}

} // namespace spc::ingress
