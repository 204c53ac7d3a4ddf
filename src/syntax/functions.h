// Calls of functions that the language does not have.
#pragma once

#include "syntax/ast.h"
#include "syntax/syntax_errors.h"

namespace spc::syntax {

/// Whether a name is that of a function, and of no tensor.
bool isFunctionAlone(std::string_view name);

/// The same of a reduction.
bool isReductionAlone(std::string_view name);

/// Whether a name means a function or a reduction to most readers, such as `exp` or `max`, and no tensor has it.
bool isFunctionName(std::string_view name);

/// Whether a name that is called like a function is one of this or another language, or a slip for one.
bool isLikelyFunction(const std::string &name);

/// Reports a call of something that is no function of the language.
void reportUnknownFunction(const Name &name, SyntaxErrors &errors);

/// Reports accesses such as `exp(x)` whose tensor the file neither declares nor assigns: they are meant as calls, and
/// would otherwise be read as a tensor `exp` with an index `x`.
void checkFunctionNames(const Kernel &kernel, SyntaxErrors &errors);

} // namespace spc::syntax
