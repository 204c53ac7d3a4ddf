// Addends of several cases, as docs/language.md reads them. Private to this folder.
#pragma once

#include "syntax/ast.h"

#include <set>
#include <string>

namespace spc::testing {

/// Writes `select(i == j, a, select(i == j + 1, b, 0))` as a sum of choices, and a product with `i == j or i == j + 1`
/// as a sum of products, where one of the equations holds at most. Null of any other addend.
syntax::ExprPtr splitCases(syntax::Expr &addend, const std::set<std::string> &variables);

} // namespace spc::testing
