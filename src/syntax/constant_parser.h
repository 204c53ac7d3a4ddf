// The numbers of a constant: `[[1, 2], [3, 4]]`, `0.5`, or `"file.npy"`.
#pragma once

#include "syntax/ast.h"
#include "syntax/syntax_errors.h"
#include "syntax/token_stream.h"

#include <memory>

namespace spc::syntax {

/// Takes the value of a constant, which begins at the current token: lists within lists, as many as `decl` has extents,
/// with the numbers of a row in the innermost ones, or the name of a file in quotes. Null with an error reported, the
/// whole value being taken.
std::shared_ptr<const language::ConstantDecl> parseConstant(TokenStream &tokens, SyntaxErrors &errors,
                                                            const TensorDecl &decl);

} // namespace spc::syntax
