// Calls: of functions, and of reductions.
#include "syntax/expression_parser.h"

#include <algorithm>

namespace spc::syntax {
namespace {

constexpr DiagnosticKind kArgumentCount{"argument-count", Severity::Error};
constexpr DiagnosticKind kPaddedArgument{"padded-argument", Severity::Error};
constexpr DiagnosticKind kMissingSumVariable{"missing-sum-variable", Severity::Error};

bool isIn(const std::string &variable, const Index &index) {
  bool isFound = false;
  forEachVariable(index, [&](const Name &name) { isFound |= name.text == variable; });
  return isFound;
}

bool indexes(const std::string &variable, const Expr &expr) {
  const std::vector<const Expr *> below = children(expr);
  const auto *access = std::get_if<Access>(&expr.node);
  return (access && std::any_of(access->indices.begin(), access->indices.end(),
                                [&](const Index &index) { return isIn(variable, index); })) ||
         std::any_of(below.begin(), below.end(), [&](const Expr *child) { return indexes(variable, *child); });
}

} // namespace

ExprPtr ExpressionParser::call(Function function) {
  const Token first = tokens_.current();
  if (!enter())
    return nullptr;
  Call call{function, takeName(), {}};
  const Span open = tokens_.currentSpan();
  tokens_.advance();
  if (!arguments(call, open))
    return nullptr;
  --depth_;
  if (std::optional<Reduce> reduction = asReduction(call))
    return make(std::move(*reduction), first.begin);
  if (function == Function::Padded)
    return padded(std::move(call), first.begin);
  if (language::reductionNamed(call.name.text))
    checkScalars(call);
  return checkArgumentCount(call, tokens_.since(first.begin)) ? make(std::move(call), first.begin) : nullptr;
}

/// `padded(x(i - 1))` is an access of its own kind.
ExprPtr ExpressionParser::padded(Call call, uint32_t begin) {
  if (!checkArgumentCount(call, tokens_.since(begin)))
    return nullptr;
  ExprPtr argument = std::move(call.arguments.front());
  auto *access = std::get_if<Access>(&argument->node);
  if (!access || access->indices.empty()) {
    errors_
        .report(kPaddedArgument, argument->where,
                "'padded' reads a tensor where it may lie outside, and this is "
                "no tensor with indices")
        .advise("as in 'padded(x(i - 1))'");
    return nullptr;
  }
  access->isPadded = true;
  argument->where = tokens_.since(begin);
  return argument;
}

/// `max(j, e)` runs over j where j is a name without indices that indexes something in e.
std::optional<Reduce> ExpressionParser::asReduction(Call &call) {
  const std::optional<Reduction> reduction = language::reductionNamed(call.name.text);
  if (!reduction || call.arguments.size() < 2)
    return std::nullopt;
  Reduce result{*reduction, {}, nullptr};
  for (size_t k = 0; k + 1 < call.arguments.size(); ++k) {
    const auto *access = std::get_if<Access>(&call.arguments[k]->node);
    if (!access || !access->indices.empty() || !indexes(access->tensor.text, *call.arguments.back()))
      return std::nullopt;
    result.variables.push_back(access->tensor);
  }
  result.body = std::move(call.arguments.back());
  return result;
}

/// Reports names without indices that turned out to be no index variables of a reduction.
void ExpressionParser::checkScalars(const Call &call) {
  for (const ExprPtr &argument : call.arguments)
    if (const auto *access = std::get_if<Access>(&argument->node);
        access && access->indices.empty() && argument != call.arguments.back())
      checkTensorName(access->tensor);
}

bool ExpressionParser::arguments(Call &call, Span open) {
  if (tokens_.accept(TokenKind::RightParen))
    return true;
  do {
    ExprPtr argument = !countOperator() ? nullptr : atRunOver(call) ? runOver() : expression();
    if (!argument)
      return false;
    call.arguments.push_back(std::move(argument));
  } while (tokens_.accept(TokenKind::Comma));
  if (tokens_.accept(TokenKind::RightParen))
    return true;
  errors_.missingParen(open, "an operator, ',' or ')'");
  return false;
}

bool ExpressionParser::checkArgumentCount(const Call &call, Span where) {
  const auto isName = [](const ExprPtr &argument) {
    const auto *access = std::get_if<Access>(&argument->node);
    return access && access->indices.empty();
  };
  if (call.arguments.size() > 1 && typeParameters_.contains(call.name.text) &&
      std::all_of(call.arguments.begin(), call.arguments.end(), isName))
    return checkTensorName(call.name);
  const std::string wrong = language::wrongCount(call.function, call.name.text, call.arguments.size());
  if (!wrong.empty())
    errors_.report(kArgumentCount, where, wrong);
  return wrong.empty();
}

ExprPtr ExpressionParser::reduction(Reduction kind) {
  const Token name = tokens_.current();
  if (!enter())
    return nullptr;
  tokens_.advance();
  const Token open = tokens_.current();
  tokens_.advance();
  Reduce call{kind, {}, nullptr};
  if (!reductionVariables(call))
    return nullptr;
  if (call.variables.empty()) {
    const std::string spelled(spellingOf(kind));
    errors_
        .report(kMissingSumVariable, tokens_.span(name),
                "'" + spelled + "' needs the index variables that it runs over")
        .advise("write '" + spelled + "(j, ...)'");
    return nullptr;
  }
  call.body = expression();
  --depth_;
  if (!call.body)
    return nullptr;
  if (!tokens_.at(TokenKind::RightParen)) {
    errors_.missingParen(tokens_.span(open), "an operator or ')'");
    return nullptr;
  }
  tokens_.advance();
  return make(std::move(call), name.begin);
}

// Names up to the last one that a comma follows: what comes after that is the body.
bool ExpressionParser::reductionVariables(Reduce &call) {
  while (tokens_.at(TokenKind::Name) && tokens_.peek().kind == TokenKind::Comma) {
    if (!countOperator())
      return false;
    call.variables.push_back(takeName());
    tokens_.advance();
  }
  return true;
}

} // namespace spc::syntax
