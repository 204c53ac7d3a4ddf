// Elements at held indices, as sums over ties. Private to this folder.
#pragma once

#include "sema/program.h"

#include <optional>
#include <vector>

namespace spc::sema {

/// An element at held indices, `sum(k, x(k) * at(k, p(i)))`: where it stands, and what it is made of.
struct Gather {
  NodePtr *node;
  AccessId element;
  std::vector<AccessId> ties;
  bool isFactor; ///< of the value that it is part of: it is in no function and no divisor
};

/// `pattern(access)`.
NodePtr patternOf(AccessId access, Span where);

/// The tie that a factor asks for.
std::optional<AccessId> tieIn(const Node &node, const Scope &scope, const KernelHead &kernel);

/// The gather of a dense tensor's element that a node is, of which there is one for each value of the other variables.
std::optional<Gather> gatherAt(NodePtr &node, bool isFactor, const Scope &scope, const KernelHead &kernel);

} // namespace spc::sema
