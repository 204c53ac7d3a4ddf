#include "sema/terms/ranked_format.h"

#include "sema/terms/sparsity.h"

#include <algorithm>

namespace spc::sema {
namespace {

/// Levels in the order of the dimensions, the first one dense where there are several; indices as wide as those of the
/// operands, and pointers for any number.
format::Format formatOf(const LogicalStatement &logical, const Scope &scope, const Kernel &kernel) {
  format::Format format;
  format.pointers = format::IndexType::I64;
  for (const LogicalTerm &term : logical.terms)
    for (AccessId id : accessesOf(*term.expr)) {
      const format::Format &operand = kernel.tensors[scope.accesses[id].tensor].format;
      if (!operand.isDense() && format::bits(operand.indices) > format::bits(format.indices))
        format.indices = operand.indices;
    }
  const int order = static_cast<int>(logical.targetVariables.size());
  for (int dim = 0; dim < order; ++dim) {
    if (dim == 0 && order > 1)
      format.levels.push_back({.dim = dim});
    else
      format.levels.push_back({.dim = dim, .storage = format::Storage::Compressed, .extent = format::Extent::Ragged});
  }
  return format;
}

/// Whether a term has a value only where sparse operands have entries.
bool isOfEntries(const LogicalTerm &term, const LogicalStatement &logical, const Scope &scope, const Kernel &kernel) {
  const Node &value = *term.expr;
  const bool isEverywhere = hasDomain(value, logical.reduction, scope, kernel) &&
                            domainOfTerm(value, logical.targetDefault, logical.computeType, scope, kernel).kind ==
                                AccessDomain::Kind::Everywhere;
  return !isEverywhere && hasSparse(value, scope, kernel);
}

} // namespace

bool storeRanked(Planning &planning, const LogicalStatement &logical) {
  Tensor &target = planning.kernel.tensors[logical.target];
  const auto *temporary = target.as<Temporary>();
  if (!temporary || !temporary->isRanked)
    return temporary && logical.rank && target.name.starts_with('$');
  const Scope &scope = planning.statements[logical.statement].scope;
  const bool isSparse = std::all_of(logical.terms.begin(), logical.terms.end(), [&](const LogicalTerm &term) {
    return isOfEntries(term, logical, scope, planning.kernel);
  });
  if (isSparse) {
    target.format = formatOf(logical, scope, planning.kernel);
    target.structure = Assembled{};
  }
  return true;
}

} // namespace spc::sema
