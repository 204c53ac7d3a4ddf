// The clause that says a kernel's signature: `kernel cg(A, x, r) -> (q, s)`.
#pragma once

#include "syntax/ast.h"
#include "syntax/syntax_errors.h"
#include "syntax/token_stream.h"

#include <optional>

namespace spc::syntax {

/// Whether the current token begins such a clause: the word `kernel` and a name on the same line.
bool beginsSignature(const TokenStream &tokens);

/// Parses the clause up to the end of the statement. nullopt with an error reported.
std::optional<SignatureDecl> parseSignature(TokenStream &tokens, SyntaxErrors &errors);

} // namespace spc::syntax
