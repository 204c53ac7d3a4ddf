#include "sema/terms/signs.h"

#include "sema/expression_types.h"

#include <algorithm>
#include <cmath>

namespace spc::sema {
namespace {

Sign opposite(Sign sign) {
  switch (sign) {
  case Sign::NotNegative:
    return Sign::NotPositive;
  case Sign::NotPositive:
    return Sign::NotNegative;
  case Sign::Unknown:
    break;
  }
  return Sign::Unknown;
}

class SignFinder {
public:
  SignFinder(const Scope &scope, const Kernel &kernel) : scope_(scope), kernel_(kernel) {}

  Sign find(const Node &node) const {
    if (const auto *number = std::get_if<NumberNode>(&node.kind))
      return number->value >= 0 ? Sign::NotNegative : Sign::NotPositive;
    if (const auto *use = std::get_if<AccessNode>(&node.kind)) {
      const Tensor &tensor = kernel_.tensors[scope_.accesses[use->access].tensor];
      return hasNoNegative(tensor.type) ? Sign::NotNegative : Sign::Unknown;
    }
    if (std::holds_alternative<IndexNode>(node.kind))
      return Sign::NotNegative;
    if (const auto *negate = std::get_if<NegateNode>(&node.kind))
      return opposite(find(*negate->operand));
    if (const auto *binary = std::get_if<BinaryNode>(&node.kind))
      return ofBinary(*binary);
    if (const auto *reduction = std::get_if<ReduceNode>(&node.kind))
      return isLogical(reduction->reduction)          ? Sign::NotNegative
             : reduction->reduction == Reduction::Sum ? find(*reduction->body)
                                                      : Sign::Unknown;
    return ofCall(std::get<CallNode>(node.kind));
  }

private:
  static bool hasNoNegative(ValueType type) { return type == ValueType::Bool || isUnsigned(type); }

  Sign ofBinary(const BinaryNode &binary) const {
    const Sign left = find(*binary.left), right = find(*binary.right);
    if (binary.op == BinaryOp::Mul && isSameAccess(*binary.left, *binary.right))
      return Sign::NotNegative;
    if (left == Sign::Unknown || right == Sign::Unknown)
      return Sign::Unknown;
    switch (binary.op) {
    case BinaryOp::Add:
      return left == right ? left : Sign::Unknown;
    case BinaryOp::Sub:
      return left == opposite(right) ? left : Sign::Unknown;
    case BinaryOp::Mul:
    case BinaryOp::Div:
      break;
    }
    return left == right ? Sign::NotNegative : Sign::NotPositive;
  }

  static bool isSameAccess(const Node &a, const Node &b) {
    const auto *left = std::get_if<AccessNode>(&a.kind), *right = std::get_if<AccessNode>(&b.kind);
    return left && right && left->access == right->access;
  }

  Sign ofCall(const CallNode &call) const {
    const auto argument = [&](size_t k) { return find(*call.arguments[k]); };
    if (isLogical(call.function))
      return Sign::NotNegative;
    switch (call.function) {
    case Function::Abs: // of a complex number, too
    case Function::Relu:
    case Function::Sqrt:
    case Function::Exp:
    case Function::Exp2:
    case Function::Cosh:
    case Function::Acos:
    case Function::Acosh:
    case Function::Sigmoid:
      return Sign::NotNegative;
    case Function::Cast:
      return hasNoNegative(call.castTo) ? Sign::NotNegative : argument(0);
    case Function::Select:
      return argument(1) == argument(2) ? argument(1) : Sign::Unknown;
    case Function::Pow: {
      const auto *exponent = std::get_if<NumberNode>(&call.arguments[1]->kind);
      return exponent && std::fmod(exponent->value, 2) == 0 ? Sign::NotNegative : Sign::Unknown;
    }
    default:
      return Sign::Unknown;
    }
  }

  const Scope &scope_;
  const Kernel &kernel_;
};

} // namespace

Sign signOf(const Node &node, const Scope &scope, const Kernel &kernel) {
  return SignFinder(scope, kernel).find(node);
}

} // namespace spc::sema
