#include "syntax/token_stream.h"

#include "support/utf8.h"

#include <algorithm>

namespace spc::syntax {
namespace {

constexpr size_t kLongestQuote = 40;

// A line break after one of these does not end the statement.
bool continues(TokenKind kind) {
  switch (kind) {
  case TokenKind::Plus:
  case TokenKind::Minus:
  case TokenKind::Star:
  case TokenKind::Slash:
  case TokenKind::Percent:
  case TokenKind::Comparison:
  case TokenKind::Comma:
  case TokenKind::Equal:
  case TokenKind::PlusEqual:
  case TokenKind::OtherAssign:
    return true;
  default:
    return false;
  }
}

// So is a line that ends in a word which needs something after it.
bool continues(std::string_view word) {
  return word == "and" || word == "or" || word == "not";
}

} // namespace

TokenStream::TokenStream(const SourceFile &file) : file_(file), lexer_(file.text()) {
  previous_.kind = TokenKind::Newline;
  fetch();
}

void TokenStream::fetch() {
  current_ = lexer_.next();
}

void TokenStream::take() {
  if (at(TokenKind::LeftParen))
    ++depth_;
  else if (at(TokenKind::RightParen) && depth_ > 0)
    --depth_;
  if (!at(TokenKind::Newline) && !at(TokenKind::End))
    previous_ = current_;
  fetch();
}

bool TokenStream::isUnfinished() const {
  return depth_ > 0 || continues(previous_.kind) || (previous_.kind == TokenKind::Name && continues(text(previous_)));
}

void TokenStream::advance() {
  take();
  while (at(TokenKind::Newline) && isUnfinished())
    fetch();
}

bool TokenStream::accept(TokenKind kind) {
  if (!at(kind))
    return false;
  advance();
  return true;
}

Token TokenStream::peek() const {
  Lexer ahead = lexer_;
  Token token = ahead.next();
  while (token.kind == TokenKind::Newline)
    token = ahead.next();
  return token;
}

std::string_view TokenStream::text(const Token &token) const {
  return file_.text().substr(token.begin, token.end - token.begin);
}

std::string TokenStream::quoted(const Token &token) const {
  std::string_view whole = text(token);
  size_t length = std::min(whole.size(), kLongestQuote);
  while (length < whole.size() && length > 0 && isUtf8Continuation(whole[length]))
    --length;
  std::string shown(1, '\'');
  shown.append(whole.substr(0, length));
  shown.append(length < whole.size() ? "...'" : "'");
  return shown;
}

std::string TokenStream::found() const {
  if (at(TokenKind::End))
    return "the end of the file";
  return at(TokenKind::Newline) ? "the end of the line" : quoted(current_);
}

bool TokenStream::atNewStatement() const {
  return current_.startsLine && at(TokenKind::Name) && looksLikeStatement();
}

bool TokenStream::looksLikeStatement() const {
  constexpr int kTokens = 24; // an access of the highest order, and some more
  Lexer ahead = lexer_;
  Token token = ahead.next();
  const std::string_view word = text(current_);
  if (token.kind == TokenKind::Name && (word == "tensor" || word == "let" || word == "kernel"))
    return true;
  if (token.kind == TokenKind::Name && word == "const") {
    const TokenKind next = Lexer(ahead).next().kind;
    return next == TokenKind::LeftParen || next == TokenKind::Colon || next == TokenKind::Comma ||
           next == TokenKind::Equal;
  }
  if (token.kind == TokenKind::Name && word == "type" && Lexer(ahead).next().kind == TokenKind::Equal)
    return true;
  if (token.kind == TokenKind::LeftParen) {
    for (int i = 0; i < kTokens && token.kind != TokenKind::RightParen; ++i) {
      token = ahead.next();
      if (token.kind != TokenKind::Name && token.kind != TokenKind::Comma && token.kind != TokenKind::Number &&
          token.kind != TokenKind::RightParen)
        return false;
    }
    token = ahead.next();
  }
  if (token.kind == TokenKind::Name && isReducingAssignment(text(token)))
    token = ahead.next();
  return token.kind == TokenKind::Equal || token.kind == TokenKind::PlusEqual;
}

std::vector<Token> TokenStream::restOfLine() const {
  constexpr size_t kMost = 100;
  std::vector<Token> tokens;
  Lexer ahead = lexer_;
  for (Token token = current_; token.kind != TokenKind::Newline && token.kind != TokenKind::End; token = ahead.next()) {
    tokens.push_back(token);
    if (tokens.size() == kMost)
      break;
  }
  return tokens;
}

void TokenStream::resumeAt(uint32_t offset) {
  previous_ = {.kind = TokenKind::Invalid, .begin = current_.begin, .end = offset};
  lexer_.moveTo(offset);
  fetch();
}

void TokenStream::skipLine() {
  while (!at(TokenKind::Newline) && !at(TokenKind::End))
    take();
  depth_ = 0;
  previous_.kind = TokenKind::Newline;
}

void TokenStream::recover(uint32_t begin) {
  while (!at(TokenKind::End) && !at(TokenKind::Semicolon)) {
    if (current_.begin != begin && atNewStatement())
      break;
    if (at(TokenKind::Newline) && !isUnfinished())
      break;
    take();
  }
  depth_ = 0;
}

} // namespace spc::syntax
