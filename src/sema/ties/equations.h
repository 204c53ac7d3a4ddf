// Equations between index variables. Private to this folder.
#pragma once

#include "sema/tree.h"

#include <map>
#include <optional>

namespace spc::sema {

/// Multiples of index variables and a constant, which add up to 0. No multiple is 0.
struct Equation {
  std::map<VariableId, int64_t> multiples;
  int64_t constant = 0;
};

/// What a comparison `a == b`, or `at(a, b)`, says of index variables; nullopt where it compares something else.
std::optional<Equation> equationOf(const CallNode &comparison);

} // namespace spc::sema
