#include "sema/plan/build_expression.h"

#include "sema/expression_types.h"
#include "sema/terms/shared_pattern.h"
#include "sema/terms/sparsity.h"

#include <algorithm>
#include <cmath>

namespace spc::sema {

ExprPtr ExpressionBuilder::build(const Node &node, ValueType type) const {
  if (const auto *number = std::get_if<NumberNode>(&node.kind))
    return makeExpr(Literal{number->value}, type);
  if (const auto *index = std::get_if<IndexNode>(&node.kind))
    return makeExpr(IndexValue{valueOf_(index->variable)}, type);
  if (const auto *negate = std::get_if<NegateNode>(&node.kind))
    return makeExpr(Negate{build(*negate->operand, type)}, type);
  if (const auto *binary = std::get_if<BinaryNode>(&node.kind)) {
    ExprPtr left = build(*binary->left, type);
    double outside = 0;
    const std::optional<Domain> domain = deciding(node, type, outside);
    return makeExpr(Binary{binary->op, std::move(left), build(*binary->right, type), domain, outside}, type);
  }
  if (const auto *call = std::get_if<CallNode>(&node.kind))
    return buildCall(*call, node, type);
  const AccessId access = std::get<AccessNode>(node.kind).access;
  return makeExpr(Use{operandOf(access)}, type);
}

OperandId ExpressionBuilder::operandOf(AccessId access) const {
  return OperandId(std::find(accesses_.begin(), accesses_.end(), access) - accesses_.begin());
}

Domain ExpressionBuilder::numbered(const AccessDomain &domain) const {
  Domain result{domain.kind};
  if (domain.kind == DomainKind::Stored || domain.kind == DomainKind::Missing)
    result.operand = operandOf(domain.operand);
  for (const AccessDomain &part : domain.parts)
    result.parts.push_back(numbered(part));
  return result;
}

/// The domain of a term whose value something missing decides elsewhere; `outside` is that value.
std::optional<Domain> ExpressionBuilder::deciding(const Node &node, ValueType type, double &outside) const {
  if (!domain_)
    return std::nullopt;
  const auto *binary = std::get_if<BinaryNode>(&node.kind);
  const bool isProduct = binary && (binary->op == BinaryOp::Mul || binary->op == BinaryOp::Div);
  const Sparsity sparsity = sparsityOf(node, type, scope_, kernel_);
  if (!sparsity.fill || !sparsity.domain ||
      !(isProduct ? *sparsity.fill == 0 : !isInteger(type) && std::isinf(*sparsity.fill)))
    return std::nullopt;
  outside = *sparsity.fill;
  const AccessDomain domain = byLeaders(*sparsity.domain, accesses_, scope_, kernel_);
  return isWithin(*domain_, domain) ? std::nullopt : std::optional(numbered(domain));
}

ExprPtr ExpressionBuilder::buildCall(const CallNode &call, const Node &node, ValueType type) const {
  Call result{call.function, {}};
  for (size_t k = 0; k < call.arguments.size(); ++k)
    result.arguments.push_back(build(*call.arguments[k], argumentType(call, k, type, scope_, kernel_)));
  if (call.function == Function::Min || call.function == Function::Max)
    result.domain = deciding(node, type, result.outside);
  const ValueType own = isLogical(call.function)          ? ValueType::Bool
                        : call.function == Function::Cast ? call.castTo
                                                          : type;
  ExprPtr value = makeExpr(std::move(result), own);
  if (own == type)
    return value;
  Call conversion{Function::Cast, {}};
  conversion.arguments.push_back(std::move(value));
  return makeExpr(std::move(conversion), type);
}

} // namespace spc::sema
