#include "syntax/lexer.h"

namespace spc::syntax {
namespace {

bool isDigit(char c) {
  return c >= '0' && c <= '9';
}
bool isNameStart(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool isNamePart(char c) {
  return isNameStart(c) || isDigit(c);
}
bool isBlank(char c) {
  return c == ' ' || c == '\t' || c == '\r';
}

} // namespace

Lexer::Lexer(std::string_view text) : text_(text) {}

void Lexer::skipBlanks() {
  while (position_ < text_.size() && isBlank(text_[position_]))
    ++position_;
  if (at(position_) == '#')
    while (position_ < text_.size() && text_[position_] != '\n')
      ++position_;
}

bool Lexer::startsToken(uint32_t offset) const {
  char c = at(offset);
  if (isNamePart(c) || isBlank(c) || (c == '.' && isDigit(at(offset + 1))))
    return true;
  if (c == '!' && at(offset + 1) == '=')
    return true;
  return c != '\0' && std::string_view("\n#(),:;+-*/%=<>").find(c) != std::string_view::npos;
}

Token Lexer::next() {
  skipBlanks();
  Token token;
  token.begin = position_;
  token.startsLine = lineStart_;
  lineStart_ = false;
  char c = at(position_);
  if (position_ >= text_.size()) {
    token.kind = TokenKind::End;
  } else if (isNameStart(c)) {
    token.kind = TokenKind::Name;
    while (isNamePart(at(position_)))
      ++position_;
  } else if (isDigit(c) || (c == '.' && isDigit(at(position_ + 1)))) {
    token.kind = TokenKind::Number;
    token.wellFormed = number();
  } else if (startsToken(position_)) {
    token.kind = punctuation();
    lineStart_ = token.kind == TokenKind::Newline;
  } else {
    token.kind = TokenKind::Invalid;
    while (position_ < text_.size() && !startsToken(position_))
      ++position_;
  }
  token.end = position_;
  return token;
}

TokenKind Lexer::punctuation() {
  char c = text_[position_++];
  bool assigns = at(position_) == '=' && std::string_view("+-*/=").find(c) != std::string_view::npos;
  if (assigns) {
    ++position_;
    return c == '+' ? TokenKind::PlusEqual : c == '=' ? TokenKind::Comparison : TokenKind::OtherAssign;
  }
  if (c == '<' || c == '>' || c == '!') {
    position_ += at(position_) == '=' ? 1 : 0;
    return TokenKind::Comparison;
  }
  switch (c) {
  case '\n':
    return TokenKind::Newline;
  case '(':
    return TokenKind::LeftParen;
  case ')':
    return TokenKind::RightParen;
  case ',':
    return TokenKind::Comma;
  case ':':
    return TokenKind::Colon;
  case ';':
    return TokenKind::Semicolon;
  case '+':
    return TokenKind::Plus;
  case '-':
    return TokenKind::Minus;
  case '*':
    return TokenKind::Star;
  case '/':
    return TokenKind::Slash;
  case '%':
    return TokenKind::Percent;
  default:
    return TokenKind::Equal;
  }
}

// Digits [. digits] [e [sign] digits]; takes letters, digits and points that stick to it along, as a malformed number.
bool Lexer::number() {
  auto digits = [&] {
    uint32_t first = position_;
    while (isDigit(at(position_)))
      ++position_;
    return position_ > first;
  };
  digits();
  if (at(position_) == '.') {
    ++position_;
    digits();
  }
  bool wellFormed = true;
  if (at(position_) == 'e' || at(position_) == 'E') {
    ++position_;
    if (at(position_) == '+' || at(position_) == '-')
      ++position_;
    wellFormed = digits();
  }
  while (isNamePart(at(position_)) || at(position_) == '.') {
    ++position_;
    wellFormed = false;
  }
  return wellFormed;
}

} // namespace spc::syntax
