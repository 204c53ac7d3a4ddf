// Choices by conditions that are not negated.
#pragma once

#include "sema/tree.h"

namespace spc::sema {

/// Makes the arguments of `select(not c, a, b)` those of `select(c, b, a)`, so that both are the same to all that
/// follows: what c is where entries are missing says what the choice is there. `a or b` is negated where either part
/// is, and `a and b` where both are; `i != j` negates an equation of indices. A number stays behind what is none:
/// `select(not c, a, 0)` is 0 where c holds.
void orderChoice(std::vector<NodePtr> &arguments);

/// An addend, its choices ordered, in which choices `select(i == j, a, 0)` by equations of two index variables are
/// products `a * (i == j)`, which have no values but where the equation holds. Choices within functions, products and
/// other reductions stay.
NodePtr choicesAsProducts(const Node &addend, const Scope &scope, const KernelHead &kernel);

} // namespace spc::sema
