// Syntax of other languages that people try here, each with what to write instead.
#pragma once

#include "syntax/syntax_errors.h"

namespace spc::syntax {

/// At the first word of what is no statement of the language: reports loops, conditions, definitions and einsum
/// strings, and takes the rest of the line. False where it is none of them.
bool reportForeignStatement(TokenStream &tokens, SyntaxErrors &errors);

/// Whether the current line holds nothing but the end of a block, such as `}` or `end`.
bool closesBlock(const TokenStream &tokens);

/// Reports the current token, a character that the language does not have, where others have a use for it; null where
/// none is known.
Diagnostic *reportForeignCharacter(const TokenStream &tokens, SyntaxErrors &errors);

/// Adds what to write instead where a statement goes on with a word or an operator of another language.
void adviseInPlace(const TokenStream &tokens, Diagnostic &error);

/// Says what to write for a condition at the end of a statement, `y(i) = x(i), i > 0`, whose comma is the current
/// token.
void adviseGuard(const TokenStream &tokens, Diagnostic &error);

} // namespace spc::syntax
