// Means and places of extremes in a tree, which is made of other reductions and of functions (check/statement_builder).
#pragma once

#include "sema/program.h"

#include <optional>

namespace spc::sema {

/// A reduction as it was written.
struct ComposedReduction {
  Reduction reduction;    ///< Mean, ArgMin or ArgMax
  const ReduceNode *over; ///< its variables
  const Node *body;
};

/// The reduction that a tree was written as; nullopt where it was written as it is.
std::optional<ComposedReduction> composedReduction(const Node &node);

/// Notes in the program which extents the places of extremes over several variables have.
void noteLinearPlaces(Program &program);

} // namespace spc::sema
