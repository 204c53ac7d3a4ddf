// Words that are functions elsewhere. The language has none but `sum`, so that a call of one gets a message of its own.
#pragma once

#include "syntax/ast.h"
#include "syntax/syntax_errors.h"

namespace spc::syntax {

/// Whether a name means a function or a reduction to most readers, such as `exp` or `max`.
bool isFunctionName(std::string_view name);

/// Reports a call of something that is not `sum`.
void reportUnknownFunction(const Name &name, SyntaxErrors &errors);

/// Reports accesses such as `exp(x)` whose tensor the file neither declares nor assigns: they are meant as calls, and
/// would otherwise be read as a tensor `exp` with an index `x`.
void checkFunctionNames(const Kernel &kernel, SyntaxErrors &errors);

} // namespace spc::syntax
