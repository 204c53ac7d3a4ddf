#include "sema/plan/build_expression.h"

#include "sema/expression_types.h"
#include "sema/terms/shared_pattern.h"
#include "sema/terms/sparsity.h"

#include <algorithm>
#include <cmath>

namespace spc::sema {

ExprPtr ExpressionBuilder::build(const Node &node, ValueType type) const {
  if (isComplex(type) && isReal(node, scope_, kernel_))
    return build(node, partOf(type));
  if (const auto *number = std::get_if<NumberNode>(&node.kind))
    return makeExpr(Literal{number->value}, type);
  if (const auto *index = std::get_if<IndexNode>(&node.kind))
    return makeExpr(IndexValue{valueOf_(index->variable)}, type);
  if (const auto *negate = std::get_if<NegateNode>(&node.kind)) {
    ExprPtr operand = build(*negate->operand, type);
    const ValueType own = operand->type;
    return makeExpr(Negate{std::move(operand)}, own);
  }
  if (std::holds_alternative<BinaryNode>(node.kind))
    return asSum(node) ? buildBinary(node, type, {}) : buildProduct(node, type);
  if (const auto *call = std::get_if<CallNode>(&node.kind))
    return buildCall(*call, node, type);
  const AccessId access = std::get<AccessNode>(node.kind).access;
  return makeExpr(Use{operandOf(access)}, type);
}

/// The factors of a product that compare index variables.
void ExpressionBuilder::collectMasks(const Node &product, std::vector<const Node *> &masks) const {
  const auto *binary = std::get_if<BinaryNode>(&product.kind);
  if (binary && !asSum(product)) {
    collectMasks(*binary->left, masks);
    if (binary->op == BinaryOp::Mul)
      collectMasks(*binary->right, masks);
  } else if (isIndexMask(product, scope_, kernel_)) {
    masks.push_back(&product);
  }
}

/// What compares index variables comes last, so that it decides about all the rest. It is 0 or 1, and rounds nothing.
ExprPtr ExpressionBuilder::buildProduct(const Node &node, ValueType type) const {
  std::vector<const Node *> masks;
  collectMasks(node, masks);
  ExprPtr product = buildBinary(node, type, masks);
  for (const Node *mask : masks) {
    ExprPtr own = build(*mask, type);
    product = product ? makeExpr(Binary{BinaryOp::Mul, std::move(product), std::move(own), std::nullopt, 0, true}, type)
                      : std::move(own);
  }
  return product;
}

/// An operation, `without` some of its factors; null where nothing is left.
ExprPtr ExpressionBuilder::buildBinary(const Node &node, ValueType type,
                                       const std::vector<const Node *> &without) const {
  if (has(without, &node))
    return nullptr;
  const auto *binary = std::get_if<BinaryNode>(&node.kind);
  if (!binary || (asSum(node) && !without.empty()))
    return build(node, type);
  const bool isProduct = binary->op == BinaryOp::Mul;
  ExprPtr left = without.empty() ? build(*binary->left, type) : buildBinary(*binary->left, type, without);
  ExprPtr right =
      without.empty() || !isProduct ? build(*binary->right, type) : buildBinary(*binary->right, type, without);
  if (isProduct && (!left || !right))
    return left ? std::move(left) : std::move(right);
  if (!left)
    left = makeExpr(Literal{1}, partOf(type));
  if (!isComplex(left->type) && !isComplex(right->type)) // what was complex is among the factors that are left out
    type = partOf(type);
  double outside = 0;
  const std::optional<Domain> domain = deciding(node, type, outside);
  return makeExpr(Binary{binary->op, std::move(left), std::move(right), domain, outside}, type);
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

static ExprPtr converted(ExprPtr value, ValueType type) {
  if (value->type == type)
    return value;
  Call conversion{Function::Cast, {}};
  conversion.arguments.push_back(std::move(value));
  return makeExpr(std::move(conversion), type);
}

ExprPtr ExpressionBuilder::buildCall(const CallNode &call, const Node &node, ValueType type) const {
  Call result{call.function, {}};
  for (size_t k = 0; k < call.arguments.size(); ++k) {
    const ValueType argument = argumentType(call, k, type, scope_, kernel_);
    ExprPtr value = build(*call.arguments[k], argument);
    result.arguments.push_back(call.function == Function::Cast ? std::move(value)
                                                               : converted(std::move(value), argument));
  }
  if (language::isExtreme(call.function))
    result.domain = deciding(node, type, result.outside);
  const ValueType castTo = isComplex(type) ? call.castTo : partOf(call.castTo);
  const ValueType own = resultType(call.function, castTo, result.arguments.front()->type, type);
  return converted(makeExpr(std::move(result), own), type);
}

} // namespace spc::sema
