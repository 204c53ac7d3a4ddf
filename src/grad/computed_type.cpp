#include "grad/program.h"

#include "sema/value_type.h"

namespace spc::grad {
namespace {

/// Widens `type` to the values of an expression: conditions and what is compared have types of their own.
void collect(const Program &program, const Expr &expr, std::optional<sema::ValueType> &type) {
  const auto widen = [&](sema::ValueType other) { type = type ? sema::widest(*type, other) : other; };
  if (std::holds_alternative<IndexValue>(expr.node))
    return widen(sema::ValueType::I64);
  if (const auto *read = std::get_if<Access>(&expr.node))
    return widen(program.info(read->tensor).type);
  const std::vector<const Expr *> below = children(expr);
  const auto *call = std::get_if<Call>(&expr.node);
  if (call && call->function == Function::Select) {
    collect(program, *below[1], type);
    return collect(program, *below[2], type);
  }
  if (call && call->function == Function::Cast)
    return widen(call->castTo);
  if (isTruth(expr, program))
    return widen(sema::ValueType::Bool);
  for (const Expr *child : below)
    collect(program, *child, type);
}

} // namespace

bool isTruth(const Expr &expr, const Program &program) {
  if (const Access *read = asTensor(expr, program.names))
    return program.info(read->tensor).type == sema::ValueType::Bool;
  if (const auto *reduction = std::get_if<Reduce>(&expr.node))
    return reduction->reduction == Reduction::Any || reduction->reduction == Reduction::All;
  const auto *node = std::get_if<Call>(&expr.node);
  if (!node)
    return false;
  return language::isLogical(node->function) ||
         (node->function == Function::Cast && node->castTo == sema::ValueType::Bool);
}

sema::ValueType computedType(const Program &program, const Expr &value, sema::ValueType target) {
  std::optional<sema::ValueType> type = target;
  collect(program, value, type);
  return sema::arithmeticType(*type);
}

sema::ValueType impliedType(const Program &program, const Expr &value) {
  std::optional<sema::ValueType> type;
  collect(program, value, type);
  return type.value_or(sema::ValueType::F64);
}

} // namespace spc::grad
