// Sums of index variables in the place of index variables. Private to sema's rooms.
#pragma once

#include "sema/tree.h"

#include <map>
#include <string>

namespace spc::sema {

/// What an index is: multiples of variables and a number, which add up to it.
struct IndexSum {
  std::vector<Variable::Multiple> terms;
  int64_t constant = 0;

  /// Whether it is a variable as it is.
  bool isVariable() const { return terms.size() == 1 && terms.front().scale == 1 && constant == 0; }
};

using Substituted = std::map<VariableId, IndexSum>;

/// `2*i + 1`.
std::string textOf(const IndexSum &sum, const Scope &scope);

/// What such a sum is as a value.
NodePtr valueOf(const IndexSum &sum, Span where);

/// What an index of an access is, derived or plain.
IndexSum sumOf(VariableId index, const Scope &scope);

/// Puts sums in the place of variables that a tree has in indices and as values; accesses and derived variables are
/// added. False, with the tree in between, where a value would become a number: that has another type, unless it is
/// compared with an index.
bool substitute(Node &node, const Substituted &sums, Scope &scope, const KernelHead &kernel);

} // namespace spc::sema
