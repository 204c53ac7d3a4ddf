#include "sema/terms/ranked_format.h"

#include "sema/terms/canonical_copies.h"
#include "sema/terms/densifier.h"
#include "sema/terms/sparsity.h"

#include <algorithm>

namespace spc::sema {
namespace {

/// Levels in the order of the dimensions, the first one dense where there are several; indices as wide as those of the
/// operands, and pointers for any number.
format::Format formatOf(const LogicalStatement &logical, const Scope &scope, const Kernel &kernel) {
  const int order = static_cast<int>(logical.targetVariables.size());
  format::Format format = plainFormat(format::denseFormat(order), /*isListed=*/order == 1);
  format.name.clear();
  takeIndexTypes(logical, scope, kernel, format);
  return format;
}

} // namespace

bool storeRanked(Planning &planning, const LogicalStatement &logical) {
  Tensor &target = planning.kernel.tensors[logical.target];
  const auto *temporary = target.as<Temporary>();
  if (!temporary || !temporary->isRanked)
    return temporary && logical.rank && target.name.starts_with('$');
  const Scope &scope = planning.statements[logical.statement].scope;
  const bool isSparse = std::all_of(logical.terms.begin(), logical.terms.end(), [&](const LogicalTerm &term) {
    return !isEverywhere(term, logical, scope, planning.kernel) && hasSparse(*term.expr, scope, planning.kernel);
  });
  if (isSparse) {
    target.format = formatOf(logical, scope, planning.kernel);
    target.structure = Assembled{};
  }
  return true;
}

} // namespace spc::sema
