#include "sema/expression_types.h"

#include <algorithm>

namespace spc::sema {
namespace {

std::optional<ValueType> widestOf(std::optional<ValueType> a, std::optional<ValueType> b) {
  return a && b ? widest(*a, *b) : a ? a : b;
}

/// Whether the first argument is a condition of a type of its own.
bool isChoice(Function function) {
  return function == Function::Select || function == Function::Where;
}

std::optional<ValueType> typeOfCall(const CallNode &call, const Scope &scope, const KernelHead &kernel) {
  if (isLogical(call.function))
    return ValueType::Bool;
  if (call.function == Function::Cast)
    return call.castTo;
  std::optional<ValueType> type;
  for (size_t k = isChoice(call.function) ? 1 : 0; k < call.arguments.size(); ++k)
    type = widestOf(type, typeOf(*call.arguments[k], scope, kernel));
  if (call.function == Function::Complex)
    return complexOf(type.value_or(ValueType::CF32));
  return type && language::isOfParts(call.function) ? partOf(*type) : type;
}

} // namespace

bool isLogical(Reduction reduction) {
  return reduction == Reduction::Any || reduction == Reduction::All;
}

std::optional<ValueType> typeOf(const Node &node, const Scope &scope, const KernelHead &kernel) {
  if (const auto *use = std::get_if<AccessNode>(&node.kind))
    return kernel.tensors[scope.accesses[use->access].tensor].type;
  if (std::holds_alternative<IndexNode>(node.kind))
    return ValueType::I64;
  if (const auto *call = std::get_if<CallNode>(&node.kind))
    return typeOfCall(*call, scope, kernel);
  const auto *reduction = std::get_if<ReduceNode>(&node.kind);
  if (reduction && isLogical(reduction->reduction))
    return ValueType::Bool;
  if (reduction && language::ranksPlaces(reduction->reduction))
    return ValueType::I64;
  std::optional<ValueType> type;
  for (const Node *child : children(node))
    type = widestOf(type, typeOf(*child, scope, kernel));
  return type;
}

bool isReal(const Node &node, const Scope &scope, const KernelHead &kernel) {
  if (const auto *use = std::get_if<AccessNode>(&node.kind))
    return !isComplex(kernel.tensors[scope.accesses[use->access].tensor].type);
  const auto *call = std::get_if<CallNode>(&node.kind);
  if (call && call->function == Function::Complex)
    return false;
  if (call && (isLogical(call->function) || language::isOfParts(call->function)))
    return true;
  const auto *reduction = std::get_if<ReduceNode>(&node.kind);
  if (reduction && (isLogical(reduction->reduction) || language::ranksPlaces(reduction->reduction)))
    return true;
  std::vector<const Node *> parts = children(node);
  if (call && isChoice(call->function))
    parts.erase(parts.begin());
  return std::all_of(parts.begin(), parts.end(), [&](const Node *part) { return isReal(*part, scope, kernel); });
}

ValueType argumentType(const CallNode &call, size_t argument, ValueType context, const Scope &scope,
                       const KernelHead &kernel) {
  const auto own = [&](size_t k) { return typeOf(*call.arguments[k], scope, kernel); };
  std::optional<ValueType> type = context;
  if (language::isComparison(call.function))
    type = widestOf(own(0), own(1)).value_or(ValueType::F64);
  else if (isLogical(call.function) || (isChoice(call.function) && argument == 0))
    type = own(argument).value_or(ValueType::Bool);
  else if (call.function == Function::Cast)
    type = own(0).value_or(ValueType::F64);
  else if (language::isOfParts(call.function))
    type = own(0) && isComplex(*own(0)) ? *own(0) : partOf(context);
  else if (call.function == Function::Complex) // a complex one is none that it takes
    type = own(argument) && isComplex(*own(argument)) ? *own(argument) : partOf(context);
  return arithmeticType(*type);
}

ValueType bodyType(const ReduceNode &reduction, ValueType context, const Scope &scope, const KernelHead &kernel) {
  const bool isTruth = isLogical(reduction.reduction);
  if (!isTruth && !language::ranksPlaces(reduction.reduction))
    return context;
  return arithmeticType(typeOf(*reduction.body, scope, kernel).value_or(isTruth ? ValueType::Bool : ValueType::F64));
}

ValueType resultType(Function function, ValueType castTo, ValueType argument, ValueType context) {
  return language::isLogical(function)   ? ValueType::Bool
         : function == Function::Cast    ? castTo
         : language::isOfParts(function) ? partOf(argument)
         : function == Function::Complex ? complexOf(argument)
                                         : context;
}

} // namespace spc::sema
