// Outputs that are stored as a sum of parts. Which part an element would go to is nothing that a statement says: they
// are computed as one tensor.
#include "sema/terms/canonical_copies.h"
#include "sema/terms/planning.h"

namespace spc::sema {
namespace {

/// The tensor that is computed in place of the output `whole`, which has its name.
TensorId addStandIn(Planning &planning, TensorId whole) {
  Tensor standIn = planning.kernel.tensors[whole];
  standIn.role = Temporary{};
  standIn.format = plainFormat(standIn.format, !hasDenseLevel(standIn.format));
  standIn.isRead = false;
  Symbol symbol = planning.symbols[whole];
  symbol.isOperand = false;
  planning.kernel.tensors[whole].structure = Assembled{};
  planning.symbols.push_back(symbol);
  return planning.kernel.tensors.add(std::move(standIn));
}

} // namespace

void computeSumsApart(Planning &planning) {
  for (TensorId whole : planning.symbols.ids()) {
    if (!planning.kernel.tensors[whole].format.isSum() || planning.symbols[whole].firstWrite < 0)
      continue;
    if (Tensor &tensor = planning.kernel.tensors[whole]; tensor.is<Temporary>()) {
      tensor.format = plainFormat(tensor.format, !hasDenseLevel(tensor.format)); // nobody sees its parts
      continue;
    }
    const TensorId standIn = addStandIn(planning, whole);
    planning.sumOutputs.emplace(standIn, whole);
    bool isWritten = false;
    for (ResolvedStatement &statement : planning.statements) {
      for (Access &access : statement.scope.accesses)
        if (isWritten && access.tensor == whole)
          access.tensor = standIn;
      if (statement.target.tensor != whole)
        continue;
      statement.target.tensor = standIn;
      isWritten = true;
    }
  }
}

} // namespace spc::sema
