#include "cut/divided_variables.h"

#include <algorithm>
#include <set>
#include <utility>

namespace spc::cut {
namespace {

using sema::ResolvedStatement;
using sema::Variable;
using sema::VariableId;

/// Every access of a statement, that of the target first.
std::vector<const sema::Access *> accessesOf(const ResolvedStatement &statement) {
  std::vector<const sema::Access *> all{&statement.target};
  for (sema::AccessId id : accessesRead(statement))
    all.push_back(&statement.scope.accesses[id]);
  return all;
}

class Finder {
public:
  Finder(const sema::Program &program, DividedVariables &found) : program_(program), found_(found) {}

  void run(const std::string &index) {
    for (size_t k = 0; k < program_.statements.size(); ++k)
      for (VariableId id : program_.statements[k].scope.variables.ids())
        if (isCandidate(k, id) && program_.statements[k].scope.variables[id].name == index)
          settle(k, id);
    for (bool changes = true; changes;) {
      changes = false;
      for (size_t k = 0; k < program_.statements.size(); ++k)
        if (const std::optional<VariableId> id = byTensors(k); id && !found_.variables[k]) {
          settle(k, *id);
          changes = true;
        }
    }
  }

private:
  bool isCandidate(size_t statement, VariableId id) const {
    const ResolvedStatement &one = program_.statements[statement];
    const Variable &variable = one.scope.variables[id];
    return !found_.variables[statement] && variable.extent == found_.extent &&
           variable.kind != Variable::Kind::Derived &&
           (sema::has(one.target.variables, id) || sema::occurs(id, *one.value, one.scope));
  }

  void settle(size_t statement, VariableId id) {
    found_.variables[statement] = id;
    for (const sema::Access *access : accessesOf(program_.statements[statement]))
      for (size_t dim : dimsAt(*access, id))
        divided_.emplace(access->tensor, dim);
  }

  /// One of the target where there is one.
  std::optional<VariableId> byTensors(size_t statement) const {
    std::optional<VariableId> found;
    const std::vector<VariableId> &target = program_.statements[statement].target.variables;
    for (const sema::Access *access : accessesOf(program_.statements[statement]))
      for (size_t dim = 0; dim < access->variables.size(); ++dim)
        if (const VariableId id = access->variables[dim];
            divided_.contains({access->tensor, dim}) && isCandidate(statement, id))
          if (!found || (sema::has(target, id) && !sema::has(target, *found)))
            found = id;
    return found;
  }

  const sema::Program &program_;
  DividedVariables &found_;
  std::set<std::pair<sema::TensorId, size_t>> divided_; ///< dimensions
};

} // namespace

std::optional<DividedVariables> dividedVariables(const sema::Program &program, const std::string &index) {
  for (const bool byExtent : {false, true})
    for (const ResolvedStatement &statement : program.statements)
      for (const Variable &variable : statement.scope.variables)
        if (variable.kind != Variable::Kind::Derived &&
            (byExtent ? program.extents[variable.extent].name : variable.name) == index) {
          DividedVariables found{variable.extent, {}};
          found.variables.resize(program.statements.size());
          Finder(program, found).run(variable.name);
          return found;
        }
  return std::nullopt;
}

std::string unusedName(const sema::Program &program, std::string wanted) {
  const auto isTaken = [&](const std::string &name) {
    const auto hasName = [&](const auto &one) { return one.name == name; };
    return std::any_of(program.tensors.begin(), program.tensors.end(), hasName) ||
           std::any_of(program.extents.begin(), program.extents.end(), hasName) ||
           std::any_of(program.indexNames.begin(), program.indexNames.end(),
                       [&](const auto &one) { return one.first == name; }) ||
           program.typeParameters.contains(name);
  };
  for (size_t at = wanted.find("__"); at != std::string::npos; at = wanted.find("__"))
    wanted.erase(at, 1); // C reserves names with two lines in a row
  std::string name = wanted;
  for (int number = 2; isTaken(name); ++number)
    name = wanted + "_" + std::to_string(number);
  return name;
}

std::vector<sema::AccessId> accessesRead(const ResolvedStatement &statement) {
  std::vector<sema::AccessId> found;
  sema::forEachAccess(*statement.value, /*enterSums=*/true, [&](const sema::AccessNode &node, Span) {
    if (!sema::has(found, node.access))
      found.push_back(node.access);
  });
  return found;
}

std::vector<size_t> dimsAt(const sema::Access &access, std::optional<VariableId> variable) {
  std::vector<size_t> dims;
  for (size_t dim = 0; variable && dim < access.variables.size(); ++dim)
    if (access.variables[dim] == *variable)
      dims.push_back(dim);
  return dims;
}

} // namespace spc::cut
