// Which operand's pattern a statement provably keeps.
#include "format/levels.h"
#include "sema/terms/logical_plan.h"
#include "sema/terms/masks.h"
#include "sema/terms/repeats.h"
#include "sema/terms/shared_pattern.h"
#include "sema/terms/sparsity.h"

#include <algorithm>

namespace spc::sema {
namespace {

// Whether anything but the access changes with the target's indices.
bool dependsOnTarget(const LogicalStatement &logical, const Node &expr, AccessId access, const Scope &scope) {
  if (usesIndexValue(expr))
    return true;
  for (AccessId other : accessesOf(expr))
    for (VariableId variable : plainVariables(scope.accesses[other], scope))
      if (other != access && has(logical.targetVariables, variable))
        return true;
  return false;
}

int usesOf(AccessId access, const Node &expr) {
  int uses = 0;
  forEachAccess(expr, true, [&](const AccessNode &use, Span) { uses += use.access == access; });
  return uses;
}

/// Whether a target may have dense dimensions besides those of an operand whose pattern it keeps.
bool mayHaveTail(const Tensor &target) {
  return target.is<Temporary>();
}

/// Of several sparse operands the only one that is not summed over.
std::optional<AccessId> maskAmong(const std::vector<AccessId> &sparse, const std::vector<VariableId> &reductions,
                                  const Scope &scope, const Kernel &kernel) {
  std::optional<AccessId> mask;
  for (AccessId access : sparse) {
    const std::vector<VariableId> &variables = scope.accesses[access].variables;
    if (std::any_of(variables.begin(), variables.end(), [&](VariableId one) { return has(reductions, one); }))
      continue;
    if (mask)
      return std::nullopt;
    mask = access;
  }
  // Read at another place, too, it is copied for that, which vectors are not.
  const auto cannotBeCopied = [&](AccessId access) {
    const TensorId tensor = scope.accesses[access].tensor;
    return access != *mask && kernel.tensors[tensor].order() == 1 &&
           structureOwner(kernel, tensor) == structureOwner(kernel, scope.accesses[*mask].tensor);
  };
  if (mask && std::any_of(sparse.begin(), sparse.end(), cannotBeCopied))
    return std::nullopt;
  return mask && format::listsJustEntries(kernel.tensors[scope.accesses[*mask].tensor].format) ? mask : std::nullopt;
}

// Why a target cannot keep the pattern of an access that has the target's variables, for how its tensor is stored.
// `isLarger`: the target has further variables.
std::optional<PatternLoss> storageLoss(const LogicalStatement &logical, const LogicalTerm &term, AccessId access,
                                       bool isLarger, const Scope &scope, const Kernel &kernel) {
  const Node &expr = term.written ? *term.written->expr : *term.expr;
  const Access &first = scope.accesses[access];
  const format::Format &format = kernel.tensors[first.tensor].format;
  const std::string name = quotedName(kernel, first.tensor);
  if (format.isSum())
    return PatternLoss{first.where, name + " is stored as a sum of parts", first.tensor};
  if (format::isHermitian(format.symmetry))
    return PatternLoss{first.where, name + " is stored as one triangle of a Hermitian matrix", first.tensor};
  if (format.symmetry != format::Symmetry::None && dependsOnTarget(logical, expr, access, scope))
    return PatternLoss{term.where, "this is not symmetric, as " + name + " is", first.tensor};
  if (isLarger && (!format::isElementwise(format) || format::hasPadding(format)))
    return PatternLoss{first.where, name + " does not list just its entries", first.tensor};
  if (const Tensor &target = kernel.tensors[logical.target];
      target.is<Temporary>() && target.fill != 0 && format::hasPadding(format))
    return PatternLoss{first.where, name + " is padded with zeros, and missing entries are no zeros here",
                       first.tensor};
  const bool addsUp = format.duplicates == format::Duplicates::Sum;
  const bool readsRepeats =
      addsUp && mayReadRepeats(expr, access, logical.reduction, logical.computeType, scope, kernel);
  if (format.mayRepeat() && !readsRepeats)
    return PatternLoss{first.where,
                       name + " may hold an entry several times, and " +
                           (!addsUp                    ? "these do not add up"
                            : usesOf(access, expr) > 1 ? "occurs more than once here"
                                                       : "this is no product"),
                       first.tensor};
  return std::nullopt;
}

// The sparse access of a term whose pattern the target keeps: the only one, or the mask, which has the target's
// variables, of a temporary some of them.
std::variant<AccessId, PatternLoss> patternAccess(const LogicalStatement &logical, const LogicalTerm &term,
                                                  Stores stores, const Scope &scope, const Kernel &kernel) {
  const Node &expr = term.written ? *term.written->expr : *term.expr;
  if (logical.reduction != Reduction::Sum)
    return PatternLoss{term.where, "this has a value for every element"};
  std::vector<AccessId> sparse;
  const std::vector<AccessId> accesses = accessesOf(expr);
  for (AccessId access : accesses)
    if (!kernel.tensors[scope.accesses[access].tensor].format.isDense() &&
        leaderOf(access, accesses, scope, kernel) == access)
      sparse.push_back(access);
  if (sparse.empty())
    return PatternLoss{term.where, "this term has no sparse operand, so it fills every element"};
  if (const std::optional<AccessId> mask =
          stores == Stores::Mask && sparse.size() > 1
              ? maskAmong(sparse, term.written ? term.written->reductions : term.reductions, scope, kernel)
              : std::nullopt)
    sparse = {*mask};
  if (hasDomain(expr, logical.reduction, scope, kernel)) {
    const AccessDomain domain = domainOfTerm(expr, logical.targetDefault, logical.computeType, scope, kernel);
    if (domain.kind != AccessDomain::Kind::Everywhere && sparse.size() > 1)
      return PatternLoss{term.where, "this term reads several sparse operands"};
    if (!isWithin(domain, {AccessDomain::Kind::Stored, sparse.front(), {}}))
      return PatternLoss{term.where, "this term is not 0 where its operands have no entries"};
  }
  const Access &first = scope.accesses[sparse.front()];
  if (sparse.size() > 1) {
    const Access &second = scope.accesses[sparse[1]];
    const std::string name = quotedName(kernel, first.tensor);
    const std::string both = second.tensor == first.tensor
                                 ? name + " stores at both places that are read"
                                 : name + " and " + quotedName(kernel, second.tensor) + " both store";
    return PatternLoss{second.where, "this term keeps only what " + both};
  }
  std::vector<VariableId> have = first.variables, want = logical.targetVariables;
  std::sort(have.begin(), have.end());
  std::sort(want.begin(), want.end());
  const bool isLarger = have != want && mayHaveTail(kernel.tensors[logical.target]) &&
                        std::includes(want.begin(), want.end(), have.begin(), have.end()) &&
                        std::adjacent_find(have.begin(), have.end()) == have.end();
  if (have != want && !isLarger)
    return PatternLoss{first.where,
                       quotedName(kernel, first.tensor) + " is not indexed by exactly the left side's variables"};
  if (std::optional<PatternLoss> loss = storageLoss(logical, term, sparse.front(), isLarger, scope, kernel))
    return *std::move(loss);
  return sparse.front();
}

/// Whether a statement keeps the pattern that its target has.
bool isSelf(const KeptPattern &pattern, TensorId target) {
  return pattern.source == target && std::is_sorted(pattern.targetDimension.begin(), pattern.targetDimension.end());
}

/// Whether two patterns are one, be it of two tensors that share it.
bool isSamePattern(const KeptPattern &a, const KeptPattern &b, int order, const Kernel &kernel) {
  return structureOwner(kernel, a.source) == structureOwner(kernel, b.source) &&
         formatFrom(kernel, a, order).sameStorage(formatFrom(kernel, b, order));
}

} // namespace

KeptPattern patternOf(const Access &operand, const std::vector<VariableId> &targetVariables) {
  KeptPattern pattern{operand.tensor, {}};
  for (VariableId variable : operand.variables)
    pattern.targetDimension.push_back(static_cast<int>(placeOf(variable, targetVariables)));
  return pattern;
}

std::variant<KeptPattern, PatternLoss> findKeptPattern(const LogicalStatement &logical, Stores stores,
                                                       const Scope &scope, const Kernel &kernel) {
  std::optional<AccessId> kept;
  for (const LogicalTerm &term : logical.terms) {
    auto access = patternAccess(logical, term, stores, scope, kernel);
    if (auto *loss = std::get_if<PatternLoss>(&access))
      return *loss;
    AccessId found = std::get<AccessId>(access);
    // Where one of two has a tail, the other one leads it.
    const auto leads = [&](AccessId a, AccessId b) { return leaderOf(b, {a, b}, scope, kernel) == a; };
    if (kept && !leads(*kept, found) && !leads(found, *kept))
      return PatternLoss{scope.accesses[found].where, "its terms have different sparse operands"};
    kept = kept.value_or(found);
  }
  return patternOf(scope.accesses[*kept], logical.targetVariables);
}

format::Format formatFrom(const Kernel &kernel, const KeptPattern &pattern, int order) {
  const std::vector<int> &dims = pattern.targetDimension;
  format::Format format = format::permuted(kernel.tensors[pattern.source].format, dims);
  for (int dim = 0; dim < order; ++dim)
    if (!has(dims, dim))
      format.levels.push_back({.dim = dim});
  if (!std::is_sorted(dims.begin(), dims.end()) || format.order() != static_cast<int>(dims.size()))
    format.name.clear();
  return format;
}

format::Format assembledFrom(const Kernel &kernel, const KeptPattern &pattern, int order) {
  format::Format format = formatFrom(kernel, pattern, order);
  std::vector<format::Level> &levels = format.levels;
  if (!levels.back().isDense() ||
      std::none_of(levels.begin(), levels.end(), [](const format::Level &level) { return level.hasWidthOne(); }))
    return format;
  for (format::Level &level : levels)
    if (!level.isDense())
      level = {.dim = level.dim, .storage = format::Storage::Compressed, .extent = format::Extent::Ragged};
  return format;
}

std::variant<KeptPattern, PatternLoss> keptByAll(const Planning &planning, const LogicalStatement &logical,
                                                 Stores stores, std::variant<KeptPattern, PatternLoss> pattern) {
  const auto *first = std::get_if<KeptPattern>(&pattern);
  for (size_t later = logical.statement + 1; first && later < planning.statements.size(); ++later) {
    if (planning.statements[later].target.tensor != logical.target)
      continue;
    Kernel kernel;
    kernel.extents = planning.kernel.extents;
    kernel.tensors = planning.kernel.tensors;
    const int order = planning.kernel.tensors[logical.target].order();
    kernel.tensors[logical.target].format = formatFrom(planning.kernel, *first, order);
    Scope scope = planning.statements[later].scope;
    Diagnostics trial;
    const LogicalStatement other = expandTerms(planning, later, kernel, scope, trial).main;
    const std::variant<KeptPattern, PatternLoss> kept = findKeptPattern(other, stores, scope, kernel);
    const auto *same = std::get_if<KeptPattern>(&kept);
    if (!same || (!isSelf(*same, logical.target) && !isSamePattern(*same, *first, order, planning.kernel)))
      return PatternLoss{other.where, "a later statement does not keep the same pattern"};
  }
  return pattern;
}

} // namespace spc::sema
