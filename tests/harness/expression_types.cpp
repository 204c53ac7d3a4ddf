#include "harness/expression_types.h"

namespace spc::testing::evaluator {
namespace {

using language::Function;
using language::Reduction;
using sema::ValueType;
using Type = std::optional<ValueType>;

Type wider(Type a, Type b) {
  return a && b ? sema::widest(*a, *b) : a ? a : b;
}

bool compares(Function function) {
  return function >= Function::Equal && function <= Function::Within;
}

bool isTruth(Function function) {
  return compares(function) || (function >= Function::And && function <= Function::Pattern);
}

bool isPart(Function function) {
  return function == Function::Abs || function == Function::Real || function == Function::Imag ||
         function == Function::Arg;
}

ValueType partTypeOf(ValueType type) {
  return type == ValueType::CF64 ? ValueType::F64 : type == ValueType::CF32 ? ValueType::F32 : type;
}

/// Whether a reduction gives places, or counts them.
bool isOfPlaces(Reduction reduction) {
  return reduction >= Reduction::ArgMin && reduction != Reduction::Top && reduction != Reduction::Bottom;
}

/// Of what the values of an expression are, wherever it stands; nullopt of numbers alone.
Type typeOf(const syntax::Expr &expr, const TensorTypes &tensors) {
  if (const auto *access = std::get_if<syntax::Access>(&expr.node)) {
    const Type type = tensors(access->tensor.text);
    return type ? type : ValueType::I64;
  }
  const auto *call = std::get_if<syntax::Call>(&expr.node);
  if (call && isTruth(call->function))
    return ValueType::Bool;
  if (call && call->function == Function::Cast)
    return sema::valueTypeNamed(call->name.text);
  if (const auto *reduction = std::get_if<syntax::Reduce>(&expr.node)) {
    if (reduction->reduction == Reduction::Any || reduction->reduction == Reduction::All)
      return ValueType::Bool;
    if (isOfPlaces(reduction->reduction))
      return ValueType::I64;
  }
  const std::vector<const syntax::Expr *> parts = syntax::children(expr);
  Type type;
  for (size_t k = call && (call->function == Function::Select || call->function == Function::Where) ? 1 : 0;
       k < parts.size(); ++k)
    type = wider(type, typeOf(*parts[k], tensors));
  if (call && call->function == Function::Complex)
    return wider(type, ValueType::CF32);
  return call && type && isPart(call->function) ? partTypeOf(*type) : type;
}

} // namespace

bool isAbsorbingSum(const syntax::Call &call) {
  return call.function == Function::MinPlus || call.function == Function::MaxPlus;
}

ValueType computeTypeOf(const syntax::Statement &statement, const TensorTypes &tensors) {
  if (statement.op == language::AssignOp::Or)
    return ValueType::Bool;
  const ValueType target = tensors(statement.target.tensor.text).value_or(ValueType::F64);
  return sema::arithmeticType(*wider(target, typeOf(*statement.value, tensors)));
}

ValueType argumentType(const syntax::Call &call, size_t argument, ValueType type, const TensorTypes &tensors) {
  const auto own = [&](size_t k) { return typeOf(*call.arguments[k], tensors); };
  if (compares(call.function))
    type = wider(own(0), own(1)).value_or(ValueType::F64);
  else if (isTruth(call.function) ||
           ((call.function == Function::Select || call.function == Function::Where) && argument == 0))
    type = own(argument).value_or(ValueType::Bool);
  else if (call.function == Function::Cast)
    type = own(0).value_or(ValueType::F64);
  else if (call.function == Function::Complex)
    type = partTypeOf(type);
  else if (isPart(call.function))
    type = own(0) && sema::isComplex(*own(0)) ? *own(0) : partTypeOf(type);
  return sema::arithmeticType(type);
}

ValueType bodyType(const syntax::Reduce &reduction, ValueType type, const TensorTypes &tensors) {
  const bool hasOwn =
      reduction.reduction == Reduction::Any || reduction.reduction == Reduction::All || isOfPlaces(reduction.reduction);
  return hasOwn ? sema::arithmeticType(typeOf(*reduction.body, tensors).value_or(type)) : type;
}

} // namespace spc::testing::evaluator
