#include "syntax/syntax_errors.h"

#include "syntax/foreign_syntax.h"

#include <array>
#include <utility>

namespace spc::syntax {
namespace {

constexpr DiagnosticKind kUnexpectedToken{"unexpected-token", Severity::Error};
constexpr DiagnosticKind kUnexpectedCharacter{"unexpected-character", Severity::Error};
constexpr DiagnosticKind kUnclosedParenthesis{"unclosed-parenthesis", Severity::Error};
constexpr DiagnosticKind kTooManyErrors{"too-many-errors", Severity::Error};

constexpr int kMaxErrors = 50;

// What comes out of a word processor or a paper, and what it stands for.
constexpr std::array<std::pair<std::string_view, std::string_view>, 13> kLookalikes{{{"\u2212", "-"},
                                                                                     {"\u2264", "<="},
                                                                                     {"\u2265", ">="},
                                                                                     {"\u2260", "!="},
                                                                                     {"\u2013", "-"},
                                                                                     {"\u00D7", "*"},
                                                                                     {"\u00B7", "*"},
                                                                                     {"\u22C5", "*"},
                                                                                     {"\u2217", "*"},
                                                                                     {"\u00F7", "/"},
                                                                                     {"\uFF0C", ","},
                                                                                     {"\uFF08", "("},
                                                                                     {"\uFF09", ")"}}};

} // namespace

bool SyntaxErrors::full() const {
  return count_ > kMaxErrors;
}

Diagnostic &SyntaxErrors::report(const DiagnosticKind &kind, Span where, std::string message) {
  if (count_ >= kMaxErrors) {
    if (count_++ == kMaxErrors)
      diagnostics_.report(kTooManyErrors, where, "more than " + std::to_string(kMaxErrors) + " errors; giving up here");
    return discarded_ = {};
  }
  ++count_;
  return diagnostics_.report(kind, where, std::move(message));
}

Diagnostic &SyntaxErrors::unexpectedCharacter() {
  if (Diagnostic *foreign = reportForeignCharacter(tokens_, *this))
    return *foreign;
  std::string_view text = tokens_.text(tokens_.current());
  Diagnostic &error = report(kUnexpectedCharacter, tokens_.currentSpan(),
                             "the language has no character " + tokens_.quoted(tokens_.current()));
  for (const auto &[lookalike, meant] : kLookalikes)
    if (text == lookalike)
      error.fix(tokens_.currentSpan(), std::string(meant));
  if (text == "^")
    error.advise("the power is a function, 'pow(x, 2)'; or write the product, 'x*x'");
  return error;
}

Diagnostic &SyntaxErrors::unexpected(const std::string &what) {
  if (tokens_.at(TokenKind::Invalid))
    return unexpectedCharacter();
  // What is missing at the end of a line is missing after its last token, wherever the next one stands.
  bool unfinished = tokens_.atStatementEnd() || tokens_.atNewStatement();
  std::string found = tokens_.atNewStatement() ? "the end of the line" : tokens_.found();
  Diagnostic &error = report(kUnexpectedToken, unfinished ? tokens_.gap() : tokens_.currentSpan(),
                             "expected " + what + ", found " + found);
  if (!unfinished)
    adviseInPlace(tokens_, error);
  return error;
}

void SyntaxErrors::missingParen(Span open, const std::string &what) {
  if (!tokens_.atStatementEnd() && !tokens_.atNewStatement()) {
    unexpected(what);
    return;
  }
  report(kUnclosedParenthesis, tokens_.gap(), "a ')' is missing")
      .note(open, "to close this '('")
      .fix(tokens_.gap(), ")");
}

} // namespace spc::syntax
