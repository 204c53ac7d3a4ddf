// Addends of several cases, as docs/language.md reads them. Private to this folder.
#pragma once

#include "syntax/ast.h"

#include <set>
#include <string>

namespace spc::testing {

/// What a statement's names stand for.
struct Names {
  std::set<std::string> variables;
  std::set<std::string> listed; ///< tensors that list entries, 0 being what is missing
};

/// Writes `select(i == j, a, select(i == j + 1, b, 0))` as a sum of choices, `select(i == j, a, S(i,j))` too where S
/// lists entries and a is anywhere, and a product with `i == j or i == j + 1` as a sum of products, where one of the
/// equations holds at most. Null of any other addend.
syntax::ExprPtr splitCases(syntax::Expr &addend, const Names &names);

} // namespace spc::testing
