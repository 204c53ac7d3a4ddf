// `type T = f64`: type parameters of a kernel file.
#pragma once

#include "syntax/expression_parser.h"

#include <optional>

namespace spc::syntax {

/// The names of all type parameters that a file declares: `T(x)` is a conversion wherever T is declared.
TypeParameters typeParametersOf(const SourceFile &file);

/// Whether a type declaration begins at the current token, the first one of a statement. `type` is a name as any other
/// elsewhere.
bool atTypeDeclaration(const TokenStream &tokens);

/// Takes a type declaration up to the type; nullopt with an error reported. Names that no parameter may have are
/// reported, too.
std::optional<TypeDecl> parseTypeDeclaration(TokenStream &tokens, SyntaxErrors &errors, ExpressionParser &expressions);

} // namespace spc::syntax
