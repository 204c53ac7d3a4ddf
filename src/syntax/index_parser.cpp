// Accesses and their indices.
#include "syntax/expression_parser.h"
#include "syntax/functions.h"

#include <charconv>
#include <cstdlib>

namespace spc::syntax {
namespace {

constexpr DiagnosticKind kIndexExpression{"index-expression", Severity::Error};
constexpr DiagnosticKind kEmptyIndices{"empty-indices", Severity::Error};
constexpr DiagnosticKind kOrderTooHigh{"order-too-high", Severity::Error};

/// Of constants and scales in indices: far below what coordinates can hold.
constexpr int64_t kMaxConstant = int64_t{1} << 31;

bool startsOperand(TokenKind kind) {
  return kind == TokenKind::Name || kind == TokenKind::Number || kind == TokenKind::LeftParen ||
         kind == TokenKind::Minus;
}

} // namespace

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
  if (tokens_.atNewStatement() || !startsOperand(tokens_.current().kind)) {
    if (tokens_.at(TokenKind::Invalid) && isFunctionName(access.tensor.text))
      reportUnknownFunction(access.tensor, errors_);
    else
      errors_.unexpected("an index");
    return false;
  }
  if (tokens_.at(TokenKind::Name) && tokens_.peek().kind == TokenKind::LeftParen && mayHold(access))
    return heldIndex(access);
  const uint32_t begin = tokens_.current().begin;
  Index index;
  bool isSubtracted = tokens_.accept(TokenKind::Minus);
  for (bool isFirst = true, goesOn = true; goesOn; isFirst = false) {
    if ((!isFirst && !countOperator()) || !indexTerm(access, index, isSubtracted))
      return false;
    isSubtracted = tokens_.at(TokenKind::Minus);
    goesOn = tokens_.accept(TokenKind::Plus) || tokens_.accept(TokenKind::Minus);
  }
  if (tokens_.at(TokenKind::Slash) || tokens_.at(TokenKind::Percent) || tokens_.at(TokenKind::Comparison))
    return rejectIndex(access);
  index.where = tokens_.since(begin);
  index.text = index.isPlain() ? index.terms.front().variable.text : spellingOf(index);
  access.indices.push_back(std::move(index));
  return true;
}

/// Whether a tensor may hold the index of another one here: neither has the name of a function.
bool ExpressionParser::mayHold(const Access &access) const {
  return !isFunctionName(access.tensor.text) && !isFunctionName(tokens_.text(tokens_.current()));
}

/// `p(i)`.
bool ExpressionParser::heldIndex(Access &access) {
  const uint32_t begin = tokens_.current().begin;
  if (!enter())
    return false;
  std::optional<Access> holder = parseAccess();
  --depth_;
  if (!holder)
    return false;
  if (!tokens_.at(TokenKind::Comma) && !tokens_.at(TokenKind::RightParen)) {
    if (isLikelyFunction(access.tensor.text)) {
      reportUnknownFunction(access.tensor, errors_);
      return false;
    }
    errors_.report(kIndexExpression, tokens_.currentSpan(), "an index that a tensor holds stands alone")
        .advise("make a tensor of what it shall be, and index with that: 'let q(i) = p(i) + 1'");
    return false;
  }
  Index index;
  index.holder = holder->tensor;
  index.within = std::move(holder->indices);
  index.where = tokens_.since(begin);
  index.text = spellingOf(index);
  access.indices.push_back(std::move(index));
  return true;
}

/// A product of numbers and names: `3`, `i`, `2*i`, `i*n`. Which name is a variable is told later (settleIndices).
bool ExpressionParser::indexTerm(const Access &access, Index &index, bool isSubtracted) {
  const uint32_t begin = tokens_.current().begin;
  int64_t scale = isSubtracted ? -1 : 1;
  std::vector<Name> names;
  do {
    if (tokens_.at(TokenKind::Number)) {
      scale *= indexNumber();
      if (std::abs(scale) >= kMaxConstant)
        return reportLarge(tokens_.since(begin));
    } else if (tokens_.at(TokenKind::Name) && tokens_.peek().kind != TokenKind::LeftParen) {
      names.push_back(takeName());
      checkIndexName(names.back());
    } else {
      return rejectIndex(access);
    }
  } while (tokens_.accept(TokenKind::Star));
  if (names.empty()) {
    index.constant += scale;
    return true;
  }
  if (scale == 0) {
    errors_.report(kIndexExpression, tokens_.since(begin), "an index variable is multiplied with 0");
    return false;
  }
  Name first = std::move(names.front());
  names.erase(names.begin());
  index.terms.push_back({std::move(first), scale, std::move(names)});
  return true;
}

bool ExpressionParser::reportLarge(Span where) {
  errors_.report(kIndexExpression, where, "a number in an index is below 2^31");
  return false;
}

int64_t ExpressionParser::indexNumber() {
  const std::string_view text = tokens_.text(tokens_.current());
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value >= kMaxConstant) {
    errors_.report(kIndexExpression, tokens_.currentSpan(),
                   "a number in an index is a whole one below 2^31, not " + tokens_.quoted(tokens_.current()));
    value = 1;
  }
  tokens_.advance();
  return value;
}

bool ExpressionParser::rejectIndex(const Access &access) {
  const bool isNestedAccess = tokens_.at(TokenKind::Name) && tokens_.peek().kind == TokenKind::LeftParen;
  const std::string &tensor = access.tensor.text;
  if (isFunctionName(tensor) || (isNestedAccess && !sharedNames_.contains(tensor) && isLikelyFunction(tensor))) {
    reportUnknownFunction(access.tensor, errors_);
    return false;
  }
  errors_
      .report(kIndexExpression, tokens_.currentSpan(),
              "an index adds up variables, multiples of them and whole numbers")
      .advise("as in 'x(i)', 'x(3)', 'x(i + 1)', 'x(2*i + k)' or, with a declared size n, 'x(n - 1 - i)'");
  return false;
}

bool ExpressionParser::closeIndices(Span open) {
  if (tokens_.accept(TokenKind::RightParen))
    return true;
  bool missingComma = tokens_.at(TokenKind::Name) && !tokens_.atNewStatement();
  if (missingComma)
    errors_.unexpected("',' or ')'").fix(tokens_.gap(), ",");
  else
    errors_.missingParen(open, "',' or ')'");
  return false;
}

} // namespace spc::syntax
