#include "sema/renaming.h"

#include <algorithm>
#include <utility>

namespace spc::sema {

VariableId addVariable(Scope &scope, Variable variable) {
  const std::string name = variable.name;
  const auto isTaken = [&](const Variable &other) { return other.name == variable.name; };
  for (int number = 1; std::any_of(scope.variables.begin(), scope.variables.end(), isTaken); ++number)
    variable.name = name + std::to_string(number);
  return scope.variables.add(std::move(variable));
}

void rename(Node &node, Renamed &variables, const Scope &from, Scope &to) {
  if (auto *index = std::get_if<IndexNode>(&node.kind))
    index->variable = variables.at(index->variable);
  if (auto *reduction = std::get_if<ReduceNode>(&node.kind))
    for (VariableId &variable : reduction->variables) {
      const auto [known, isNew] = variables.try_emplace(variable);
      if (isNew) {
        Variable bound = from.variables[variable];
        bound.kind = Variable::Kind::Bound;
        known->second = addVariable(to, std::move(bound));
      }
      variable = known->second;
    }
  for (Node *child : children(node))
    rename(*child, variables, from, to);
}

void renameIndices(Node &node, const Renamed &variables, Scope &scope) {
  replaceAccesses(node, [&](AccessId id) {
    Access access = scope.accesses[id];
    for (VariableId &variable : access.variables)
      if (const auto found = variables.find(variable); found != variables.end())
        variable = found->second;
    return scope.intern(std::move(access));
  });
}

} // namespace spc::sema
