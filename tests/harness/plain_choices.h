// Choices, as docs/language.md reads them.
#pragma once

#include "syntax/ast.h"

#include <set>
#include <string>

namespace spc::testing {

/// Writes `select(not c, a, b)` as `select(c, b, a)` wherever it stands in an expression, unless b alone is a number,
/// and so `select(i != j, a, b)` of index variables. Numbers that scale `select(c, a, 0)` scale a.
void orderChoices(syntax::Expr &expr);

/// Writes addends `select(i == j, a, 0)` of index variables as `a * (i == j)`, and addends of several such cases as a
/// sum over these and what tensors of these names list elsewhere. Requires: choices are ordered.
void multiplyChosenAddends(syntax::Statement &statement, const std::set<std::string> &listed);

} // namespace spc::testing
