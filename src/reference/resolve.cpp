#include "reference/nodes.h"

#include "sema/composed_reductions.h"
#include "sema/expression_types.h"
#include "sema/plain_choice.h"

namespace spc::reference {

namespace {

using language::Function;
using language::Reduction;
using sema::ValueType;
using Kind = Node::Kind;

NodePtr make(Kind kind, ValueType type) {
  auto node = std::make_unique<Node>();
  node->kind = kind;
  node->type = type;
  return node;
}

/// The same value in another type; `kind`: Cast where that is written.
NodePtr convert(NodePtr operand, ValueType type, Kind kind = Kind::Convert) {
  if (operand->type == type)
    return operand;
  NodePtr result = make(kind, type);
  result->operands.push_back(std::move(operand));
  return result;
}

/// Puts an operand into a sum or a product, in place of one of that kind its operands.
void append(Node &chain, NodePtr operand, bool isSubtracted = false) {
  const bool isChain = operand->kind == chain.kind && chain.kind != Kind::Divide;
  std::vector<NodePtr> more;
  std::vector<bool> signs(1, false);
  if (isChain) {
    more = std::move(operand->operands);
    signs = operand->isSubtracted;
  } else {
    more.push_back(std::move(operand));
  }
  for (size_t k = 0; k < more.size(); ++k) {
    chain.operands.push_back(std::move(more[k]));
    if (chain.kind == Kind::Sum)
      chain.isSubtracted.push_back(signs[k] != isSubtracted);
  }
}

Kind kindOf(language::BinaryOp op) {
  switch (op) {
  case language::BinaryOp::Mul:
    return Kind::Product;
  case language::BinaryOp::Div:
    return Kind::Divide;
  default:
    return Kind::Sum;
  }
}

const sema::CallNode *callNamed(Function function, const sema::Node &node) {
  const auto *call = std::get_if<sema::CallNode>(&node.kind);
  return call && call->function == function ? call : nullptr;
}

/// The access whose entries a sum counts, `sum(j, i64(pattern(A(i,j))))`, which is what sema makes of count(); else
/// null.
const sema::Node *countedBy(const sema::ReduceNode &reduce) {
  const sema::CallNode *whole = callNamed(Function::Cast, *reduce.body);
  const sema::CallNode *mask = whole ? callNamed(Function::Pattern, *whole->arguments.front()) : nullptr;
  const bool isCount = mask && whole->castTo == ValueType::I64 && reduce.reduction == Reduction::Sum;
  return isCount ? mask->arguments.front().get() : nullptr;
}

/// Where entries are is known of what was read.
void requirePattern(const Node &access) {
  if (access.tensor->isComputed())
    throw Unsupported("know where entries are of what the kernel computes");
}

} // namespace

NodePtr Resolver::resolve(const sema::Node &expr, ValueType type) const {
  if (const std::optional<sema::ComposedReduction> written = sema::composedReduction(expr))
    return reduced(written->reduction, written->over->variables, *written->body, type);
  return std::visit([&](const auto &kind) { return node(kind, type); }, expr.kind);
}

NodePtr Resolver::access(const sema::Access &access, ValueType type) const {
  const sema::Tensor &tensor = program_.tensors[access.tensor];
  NodePtr result = make(Kind::Access, type);
  result->tensor = &tensors_.at(tensor.name);
  for (VariableId id : access.variables) {
    const sema::Variable &variable = scope_.variables[id];
    const bool isDerived = variable.kind == sema::Variable::Kind::Derived;
    result->indices.push_back(isDerived ? IndexSum{variable.terms, variable.constant} : IndexSum{{{id, 1}}});
  }
  return result;
}

NodePtr Resolver::node(const sema::NumberNode &number, ValueType type) const {
  NodePtr result = make(Kind::Literal, type);
  result->literal = number.value;
  return result;
}

NodePtr Resolver::node(const sema::AccessNode &use, ValueType type) const {
  return access(scope_.accesses[use.access], type);
}

NodePtr Resolver::node(const sema::IndexNode &index, ValueType type) const {
  NodePtr result = make(Kind::Index, ValueType::I64);
  result->variables = {index.variable};
  return convert(std::move(result), type);
}

NodePtr Resolver::node(const sema::NegateNode &negate, ValueType type) const {
  NodePtr result = make(Kind::Negate, type);
  result->operands.push_back(resolve(*negate.operand, type));
  return result;
}

NodePtr Resolver::node(const sema::BinaryNode &binary, ValueType type) const {
  NodePtr result = make(kindOf(binary.op), type);
  append(*result, resolve(*binary.left, type));
  append(*result, resolve(*binary.right, type), binary.op == language::BinaryOp::Sub);
  return result;
}

static sema::CallNode orderedChoice(const sema::CallNode &choice) {
  sema::CallNode ordered{choice.function, choice.castTo, {}, choice.typeParameter};
  for (const sema::NodePtr &argument : choice.arguments)
    ordered.arguments.push_back(sema::clone(*argument));
  sema::orderChoice(ordered.arguments);
  return ordered;
}

NodePtr Resolver::node(const sema::CallNode &call, ValueType type) const {
  const Function function = call.function;
  const sema::CallNode ordered = function == Function::Select ? orderedChoice(call) : sema::CallNode{function, {}, {}};
  const sema::CallNode &read = function == Function::Select ? ordered : call;
  std::vector<NodePtr> arguments;
  for (size_t k = 0; k < read.arguments.size(); ++k)
    arguments.push_back(resolve(*read.arguments[k], sema::argumentType(read, k, type, scope_, program_)));
  if (function == Function::Cast)
    return convert(convert(std::move(arguments.front()), call.castTo, Kind::Cast), type);
  if (function == Function::Pattern)
    requirePattern(*arguments.front());
  NodePtr result = make(Kind::Call, sema::resultType(function, call.castTo, arguments.front()->type, type));
  result->function = function;
  result->operands = std::move(arguments);
  return convert(std::move(result), type);
}

NodePtr Resolver::node(const sema::ReduceNode &reduce, ValueType type) const {
  const sema::Node *counted = countedBy(reduce);
  NodePtr result =
      reduced(counted ? Reduction::Count : reduce.reduction, reduce.variables, counted ? *counted : *reduce.body, type);
  (result->kind == Kind::Convert ? *result->operands.front() : *result).rank = reduce.rank;
  return result;
}

NodePtr Resolver::reduced(Reduction reduction, const std::vector<VariableId> &variables, const sema::Node &body,
                          ValueType type) const {
  const bool isLogical = sema::isLogical(reduction), isCount = reduction == Reduction::Count;
  const bool isPlace = reduction == Reduction::ArgMin || reduction == Reduction::ArgMax;
  const bool hasOwnType = isLogical || isPlace || isCount || language::ranksPlaces(reduction);
  const ValueType own =
      sema::arithmeticType(sema::typeOf(body, scope_, program_).value_or(isLogical ? ValueType::Bool : ValueType::F64));
  NodePtr result = make(Kind::Reduce, isLogical ? ValueType::Bool : isCount ? ValueType::I64 : type);
  result->reduction = reduction;
  result->variables = variables;
  result->operands.push_back(resolve(body, hasOwnType ? own : type));
  if (isCount)
    requirePattern(*result->operands.front());
  return convert(std::move(result), type);
}

} // namespace spc::reference
