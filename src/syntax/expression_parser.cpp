#include "syntax/expression_parser.h"

#include "syntax/functions.h"

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>

namespace spc::syntax {
namespace {

constexpr DiagnosticKind kBadNumber{"bad-number", Severity::Error};
constexpr DiagnosticKind kNumberOverflow{"number-overflow", Severity::Error};
constexpr DiagnosticKind kReservedName{"reserved-name", Severity::Error};
constexpr DiagnosticKind kChainedComparison{"chained-comparison", Severity::Error};
constexpr DiagnosticKind kMisplacedNot{"misplaced-not", Severity::Error};
constexpr DiagnosticKind kNestingTooDeep{"nesting-too-deep", Severity::Error};
constexpr DiagnosticKind kExpressionTooLarge{"expression-too-large", Severity::Error};

// Both keep every recursion over a tree, here and in later stages, far from the end of the stack.
constexpr int kMaxNesting = 200;
constexpr int kMaxOperators = 1000;

/// The words between or before operands.
bool isOperatorWord(std::string_view text) {
  return text == "and" || text == "or" || text == "xor" || text == "not";
}

/// The value of a word that is a number.
std::optional<double> constantNamed(std::string_view text) {
  if (text == "inf")
    return std::numeric_limits<double>::infinity();
  return text == "true" ? std::optional(1.0) : text == "false" ? std::optional(0.0) : std::nullopt;
}

bool isWord(std::string_view text) {
  return isOperatorWord(text) || constantNamed(text);
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
  return chain(Function::Or, &ExpressionParser::exclusion);
}

ExprPtr ExpressionParser::exclusion() {
  return chain(Function::Xor, &ExpressionParser::conjunction);
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
        .advise("join two with 'and': 'a < b and b < c'");
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
      .advise("split it into several statements with '+='");
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

ExprPtr ExpressionParser::misplacedNot() {
  errors_.report(kMisplacedNot, tokens_.currentSpan(), "'not' binds weaker than the operator before it")
      .advise("put it in parentheses: '(not ...)'");
  return nullptr;
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
      if (name == "not")
        return misplacedNot();
      const bool isCall = tokens_.peek().kind == TokenKind::LeftParen && !isOperatorWord(name);
      const std::optional<Reduction> kind = isCall ? language::reductionNamed(name) : std::nullopt;
      if (kind && !language::functionNamed(name) && !sharedNames_.contains(name))
        return reduction(*kind);
      const std::optional<Function> function = isCall ? calledBy(name) : std::nullopt;
      if (function)
        return call(*function);
      if (const std::optional<double> constant = constantNamed(name)) {
        const std::string text(name);
        tokens_.advance();
        return make(Literal{*constant, text}, begin);
      }
      std::optional<Access> access = parseAccess();
      return access ? make(std::move(*access), begin) : nullptr;
    }
  }
  bool power = tokens_.at(TokenKind::Star) && tokens_.previous().kind == TokenKind::Star;
  Diagnostic &error = errors_.unexpected("an expression");
  if (power)
    error.advise("the power is a function, 'pow(x, 2)'; or write the product, 'x*x'");
  return nullptr;
}

std::optional<Function> ExpressionParser::calledBy(std::string_view name) const {
  if (typeParameters_.contains(name))
    return Function::Cast;
  return sharedNames_.contains(name) ? std::nullopt : language::functionNamed(name);
}

bool ExpressionParser::atRunOver(const Call &call) const {
  return language::reductionNamed(call.name.text) && tokens_.at(TokenKind::Name) && !tokens_.atNewStatement() &&
         tokens_.peek().kind == TokenKind::Comma && !isWord(tokens_.text(tokens_.current()));
}

ExprPtr ExpressionParser::runOver() {
  const uint32_t begin = tokens_.current().begin;
  return make(Access{takeName(), {}}, begin);
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
    errors_.missingParen(tokens_.span(open), "an operator or ')'");
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

void ExpressionParser::checkIndexName(const Name &name) {
  if (isWord(name.text))
    errors_.report(kReservedName, name.where, "an index variable may not be called '" + name.text + "'")
        .advise("'" + name.text + "' is a word of the language");
}

bool ExpressionParser::checkTensorName(const Name &name) {
  if (typeParameters_.erase(name.text) == 0) // once it is said, the name is a tensor's wherever it stands
    return checkName(name, "a tensor");
  errors_.report(kReservedName, name.where, "a tensor may not be called '" + name.text + "'")
      .advise("'" + name.text + "' is a type parameter of this file");
  return false;
}

bool ExpressionParser::checkTypeParameterName(const Name &name) {
  return checkName(name, "a type parameter");
}

bool ExpressionParser::checkName(const Name &name, const char *what) {
  const bool isFunction = isFunctionAlone(name.text), isReduction = isReductionAlone(name.text);
  if (name.text != "tensor" && name.text != "semiring" && !isWord(name.text) && !isFunction && !isReduction)
    return true;
  const char *kind = language::isTypeName(name.text) ? "a type"
                     : isFunction                    ? "a function"
                     : isReduction                   ? "a reduction"
                                                     : "a word";
  errors_.report(kReservedName, name.where, std::string(what) + " may not be called '" + name.text + "'")
      .advise("'" + name.text + "' is " + kind + " of the language");
  return false;
}

} // namespace spc::syntax
