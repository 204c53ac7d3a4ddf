// A statement's value in another statement's variables. Private to sema's rooms.
#pragma once

#include "sema/tree.h"

#include <map>

namespace spc::sema {

using Renamed = std::map<VariableId, VariableId>;

/// Adds a variable under a name that no other one of the scope has.
VariableId addVariable(Scope &scope, Variable variable);

/// Renames the variables of a tree; those that its reductions bind are added. What accesses are indexed by stays.
void rename(Node &node, Renamed &variables, const Scope &from, Scope &to);

/// Renames what the accesses of a tree are indexed by, in one scope; variables that are not listed stay.
void renameIndices(Node &node, const Renamed &variables, Scope &scope);

} // namespace spc::sema
