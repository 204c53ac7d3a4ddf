// Calls: of functions, and of `sum`.
#include "syntax/expression_parser.h"

namespace spc::syntax {
namespace {

constexpr DiagnosticKind kArgumentCount{"argument-count", Severity::Error};
constexpr DiagnosticKind kMissingSumVariable{"missing-sum-variable", Severity::Error};

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
  return checkArgumentCount(call, tokens_.since(first.begin)) ? make(std::move(call), first.begin) : nullptr;
}

bool ExpressionParser::arguments(Call &call, Span open) {
  if (tokens_.accept(TokenKind::RightParen))
    return true;
  do {
    ExprPtr argument = countOperator() ? expression() : nullptr;
    if (!argument)
      return false;
    call.arguments.push_back(std::move(argument));
  } while (tokens_.accept(TokenKind::Comma));
  if (tokens_.accept(TokenKind::RightParen))
    return true;
  errors_.missingParen(open, "an operator, `,` or `)`");
  return false;
}

bool ExpressionParser::checkArgumentCount(const Call &call, Span where) {
  const FunctionSpelling &spelling = spellingOf(call.function);
  const int count = static_cast<int>(call.arguments.size());
  if (count >= spelling.fewest && count <= spelling.most)
    return true;
  const bool isOpen = spelling.most == kAnyNumber && count < spelling.fewest;
  const int wanted = count < spelling.fewest ? spelling.fewest : spelling.most;
  errors_.report(kArgumentCount, where,
                 "`" + call.name.text + "` takes " + (isOpen ? "at least " : "") + std::to_string(wanted) +
                     (wanted == 1 ? " argument" : " arguments") + ", not " + std::to_string(count));
  return false;
}

ExprPtr ExpressionParser::sumCall() {
  const Token name = tokens_.current();
  if (!enter())
    return nullptr;
  tokens_.advance();
  const Token open = tokens_.current();
  tokens_.advance();
  Sum call;
  if (!sumVariables(call))
    return nullptr;
  if (call.variables.empty()) {
    errors_.report(kMissingSumVariable, tokens_.span(name), "`sum` needs the index variables that it sums over")
        .advise("write `sum(j, ...)`");
    return nullptr;
  }
  call.body = expression();
  --depth_;
  if (!call.body)
    return nullptr;
  if (!tokens_.at(TokenKind::RightParen)) {
    errors_.missingParen(tokens_.span(open), "an operator or `)`");
    return nullptr;
  }
  tokens_.advance();
  return make(std::move(call), name.begin);
}

// Names up to the last one that a comma follows: what comes after that is the body.
bool ExpressionParser::sumVariables(Sum &call) {
  while (tokens_.at(TokenKind::Name) && tokens_.peek().kind == TokenKind::Comma) {
    if (!countOperator())
      return false;
    call.variables.push_back(takeName());
    tokens_.advance();
  }
  return true;
}

} // namespace spc::syntax
