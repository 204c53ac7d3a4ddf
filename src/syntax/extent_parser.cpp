#include "syntax/extent_parser.h"

#include <charconv>
#include <utility>

namespace spc::syntax {

constexpr DiagnosticKind kBadExtent{"bad-extent", Severity::Error};

bool ExtentParser::run(TensorDecl &decl) {
  const Token open = tokens_.current();
  tokens_.advance();
  do {
    if (decl.extents.size() == kMaxOrder) {
      expressions_.reportOrder(tokens_.currentSpan());
      return false;
    }
    if (!extent(decl))
      return false;
  } while (tokens_.accept(TokenKind::Comma));
  if (tokens_.accept(TokenKind::RightParen))
    return true;
  errors_.missingParen(tokens_.span(open), "',' or ')'");
  return false;
}

bool ExtentParser::extent(TensorDecl &decl) {
  const uint32_t begin = tokens_.current().begin;
  if (tokens_.at(TokenKind::Minus)) {
    errors_.report(kBadExtent, tokens_.currentSpan(), "an extent cannot be negative");
    return false;
  }
  ExtentSum sum;
  bool isSubtracted = false, goesOn = true;
  while (goesOn) {
    if (!product(decl, sum, isSubtracted))
      return false;
    isSubtracted = tokens_.at(TokenKind::Minus);
    goesOn = tokens_.accept(TokenKind::Plus) || tokens_.accept(TokenKind::Minus);
  }
  ExtentDecl extent{std::string(), tokens_.since(begin)};
  const bool isName = sum.constant == 0 && sum.products.size() == 1 && sum.products.front().factor == 1 &&
                      sum.products.front().names.size() == 1;
  if (sum.products.empty())
    extent.value = sum.constant;
  else if (isName)
    extent.value = sum.products.front().names.front();
  else
    extent.value = std::move(sum);
  decl.extents.push_back(std::move(extent));
  return true;
}

/// `m`, `40` or `2*m*p`.
bool ExtentParser::product(const TensorDecl &decl, ExtentSum &sum, bool isSubtracted) {
  const uint32_t begin = tokens_.current().begin;
  ExtentSum::Product product{isSubtracted ? -1 : 1, {}};
  bool isTooLarge = false;
  do {
    const Token token = tokens_.current();
    if (tokens_.at(TokenKind::Name) && !tokens_.atNewStatement()) {
      product.names.emplace_back(tokens_.text(token));
    } else if (tokens_.at(TokenKind::Number)) {
      const std::string_view text = tokens_.text(token);
      int64_t value = 0;
      const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
      if (error == std::errc() && end == text.data() + text.size())
        isTooLarge = __builtin_mul_overflow(product.factor, value, &product.factor) || isTooLarge;
      else
        errors_.report(kBadExtent, tokens_.currentSpan(),
                       "an extent is a name or a whole number that fits 64 bits, not " + tokens_.quoted(token));
    } else {
      Diagnostic &error = errors_.unexpected("an extent");
      if (tokens_.at(TokenKind::RightParen) && decl.extents.empty())
        error.advise("a scalar is declared without parentheses");
      return false;
    }
    tokens_.advance();
  } while (tokens_.accept(TokenKind::Star));
  if (isTooLarge)
    errors_.report(kBadExtent, tokens_.since(begin), "an extent is below 2^63, and these numbers make more");
  if (!product.names.empty())
    sum.products.push_back(std::move(product));
  else if (__builtin_add_overflow(sum.constant, product.factor, &sum.constant))
    errors_.report(kBadExtent, tokens_.span(tokens_.previous()), "an extent fits 64 bits");
  return true;
}

} // namespace spc::syntax
