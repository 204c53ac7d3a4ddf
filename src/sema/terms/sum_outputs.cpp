// Outputs that are stored as a sum of parts. Which part an element would go to is nothing that a statement says: they
// are computed as one tensor.
#include "sema/analysis.h"
#include "sema/terms/canonical_copies.h"

namespace spc::sema {
namespace {

/// The tensor that is computed in place of the output `whole`, which has its name.
TensorId addStandIn(Analysis &analysis, TensorId whole) {
  Tensor standIn = analysis.kernel.tensors[whole];
  standIn.role = Temporary{};
  standIn.format = plainFormat(standIn.format, !hasDenseLevel(standIn.format));
  standIn.isRead = false;
  Symbol symbol = analysis.symbols[whole];
  symbol.isOperand = false;
  analysis.kernel.tensors[whole].structure = Assembled{};
  analysis.symbols.push_back(symbol);
  return analysis.kernel.tensors.add(std::move(standIn));
}

} // namespace

void computeSumsApart(Analysis &analysis) {
  for (TensorId whole : analysis.symbols.ids()) {
    if (!analysis.kernel.tensors[whole].format.isSum() || analysis.symbols[whole].firstWrite < 0)
      continue;
    if (Tensor &tensor = analysis.kernel.tensors[whole]; tensor.is<Temporary>()) {
      tensor.format = plainFormat(tensor.format, !hasDenseLevel(tensor.format)); // nobody sees its parts
      continue;
    }
    const TensorId standIn = addStandIn(analysis, whole);
    analysis.sumOutputs.emplace(standIn, whole);
    bool isWritten = false;
    for (ResolvedStatement &statement : analysis.statements) {
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
