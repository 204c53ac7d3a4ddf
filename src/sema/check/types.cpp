// Value types: declared ones, and those that follow from them.
#include "sema/analysis.h"
#include "sema/expression_types.h"

namespace spc::sema {
namespace {

ValueType takeDefault(Analysis &analysis) {
  analysis.usesDefaultType = true;
  return analysis.defaultType ? analysis.defaultType->type : ValueType::F64;
}

} // namespace

void inferTypes(Analysis &analysis) {
  std::optional<ValueType> forScalars; // the widest type of the operands that have indices
  for (const bool isScalar : {false, true})
    for (TensorId id : analysis.symbols.ids()) {
      Tensor &tensor = analysis.kernel.tensors[id];
      const bool isOperand = analysis.symbols[id].isOperand;
      if ((tensor.order() == 0) != isScalar)
        continue;
      if (const std::optional<ValueType> stated = statedType(analysis, id))
        tensor.type = *stated;
      else if (isOperand)
        tensor.type = isScalar && forScalars ? *forScalars : takeDefault(analysis);
      if (isOperand && !isScalar)
        forScalars = forScalars ? widest(*forScalars, tensor.type) : tensor.type;
    }
  for (size_t k = 0; k < analysis.statements.size(); ++k) {
    const ResolvedStatement &statement = analysis.statements[k];
    if (!statement.value)
      continue;
    const TensorId target = statement.target.tensor;
    const Symbol &symbol = analysis.symbols[target];
    if (statedType(analysis, target) || symbol.isOperand || symbol.firstWrite != static_cast<int>(k))
      continue;
    const std::optional<ValueType> type = typeOf(*statement.value, statement.scope, analysis.kernel);
    analysis.kernel.tensors[target].type = statement.source->op == language::AssignOp::Or ? ValueType::Bool
                                           : type                                        ? *type
                                                                                         : takeDefault(analysis);
  }
}

} // namespace spc::sema
