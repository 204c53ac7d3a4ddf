#include "harness/taken_in.h"

#include "harness/number_types.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

namespace spc::testing {

bool indexesSome(const syntax::Expr &expr, const std::vector<language::Index> &variables) {
  const auto isOne = [&](const std::string &name) {
    return std::any_of(variables.begin(), variables.end(),
                       [&](const language::Index &index) { return index.text == name; });
  };
  if (const auto *access = std::get_if<syntax::Access>(&expr.node)) {
    const auto hasOne = [&](const language::Index &index) {
      return std::any_of(index.terms.begin(), index.terms.end(),
                         [&](const language::IndexTerm &term) { return isOne(term.variable.text); });
    };
    return isOne(access->tensor.text) || std::any_of(access->indices.begin(), access->indices.end(), hasOne);
  }
  const std::vector<const syntax::Expr *> below = syntax::children(expr);
  return std::any_of(below.begin(), below.end(),
                     [&](const syntax::Expr *child) { return indexesSome(*child, variables); });
}

bool isStoredAfter(const TakenIn &element) {
  const bool isAny = element.kind == language::Reduction::Any, isMin = element.kind == language::Reduction::Min;
  const double held = element.held;
  const std::optional<double> fill =
      element.fill ? std::optional(readAs(*element.fill, element.from, element.type)) : std::nullopt;
  if (!isAny && held == endOf(element.type, isMin)) // which is less, or greater, than all
    return element.isHeld && (element.isReduced || fill != held || element.mayDiffer);
  const auto joined = [&](double next) {
    return isAny ? double(held != 0 || next != 0) : isMin ? std::min(held, next) : std::max(held, next);
  };
  return !fill || joined(*fill) != held || element.isHeld || element.mayDiffer;
}

namespace evaluator {

Value taken(language::Reduction kind, sema::ValueType type, const Value &held, const Value &next) {
  const double a = held.value.real(), b = converted(next.value, type).real();
  const double error = worse(held.error, next.error + (std::isinf(b) ? 0 : epsilonOf(type) * std::abs(b)));
  if (kind == language::Reduction::Any)
    return {double(a != 0 || b != 0), 1, next.error > 0 ? std::numeric_limits<double>::infinity() : 0, true, true};
  const bool isNext = !std::isnan(a) && (std::isnan(b) || (kind == language::Reduction::Min ? b < a : b > a));
  return isNext ? Value{b, std::abs(b), error, true, true} : Value{a, std::abs(a), error, true, true};
}

Value heldBy(const DenseTensor &target, size_t at) {
  if (target.sparse && !target.stored[at])
    return {target.fill, std::isinf(target.fill) ? 0 : std::abs(target.fill), 0, true, true};
  return {target.values[at], std::abs(target.values[at]), target.errors[at], true, true};
}

void keep(DenseTensor &target, size_t at, bool hasEntry) {
  if (target.assembled)
    target.stored[at] = hasEntry ? 1 : 0;
  else if (hasEntry && target.sparse && !target.stored[at])
    throw std::runtime_error("a value falls outside the pattern of a target");
}

void storeTaken(language::Reduction takesIn, DenseTensor &target, size_t at, const Term &term, const Value &result) {
  if (target.sparse)
    keep(target, at,
         isStoredAfter({takesIn, target.type, target.fill, target.stored[at] != 0, term.expr->type, term.expr->fill,
                        !term.reductions.empty(), result.stored}));
  target.values[at] = converted(result.value, target.type);
  target.errors[at] = result.error;
}

void unwrap(language::Reduction takesIn, sema::ValueType type, const syntax::Statement &statement, Term &term) {
  const Node &value = *term.expr;
  if (value.kind == NodeKind::Sum && value.reduction == takesIn && (!sema::isInteger(type) || value.type == type)) {
    term.reductions.insert(term.reductions.end(), value.variables.begin(), value.variables.end());
    NodePtr body = std::move(term.expr->left);
    term.expr = std::move(body);
  }
  if (!term.reductions.empty() && !indexesSome(*statement.value, statement.target.indices))
    term.expr->fill.reset();
}

} // namespace evaluator
} // namespace spc::testing
