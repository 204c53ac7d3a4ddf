#include "syntax/expression_parser.h"

#include "syntax/functions.h"

#include <charconv>
#include <cmath>
#include <cstdlib>

namespace spc::syntax {
namespace {

constexpr DiagnosticKind kBadNumber{"bad-number", Severity::Error};
constexpr DiagnosticKind kNumberOverflow{"number-overflow", Severity::Error};
constexpr DiagnosticKind kNumberIndex{"number-index", Severity::Error};
constexpr DiagnosticKind kIndexExpression{"index-expression", Severity::Error};
constexpr DiagnosticKind kEmptyIndices{"empty-indices", Severity::Error};
constexpr DiagnosticKind kOrderTooHigh{"order-too-high", Severity::Error};
constexpr DiagnosticKind kReservedName{"reserved-name", Severity::Error};
constexpr DiagnosticKind kChainedComparison{"chained-comparison", Severity::Error};
constexpr DiagnosticKind kNestingTooDeep{"nesting-too-deep", Severity::Error};
constexpr DiagnosticKind kExpressionTooLarge{"expression-too-large", Severity::Error};

// Both keep every recursion over a tree, here and in later stages, far from the end of the stack.
constexpr int kMaxNesting = 200;
constexpr int kMaxOperators = 1000;

bool startsOperand(TokenKind kind) {
  return kind == TokenKind::Name || kind == TokenKind::Number || kind == TokenKind::LeftParen ||
         kind == TokenKind::Minus;
}

bool isOperator(TokenKind kind) {
  return kind == TokenKind::Plus || kind == TokenKind::Minus || kind == TokenKind::Star || kind == TokenKind::Slash ||
         kind == TokenKind::Percent || kind == TokenKind::Comparison;
}

/// The words between or before operands.
bool isWord(std::string_view text) {
  return text == "and" || text == "or" || text == "not";
}

Function comparisonNamed(std::string_view text) {
  for (Function function :
       {Function::Equal, Function::NotEqual, Function::Less, Function::LessEqual, Function::Greater})
    if (spellingOf(function).text == text)
      return function;
  return Function::GreaterEqual;
}

// The nearest double; infinity where there is none. The text is a well-formed number.
double valueOf(const std::string &text) {
  double value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc::result_out_of_range ? std::strtod(text.c_str(), nullptr) : value;
}

} // namespace

ExprPtr ExpressionParser::parseValue() {
  depth_ = 0;
  operators_ = 0;
  return expression();
}

bool ExpressionParser::atWord(std::string_view word) const {
  return tokens_.at(TokenKind::Name) && tokens_.text(tokens_.current()) == word;
}

ExprPtr ExpressionParser::operation(Function function, ExprPtr left, ExprPtr right, uint32_t begin) {
  Call call{function, {}, {}};
  call.arguments.push_back(std::move(left));
  call.arguments.push_back(std::move(right));
  return make(std::move(call), begin);
}

ExprPtr ExpressionParser::expression() {
  return chain(Function::Or, &ExpressionParser::conjunction);
}

ExprPtr ExpressionParser::conjunction() {
  return chain(Function::And, &ExpressionParser::negation);
}

ExprPtr ExpressionParser::chain(Function function, ExprPtr (ExpressionParser::*operand)()) {
  uint32_t begin = tokens_.current().begin;
  ExprPtr left = (this->*operand)();
  while (left && atWord(spellingOf(function).text)) {
    if (!countOperator())
      return nullptr;
    tokens_.advance();
    ExprPtr right = (this->*operand)();
    if (!right)
      return nullptr;
    left = operation(function, std::move(left), std::move(right), begin);
  }
  return left;
}

ExprPtr ExpressionParser::negation() {
  if (!atWord("not") || tokens_.atNewStatement())
    return comparison();
  uint32_t begin = tokens_.current().begin;
  if (!enter() || !countOperator())
    return nullptr;
  tokens_.advance();
  ExprPtr operand = negation();
  --depth_;
  if (!operand)
    return nullptr;
  Call call{Function::Not, {}, {}};
  call.arguments.push_back(std::move(operand));
  return make(std::move(call), begin);
}

ExprPtr ExpressionParser::comparison() {
  uint32_t begin = tokens_.current().begin;
  ExprPtr left = sum();
  if (!left || !tokens_.at(TokenKind::Comparison))
    return left;
  const Function function = comparisonNamed(tokens_.text(tokens_.current()));
  if (!countOperator())
    return nullptr;
  tokens_.advance();
  ExprPtr right = sum();
  if (!right)
    return nullptr;
  if (tokens_.at(TokenKind::Comparison)) {
    errors_.report(kChainedComparison, tokens_.currentSpan(), "one comparison after the other")
        .advise("join two with `and`: `a < b and b < c`");
    return nullptr;
  }
  return operation(function, std::move(left), std::move(right), begin);
}

ExprPtr ExpressionParser::make(decltype(Expr::node) node, uint32_t begin) {
  return std::make_unique<Expr>(Expr{std::move(node), tokens_.since(begin)});
}

bool ExpressionParser::enter() {
  if (++depth_ <= kMaxNesting)
    return true;
  errors_.report(kNestingTooDeep, tokens_.currentSpan(),
                 "more than " + std::to_string(kMaxNesting) + " parentheses, sums and minus signs within each other");
  return false;
}

bool ExpressionParser::countOperator() {
  if (++operators_ <= kMaxOperators)
    return true;
  errors_
      .report(kExpressionTooLarge, tokens_.currentSpan(),
              "the statement has more than " + std::to_string(kMaxOperators) + " operators")
      .advise("split it into several statements with `+=`");
  return false;
}

ExprPtr ExpressionParser::sum() {
  uint32_t begin = tokens_.current().begin;
  ExprPtr left = product();
  while (left && (tokens_.at(TokenKind::Plus) || tokens_.at(TokenKind::Minus))) {
    BinaryOp op = tokens_.at(TokenKind::Plus) ? BinaryOp::Add : BinaryOp::Sub;
    if (!countOperator())
      return nullptr;
    tokens_.advance();
    ExprPtr right = product();
    if (!right)
      return nullptr;
    left = make(Binary{op, std::move(left), std::move(right)}, begin);
  }
  return left;
}

ExprPtr ExpressionParser::product() {
  uint32_t begin = tokens_.current().begin;
  ExprPtr left = unary();
  while (left && (tokens_.at(TokenKind::Star) || tokens_.at(TokenKind::Slash) || tokens_.at(TokenKind::Percent))) {
    const TokenKind kind = tokens_.current().kind;
    if (!countOperator())
      return nullptr;
    tokens_.advance();
    ExprPtr right = unary();
    if (!right)
      return nullptr;
    const BinaryOp op = kind == TokenKind::Star ? BinaryOp::Mul : BinaryOp::Div;
    left = kind == TokenKind::Percent ? operation(Function::Modulo, std::move(left), std::move(right), begin)
                                      : make(Binary{op, std::move(left), std::move(right)}, begin);
  }
  return left;
}

ExprPtr ExpressionParser::unary() {
  if (!tokens_.at(TokenKind::Minus))
    return primary();
  uint32_t begin = tokens_.current().begin;
  if (!enter() || !countOperator())
    return nullptr;
  tokens_.advance();
  ExprPtr operand = unary();
  --depth_;
  return operand ? make(Negate{std::move(operand)}, begin) : nullptr;
}

ExprPtr ExpressionParser::primary() {
  uint32_t begin = tokens_.current().begin;
  if (!tokens_.atNewStatement()) {
    if (tokens_.at(TokenKind::Number))
      return literal();
    if (tokens_.at(TokenKind::LeftParen))
      return parenthesised();
    if (tokens_.at(TokenKind::Name)) {
      const std::string_view name = tokens_.text(tokens_.current());
      const bool isCall = tokens_.peek().kind == TokenKind::LeftParen && !isWord(name);
      const std::optional<Reduction> kind = isCall ? reductionNamed(name) : std::nullopt;
      if (kind && !functionNamed(name))
        return reduction(*kind);
      if (const std::optional<Function> function = functionNamed(name); function && isCall)
        return call(*function);
      std::optional<Access> access = parseAccess();
      return access ? make(std::move(*access), begin) : nullptr;
    }
  }
  bool power = tokens_.at(TokenKind::Star) && tokens_.previous().kind == TokenKind::Star;
  Diagnostic &error = errors_.unexpected("an expression");
  if (power)
    error.advise("the power is a function, `pow(x, 2)`; or write the product, `x*x`");
  return nullptr;
}

ExprPtr ExpressionParser::literal() {
  const Token token = tokens_.current();
  std::string text(tokens_.text(token));
  double value = 0;
  if (token.wellFormed)
    value = valueOf(text);
  else
    errors_.report(kBadNumber, tokens_.currentSpan(), tokens_.quoted(token) + " is not a number");
  if (std::isinf(value))
    errors_.report(kNumberOverflow, tokens_.currentSpan(), tokens_.quoted(token) + " is too large for a 64-bit float");
  tokens_.advance();
  return make(Literal{value, std::move(text)}, token.begin);
}

ExprPtr ExpressionParser::parenthesised() {
  const Token open = tokens_.current();
  if (!enter())
    return nullptr;
  tokens_.advance();
  ExprPtr inner = expression();
  --depth_;
  if (!inner)
    return nullptr;
  if (!tokens_.at(TokenKind::RightParen)) {
    errors_.missingParen(tokens_.span(open), "an operator or `)`");
    return nullptr;
  }
  tokens_.advance();
  return make(Paren{std::move(inner)}, open.begin);
}

Name ExpressionParser::takeName() {
  Name name{std::string(tokens_.text(tokens_.current())), tokens_.currentSpan()};
  tokens_.advance();
  return name;
}

bool ExpressionParser::checkTensorName(const Name &name) {
  const bool isFunction = functionNamed(name.text).has_value(), isReduction = reductionNamed(name.text).has_value();
  if (name.text != "tensor" && !isWord(name.text) && !isFunction && !isReduction)
    return true;
  const char *kind = isFunction ? "a function" : isReduction ? "a reduction" : "a word";
  errors_.report(kReservedName, name.where, "a tensor may not be called `" + name.text + "`")
      .advise("`" + name.text + "` is " + kind + " of the language");
  return false;
}

void ExpressionParser::reportOrder(Span where) {
  errors_.report(kOrderTooHigh, where, "a tensor has at most " + std::to_string(kMaxOrder) + " dimensions");
}

std::optional<Access> ExpressionParser::parseAccess() {
  Access access{takeName(), {}};
  checkTensorName(access.tensor);
  if (tokens_.at(TokenKind::LeftParen) && !tokens_.atNewStatement() && !indices(access))
    return std::nullopt;
  return access;
}

bool ExpressionParser::indices(Access &access) {
  const Token open = tokens_.current();
  tokens_.advance();
  if (tokens_.at(TokenKind::RightParen)) {
    errors_.report(kEmptyIndices, tokens_.since(open.begin), "an access names at least one index")
        .advise("a scalar is written without parentheses");
    tokens_.advance();
    return true;
  }
  do {
    if (access.indices.size() == kMaxOrder) {
      reportOrder(tokens_.currentSpan());
      return false;
    }
    if (!index(access))
      return false;
  } while (tokens_.accept(TokenKind::Comma));
  return closeIndices(tokens_.span(open));
}

bool ExpressionParser::index(Access &access) {
  Token after = tokens_.peek();
  bool alone = after.kind == TokenKind::Comma || after.kind == TokenKind::RightParen;
  if (tokens_.at(TokenKind::Number) && alone && !isFunctionName(access.tensor.text)) {
    errors_
        .report(kNumberIndex, tokens_.currentSpan(),
                "an index is a name, not a number: " + tokens_.quoted(tokens_.current()))
        .advise("kernels have no way to pick one row or element; pass that part as a tensor of its own");
    access.indices.push_back(takeName());
    return true;
  }
  bool call = after.kind == TokenKind::LeftParen || isOperator(after.kind);
  if (tokens_.atNewStatement() || !startsOperand(tokens_.current().kind)) {
    errors_.unexpected("an index");
    return false;
  }
  if (!tokens_.at(TokenKind::Name) || call)
    return rejectIndex(access);
  access.indices.push_back(takeName());
  return true;
}

bool ExpressionParser::rejectIndex(const Access &access) {
  bool nestedAccess = tokens_.at(TokenKind::Name) && tokens_.peek().kind == TokenKind::LeftParen;
  if (isFunctionName(access.tensor.text) || nestedAccess) {
    reportUnknownFunction(access.tensor, errors_);
    return false;
  }
  errors_.report(kIndexExpression, tokens_.currentSpan(), "an index is a plain name, not an expression");
  return false;
}

bool ExpressionParser::closeIndices(Span open) {
  if (tokens_.accept(TokenKind::RightParen))
    return true;
  bool missingComma = tokens_.at(TokenKind::Name) && !tokens_.atNewStatement();
  if (missingComma)
    errors_.unexpected("`,` or `)`").fix(tokens_.gap(), ",");
  else
    errors_.missingParen(open, "`,` or `)`");
  return false;
}

} // namespace spc::syntax
