// Choices by negated conditions, as docs/language.md reads them.
#pragma once

#include "syntax/ast.h"

namespace spc::testing {

/// Writes `select(not c, a, b)` as `select(c, b, a)` wherever it stands in an expression, unless b alone is a number.
void orderChoices(syntax::Expr &expr);

} // namespace spc::testing
