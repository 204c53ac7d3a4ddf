#include "sema/terms/stored_zero.h"

#include "sema/expression_types.h"
#include "sema/fold.h"

#include <algorithm>
#include <limits>

namespace spc::sema {
namespace {

/// nullopt: other operands decide it. NaN: no number that is known here.
using Value = std::optional<double>;

class StoredZero {
public:
  StoredZero(AccessId operand, const Scope &scope, const Kernel &kernel)
      : operand_(operand), scope_(scope), kernel_(kernel) {}

  Value valueOf(const Node &node, ValueType type) const {
    if (const auto *number = std::get_if<NumberNode>(&node.kind))
      return foldCast(type, ValueType::F64, number->value);
    if (const auto *use = std::get_if<AccessNode>(&node.kind))
      return use->access == operand_ ? Value(0) : std::nullopt;
    if (const auto *negate = std::get_if<NegateNode>(&node.kind)) {
      const Value value = valueOf(*negate->operand, type);
      return value ? foldNegate(type, *value) : value;
    }
    if (const auto *binary = std::get_if<BinaryNode>(&node.kind))
      return ofBinary(binary->op, type, valueOf(*binary->left, type), valueOf(*binary->right, type));
    const auto *call = std::get_if<CallNode>(&node.kind);
    return call ? ofCall(*call, type) : std::nullopt;
  }

private:
  static Value ofBinary(BinaryOp op, ValueType type, const Value &left, const Value &right) {
    if (left && right)
      return fold(op, type, *left, *right);
    const bool isZero = op == BinaryOp::Mul ? left == 0.0 || right == 0.0 : op == BinaryOp::Div && left == 0.0;
    return isZero ? Value(0) : std::nullopt;
  }

  Value ofCall(const CallNode &call, ValueType type) const {
    std::vector<Value> arguments;
    std::vector<ValueType> types;
    for (size_t k = 0; k < call.arguments.size(); ++k) {
      types.push_back(argumentType(call, k, type, scope_, kernel_));
      arguments.push_back(valueOf(*call.arguments[k], types.back()));
    }
    if (call.function == Function::Pattern)
      return std::nullopt;
    if (call.function == Function::Select)
      return ofSelect(arguments);
    if (call.function == Function::And || call.function == Function::Or)
      return ofLogic(call.function, arguments);
    if (!std::all_of(arguments.begin(), arguments.end(), [](const Value &value) { return value.has_value(); }))
      return std::nullopt;
    if (call.function == Function::Cast)
      return foldCast(type, call.castTo, foldCast(call.castTo, types.front(), *arguments.front()).value_or(1));
    std::vector<double> known;
    for (const Value &argument : arguments)
      known.push_back(*argument);
    return fold(call.function, types.front(), known).value_or(std::numeric_limits<double>::quiet_NaN());
  }

  static Value ofSelect(const std::vector<Value> &arguments) {
    if (arguments[0])
      return arguments[*arguments[0] != 0 ? 1 : 2];
    return arguments[1] == arguments[2] ? arguments[1] : std::nullopt;
  }

  static Value ofLogic(Function function, const std::vector<Value> &arguments) {
    const double settling = function == Function::Or ? 1 : 0;
    bool isKnown = true;
    for (const Value &argument : arguments) {
      if (argument && (*argument != 0) == (settling != 0))
        return settling;
      isKnown = isKnown && argument;
    }
    return isKnown ? Value(1 - settling) : std::nullopt;
  }

  AccessId operand_;
  const Scope &scope_;
  const Kernel &kernel_;
};

} // namespace

bool isZeroOfStoredZero(const Node &node, AccessId operand, ValueType type, const Scope &scope, const Kernel &kernel) {
  return StoredZero(operand, scope, kernel).valueOf(node, type) == 0.0;
}

} // namespace spc::sema
