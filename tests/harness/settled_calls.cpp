// What decides calls whatever their other arguments are.
#include "harness/dense_nodes.h"
#include "harness/number_types.h"

#include <cmath>

namespace spc::testing::evaluator {

std::optional<double> absorbingIn(language::Function function, sema::ValueType type) {
  const bool isExact = sema::isInteger(type) || type == sema::ValueType::Bool;
  switch (function) {
  case language::Function::Max:
  case language::Function::MaxNumber:
    return isExact ? endOf(type, false) : HUGE_VAL;
  case language::Function::Min:
  case language::Function::MinNumber:
    return isExact ? endOf(type, true) : -HUGE_VAL;
  case language::Function::MinPlus:
    return isExact ? std::optional(endOf(type, false)) : std::nullopt;
  case language::Function::MaxPlus:
    return isExact ? std::optional(endOf(type, true)) : std::nullopt;
  case language::Function::Divide:
  case language::Function::ShiftLeft:
  case language::Function::ShiftRight:
  case language::Function::BitAnd:
    return 0;
  default:
    return std::nullopt;
  }
}

bool mayAbsorb(language::Function function, size_t argument) {
  using enum language::Function;
  return argument == 0 || (function != Divide && function != ShiftLeft && function != ShiftRight);
}

std::optional<double> settledBy(const Node &call) {
  const std::optional<double> absorbing = absorbingIn(call.call->function, call.type);
  for (size_t k = 0; absorbing && k < call.arguments.size(); ++k)
    if (mayAbsorb(call.call->function, k) && call.arguments[k]->fill == absorbing)
      return absorbing;
  return std::nullopt;
}

} // namespace spc::testing::evaluator
