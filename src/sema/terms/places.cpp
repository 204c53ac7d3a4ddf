#include "sema/terms/places.h"

#include "format/levels.h"
#include "sema/estimates.h"

#include <algorithm>
#include <set>

namespace spc::sema {
namespace {

using Variables = std::set<VariableId>;

class PlaceCounter {
public:
  PlaceCounter(const Scope &scope, const Kernel &kernel) : scope_(scope), kernel_(kernel) {}

  /// How many places a domain has for each combination of the `bound` variables, which its own join.
  double places(const AccessDomain &domain, Variables &bound) const {
    switch (domain.kind) {
    case DomainKind::Everywhere:
    case DomainKind::Missing:
      return 1;
    case DomainKind::Stored:
      return ofOperand(domain.operand, bound);
    case DomainKind::All:
      return ofAll(domain.parts, bound);
    case DomainKind::Any:
      break;
    }
    return ofAny(domain.parts, bound);
  }

  double extents(const Variables &variables, const Variables &without) const {
    double product = 1;
    for (VariableId variable : variables)
      if (!without.contains(variable))
        product *= extentOf(variable);
    return product;
  }

private:
  double extentOf(VariableId variable) const { return extentEstimate(variable, scope_, kernel_); }

  /// Each coordinate that is looked for has a fiber of its own; the first one of an operand, a whole dimension.
  double ofOperand(AccessId access, Variables &bound) const {
    double places = 1;
    const double length = fiberLength(kernel_.tensors[scope_.accesses[access].tensor]);
    const std::vector<VariableId> own = plainVariables(scope_.accesses[access], scope_);
    bool isRoot = std::none_of(own.begin(), own.end(), [&](VariableId variable) { return bound.contains(variable); });
    for (VariableId variable : own) {
      if (!bound.insert(variable).second)
        continue;
      places *= isRoot ? extentOf(variable) : std::min(length, extentOf(variable));
      isRoot = false;
    }
    return places;
  }

  /// The part with the fewest places leads, and so on.
  double ofAll(std::vector<AccessDomain> parts, Variables &bound) const {
    double places = 1;
    while (!parts.empty()) {
      const auto fewer = [&](const AccessDomain &a, const AccessDomain &b) {
        Variables boundByA = bound, boundByB = bound;
        return this->places(a, boundByA) < this->places(b, boundByB);
      };
      const auto next = std::min_element(parts.begin(), parts.end(), fewer);
      places *= this->places(*next, bound);
      parts.erase(next);
    }
    return places;
  }

  double ofAny(const std::vector<AccessDomain> &parts, Variables &bound) const {
    Variables all = bound;
    for (const AccessDomain &part : parts)
      (void)places(part, all);
    double sum = 0;
    for (const AccessDomain &part : parts) {
      Variables own = bound;
      const double places = this->places(part, own);
      sum += places * extents(all, own);
    }
    bound = all;
    return sum;
  }

  const Scope &scope_;
  const Kernel &kernel_;
};

} // namespace

double extentEstimate(VariableId variable, const Scope &scope, const Kernel &kernel) {
  const std::optional<int64_t> fixed = kernel.extents[scope.variables[variable].extent].fixed;
  return fixed ? static_cast<double>(*fixed) : kUnknownExtent;
}

double placesOf(const AccessDomain &domain, const std::vector<VariableId> &variables, const Scope &scope,
                const Kernel &kernel) {
  const PlaceCounter counter(scope, kernel);
  Variables bound;
  const double places = counter.places(domain, bound);
  return places * counter.extents({variables.begin(), variables.end()}, bound);
}

std::vector<VariableId> levelsOf(AccessId operand, const Scope &scope, const Kernel &kernel) {
  const Access &access = scope.accesses[operand];
  std::vector<VariableId> variables;
  for (const format::Level &level : kernel.tensors[access.tensor].format.levels)
    variables.push_back(access.variables[static_cast<size_t>(level.dim)]);
  return variables;
}

std::vector<Stored> storedIn(const Node &value, const Scope &scope, const Kernel &kernel) {
  std::vector<Stored> all;
  for (AccessId id : accessesOf(value)) {
    const Access &access = scope.accesses[id];
    const Tensor &tensor = kernel.tensors[access.tensor];
    if (tensor.format.isDense() || tensor.is<Tie>() || hasDerived(access, scope) ||
        !format::isElementwise(tensor.format))
      continue;
    Stored &stored = all.emplace_back();
    stored.isConstant = isConstant(kernel, access.tensor);
    for (const format::Level &level : tensor.format.levels)
      stored.levels.push_back({access.variables[static_cast<size_t>(level.dim)], level.isDense()});
  }
  return all;
}

bool hasMemoryFor(VariableId variable, const Stored &operand) {
  const std::vector<Stored::Level> &levels = operand.levels;
  return std::any_of(levels.begin(), levels.end(), [](const Stored::Level &level) { return level.isDense; }) &&
         std::any_of(levels.begin(), levels.end(),
                     [&](const Stored::Level &level) { return level.variable == variable; });
}

bool isStrided(const Node &value, VariableId variable, const Scope &scope, const Kernel &kernel) {
  const std::vector<AccessId> accesses = accessesOf(value);
  return std::any_of(accesses.begin(), accesses.end(), [&](AccessId id) {
    const bool isDense = kernel.tensors[scope.accesses[id].tensor].format.isDense();
    return has(scope.accesses[id].variables, variable) && !(isDense && levelsOf(id, scope, kernel).back() == variable);
  });
}

} // namespace spc::sema
