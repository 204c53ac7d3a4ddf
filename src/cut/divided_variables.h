// Which variable of each statement counts the coordinates that parts share out.
#pragma once

#include "sema/program.h"

#include <optional>
#include <string>
#include <vector>

namespace spc::cut {

/// By statement, a variable over the extent that `index` runs over first: that of the same name, else the one by which
/// it comes to a dimension of a tensor that other statements have so; none where it has neither.
struct DividedVariables {
  sema::ExtentId extent;
  std::vector<std::optional<sema::VariableId>> variables;
};

/// nullopt where no statement has the index; it may be the name of an extent, too.
std::optional<DividedVariables> dividedVariables(const sema::Program &program, const std::string &index);

/// The accesses that a statement's value reads: its scope may have others.
std::vector<sema::AccessId> accessesRead(const sema::ResolvedStatement &statement);

/// A name that nothing in a program has, neither tensors nor sizes, indices or types: `wanted`, or with lines behind
/// it.
std::string unusedName(const sema::Program &program, std::string wanted);

/// The dimensions in which an access has a variable as it is.
std::vector<size_t> dimsAt(const sema::Access &access, std::optional<sema::VariableId> variable);

} // namespace spc::cut
