// Value types: declared ones, and those that follow from them.
#include "sema/check/checking.h"
#include "sema/expression_types.h"

namespace spc::sema {
namespace {

ValueType takeDefault(Checking &checking) {
  checking.usesDefaultType = true;
  return checking.defaultType ? checking.defaultType->type : ValueType::F64;
}

} // namespace

/// The type of a tensor that holds indices: the default type, if that may, else i64.
static ValueType holderType(const Checking &checking) {
  const ValueType type = checking.defaultType ? checking.defaultType->type : ValueType::I64;
  return isInteger(type) && bytesOf(type) >= 4 ? type : ValueType::I64;
}

void inferTypes(Checking &checking) {
  std::optional<ValueType> forScalars; // the widest type of the operands that have indices
  for (const bool isScalar : {false, true})
    for (TensorId id : checking.program.symbols.ids()) {
      Tensor &tensor = checking.program.tensors[id];
      const bool isOperand = checking.program.symbols[id].isOperand;
      if ((tensor.order() == 0) != isScalar)
        continue;
      if (const std::optional<ValueType> stated = statedType(checking, id))
        tensor.type = *stated;
      else if (isOperand)
        tensor.type = isScalar && forScalars                      ? *forScalars
                      : checking.program.symbols[id].holdsIndices ? holderType(checking)
                                                                  : takeDefault(checking);
      if (isOperand && !isScalar && !checking.program.symbols[id].holdsIndices)
        forScalars = forScalars ? widest(*forScalars, tensor.type) : tensor.type;
    }
  for (size_t k = 0; k < checking.program.statements.size(); ++k) {
    const ResolvedStatement &statement = checking.program.statements[k];
    if (!statement.value)
      continue;
    const TensorId target = statement.target.tensor;
    const Symbol &symbol = checking.program.symbols[target];
    if (statedType(checking, target) || symbol.isOperand || symbol.firstWrite != static_cast<int>(k))
      continue;
    const std::optional<ValueType> type = typeOf(*statement.value, statement.scope, checking.program);
    checking.program.tensors[target].type = statement.op == language::AssignOp::Or ? ValueType::Bool
                                            : type                                 ? *type
                                                                                   : takeDefault(checking);
  }
}

} // namespace spc::sema
