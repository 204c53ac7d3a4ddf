// Kernel text to tokens.
#pragma once

#include "support/source.h"

#include <cstdint>
#include <string_view>

namespace spc::syntax {

enum class TokenKind : uint8_t {
  Name,
  Number,
  LeftParen,
  RightParen,
  Comma,
  Colon,
  Semicolon,
  Plus,
  Minus,
  Star,
  Slash,
  Percent,
  Equal,
  PlusEqual,
  OtherAssign, ///< `-=`, `*=`, `/=`: not in the language, told apart for better messages
  Comparison,  ///< `==`, `!=`, `<`, `<=`, `>`, `>=`
  Newline,
  End,
  Invalid ///< a run of characters that start no token
};

struct Token {
  TokenKind kind = TokenKind::End;
  bool startsLine = false; ///< the first token after a line break or at the file's start
  bool wellFormed = true;  ///< false for a number such as `1e+` or `3x`
  uint32_t begin = 0;
  uint32_t end = 0;
};

/// Gives one token after the other, in time linear in the text; copying one is the way to look ahead. Comments, blanks,
/// carriage returns and a byte order mark at the start are skipped. After the last token it gives End for ever.
class Lexer {
public:
  explicit Lexer(std::string_view text);
  Token next();
  /// Goes on at a byte that is not within a token.
  void moveTo(uint32_t offset) { position_ = offset; }

private:
  char at(uint32_t offset) const { return offset < text_.size() ? text_[offset] : '\0'; }
  void skipBlanks();
  bool startsToken(uint32_t offset) const;
  TokenKind punctuation();
  bool number();

  std::string_view text_;
  uint32_t position_ = 0;
  bool lineStart_ = true;
};

} // namespace spc::syntax
