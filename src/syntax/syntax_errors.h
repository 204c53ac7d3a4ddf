// How the parser reports: one place that knows what was expected and found, and when enough is enough.
#pragma once

#include "support/diagnostic.h"
#include "syntax/token_stream.h"

#include <string>

namespace spc::syntax {

class SyntaxErrors {
public:
  SyntaxErrors(TokenStream &tokens, Diagnostics &diagnostics) : tokens_(tokens), diagnostics_(diagnostics) {}

  /// Reports an error. Past the limit of a file it reports once that it stops, then nothing more.
  Diagnostic &report(const DiagnosticKind &kind, Span where, std::string message);

  /// "expected `what`, found ..." at the current token; its own message for a character outside the language.
  Diagnostic &unexpected(const std::string &what);

  /// The `(` at `open` is not closed where the current token stands.
  void missingParen(Span open, const std::string &what);

  /// Parsing on is in vain.
  bool full() const;

private:
  Diagnostic &unexpectedCharacter();

  TokenStream &tokens_;
  Diagnostics &diagnostics_;
  Diagnostic discarded_{};
  int count_ = 0;
};

} // namespace spc::syntax
