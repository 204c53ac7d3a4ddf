// The parser's view of the tokens: line breaks only where they end a statement, and recovery after an error.
#pragma once

#include "syntax/lexer.h"

#include <string>
#include <vector>

namespace spc::syntax {

class TokenStream {
public:
  explicit TokenStream(const SourceFile &file);

  const Token &current() const { return current_; }
  const Token &previous() const { return previous_; }
  bool at(TokenKind kind) const { return current_.kind == kind; }
  bool atStatementEnd() const { return at(TokenKind::Newline) || at(TokenKind::Semicolon) || at(TokenKind::End); }

  bool isInParentheses() const { return depth_ > 0; }

  /// Takes the current token. Line breaks inside parentheses and after an operator, a comma or `=` are skipped.
  void advance();
  bool accept(TokenKind kind);

  /// The token after the current one, line breaks skipped.
  Token peek() const;

  std::string_view text(const Token &token) const;
  Span span(const Token &token) const { return {&file_, token.begin, token.end}; }
  Span currentSpan() const { return span(current_); }
  /// The empty place right after the last token taken, where something is missing.
  Span gap() const { return {&file_, previous_.end, previous_.end}; }
  /// From `begin` to the end of the last token taken.
  Span since(uint32_t begin) const { return {&file_, begin, previous_.end}; }

  /// The current token for a message: its text in quotes, shortened, or "the end of the line".
  std::string found() const;
  /// A token's text for a message, shortened and in quotes.
  std::string quoted(const Token &token) const;

  /// Whether the current token starts a line that reads like a new declaration or statement, so that what came before
  /// it is unfinished.
  bool atNewStatement() const;

  /// Whether the current token, a name, and what follows read like a declaration, or a target and an assignment.
  bool looksLikeStatement() const;

  /// The current token and those after it up to the end of its line, at most a hundred.
  std::vector<Token> restOfLine() const;

  /// The whole text, for what is read by its characters.
  std::string_view text() const { return file_.text(); }
  Span span(uint32_t begin, uint32_t end) const { return {&file_, begin, end}; }
  /// Goes on at a byte: what lies between the current token and it has been taken.
  void resumeAt(uint32_t offset);

  /// Takes all tokens up to the end of the line, whatever they are.
  void skipLine();

  /// Skips to the end of the broken statement that began at byte `begin`: its line's end, outside parentheses, or the
  /// next line that reads like a statement.
  void recover(uint32_t begin);

private:
  void take();
  void fetch();
  /// Whether a line break after the last token taken ends nothing.
  bool isUnfinished() const;

  const SourceFile &file_;
  Lexer lexer_;
  Token current_;
  Token previous_;
  uint32_t depth_ = 0; ///< open parentheses
};

/// Whether the word makes `=` take its right side in: `min=`.
inline bool isReducingAssignment(std::string_view word) {
  return word == "min" || word == "max" || word == "or";
}

} // namespace spc::syntax
