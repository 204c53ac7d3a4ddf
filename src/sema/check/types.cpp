// Value types: declared ones, and those that follow from them.
#include "sema/analysis.h"
#include "sema/expression_types.h"

namespace spc::sema {
namespace {

bool isTyped(const Symbol &symbol) {
  return symbol.declaration && symbol.declaration->type;
}

ValueType declaredType(const Symbol &symbol) {
  return valueTypeNamed(symbol.declaration->type->text).value_or(ValueType::F64);
}

// What an undeclared scalar adapts to: the widest type of the operands that have indices.
ValueType scalarType(const Analysis &analysis) {
  std::optional<ValueType> type;
  for (TensorId id : analysis.symbols.ids()) {
    const Symbol &symbol = analysis.symbols[id];
    if (symbol.isOperand && isTyped(symbol) && analysis.kernel.tensors[id].order() > 0)
      type = type ? widest(*type, declaredType(symbol)) : declaredType(symbol);
  }
  return type.value_or(ValueType::F64);
}

} // namespace

void inferTypes(Analysis &analysis) {
  ValueType forScalars = scalarType(analysis);
  for (TensorId id : analysis.symbols.ids()) {
    const Symbol &symbol = analysis.symbols[id];
    Tensor &tensor = analysis.kernel.tensors[id];
    if (isTyped(symbol))
      tensor.type = declaredType(symbol);
    else if (symbol.isOperand)
      tensor.type = tensor.order() == 0 ? forScalars : ValueType::F64;
  }
  for (size_t k = 0; k < analysis.statements.size(); ++k) {
    const ResolvedStatement &statement = analysis.statements[k];
    if (!statement.value)
      continue;
    const Symbol &symbol = analysis.symbols[statement.target.tensor];
    if (isTyped(symbol) || symbol.isOperand || symbol.firstWrite != static_cast<int>(k))
      continue;
    const std::optional<ValueType> type = typeOf(*statement.value, statement.scope, analysis.kernel);
    analysis.kernel.tensors[statement.target.tensor].type =
        statement.source->op == syntax::AssignOp::Or ? ValueType::Bool : type.value_or(ValueType::F64);
  }
}

} // namespace spc::sema
