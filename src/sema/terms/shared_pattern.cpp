#include "sema/terms/shared_pattern.h"

#include "format/levels.h"
#include "sema/terms/sparsity.h"

#include <algorithm>

namespace spc::sema {
namespace {

/// The variables by level: what two accesses with one structure must have in common.
std::vector<VariableId> byLevel(const Access &access, const Kernel &kernel) {
  std::vector<VariableId> variables;
  for (const format::Level &level : kernel.tensors[access.tensor].format.levels) {
    variables.push_back(access.variables[level.dim]);
    if (level.part == format::Part::Difference)
      variables.push_back(access.variables[level.minus]);
  }
  return variables;
}

/// Whether `b` stores an entry exactly where `a` does: they have one structure, which in `b` may have a tail.
bool leads(const Access &a, const Access &b, const Kernel &kernel) {
  const format::Format &format = kernel.tensors[a.tensor].format;
  const bool isPlain =
      !format.isDense() && !format.isSum() && !format.mayRepeat() && format.symmetry == format::Symmetry::None;
  if (!isPlain || kernel.tensors[b.tensor].format.isDense() ||
      structureOwner(kernel, a.tensor) != structureOwner(kernel, b.tensor))
    return false;
  const std::vector<VariableId> own = byLevel(a, kernel), other = byLevel(b, kernel);
  return own.size() <= other.size() && std::equal(own.begin(), own.end(), other.begin());
}

/// Whether the domain asks where a tensor with padding has no entries.
bool lacksPadded(const AccessDomain &domain, const Scope &scope, const Kernel &kernel) {
  const auto isPadded = [&](AccessId id) {
    return format::hasPadding(kernel.tensors[scope.accesses[id].tensor].format);
  };
  return (domain.kind == AccessDomain::Kind::Missing && isPadded(domain.operand)) ||
         std::any_of(domain.parts.begin(), domain.parts.end(),
                     [&](const AccessDomain &part) { return lacksPadded(part, scope, kernel); });
}

AccessDomain ledBy(const AccessDomain &domain, const std::vector<AccessId> &among, const Scope &scope,
                   const Kernel &kernel) {
  AccessDomain result = domain;
  if (domain.kind == AccessDomain::Kind::Stored || domain.kind == AccessDomain::Kind::Missing)
    result.operand = leaderOf(domain.operand, among, scope, kernel);
  result.parts.clear();
  for (const AccessDomain &part : domain.parts) {
    AccessDomain led = ledBy(part, among, scope, kernel);
    if (std::none_of(result.parts.begin(), result.parts.end(),
                     [&](const AccessDomain &other) { return isSame(led, other); }))
      result.parts.push_back(std::move(led));
  }
  return result.parts.size() == 1 ? AccessDomain(result.parts.front()) : result;
}

} // namespace

AccessId leaderOf(AccessId access, const std::vector<AccessId> &among, const Scope &scope, const Kernel &kernel) {
  const auto levelsOf = [&](AccessId id) { return kernel.tensors[scope.accesses[id].tensor].format.levelCount(); };
  std::optional<AccessId> leader;
  for (AccessId other : among)
    if (other == access || leads(scope.accesses[other], scope.accesses[access], kernel))
      if (!leader || levelsOf(other) < levelsOf(*leader))
        leader = other;
  return leader.value_or(access);
}

AccessDomain byLeaders(const AccessDomain &domain, const std::vector<AccessId> &among, const Scope &scope,
                       const Kernel &kernel) {
  // What is padding in one tensor may be an entry in another one of the same structure.
  return lacksPadded(domain, scope, kernel) ? domain : ledBy(domain, among, scope, kernel);
}

} // namespace spc::sema
