#include "reference/nodes.h"

#include <cmath>

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

bool isLogic(Function function) {
  return function >= Function::Equal && function <= Function::Pattern;
}

const syntax::Literal *literalIn(const syntax::Expr &expr) {
  const auto *paren = std::get_if<syntax::Paren>(&expr.node);
  return paren ? literalIn(*paren->inner) : std::get_if<syntax::Literal>(&expr.node);
}

/// What the language says of operands: the widest type of all, each by itself.
class Typing {
public:
  Typing(const Tensors &tensors, const Types &types) : tensors_(tensors), types_(types) {}

  std::optional<ValueType> of(const syntax::Expr &expr) const {
    if (const auto *access = std::get_if<syntax::Access>(&expr.node)) {
      const auto tensor = tensors_.find(access->tensor.text);
      return tensor == tensors_.end() ? ValueType::I64 : tensor->second.type();
    }
    const auto *call = std::get_if<syntax::Call>(&expr.node);
    if (call && isLogic(call->function))
      return ValueType::Bool;
    if (call && call->function == Function::Cast)
      return named(call->name.text);
    if (const auto *reduce = std::get_if<syntax::Reduce>(&expr.node)) {
      if (reduce->reduction == Reduction::Any || reduce->reduction == Reduction::All)
        return ValueType::Bool;
      if (reduce->reduction > Reduction::Mean)
        return ValueType::I64;
    }
    const std::vector<const syntax::Expr *> below = syntax::children(expr);
    std::optional<ValueType> type;
    for (size_t k = call && call->function == Function::Select ? 1 : 0; k < below.size(); ++k)
      if (const std::optional<ValueType> one = of(*below[k]))
        type = type ? sema::widest(*type, *one) : *one;
    return type;
  }

  ValueType named(const std::string &name) const {
    const auto parameter = types_.parameters.find(name);
    return parameter != types_.parameters.end() ? parameter->second
                                                : sema::valueTypeNamed(name).value_or(ValueType::F64);
  }

  /// The type of what has a type of its own.
  ValueType inside(const syntax::Expr &expr, ValueType otherwise) const {
    return sema::arithmeticType(of(expr).value_or(otherwise));
  }

  ValueType compared(const syntax::Call &call) const {
    const std::optional<ValueType> a = of(*call.arguments[0]), b = of(*call.arguments[1]);
    return sema::arithmeticType(a && b ? sema::widest(*a, *b) : a ? *a : b.value_or(ValueType::F64));
  }

private:
  const Tensors &tensors_;
  const Types &types_;
};

} // namespace

std::optional<ValueType> typeOf(const syntax::Expr &expr, const Tensors &tensors, const Types &types) {
  return Typing(tensors, types).of(expr);
}

static void noteWindows(const syntax::Expr &expr, Windows &windows) {
  if (const auto *access = std::get_if<syntax::Access>(&expr.node))
    for (size_t dim = 0; dim < access->indices.size(); ++dim)
      if (!access->indices[dim].isPlain() && !access->indices[dim].terms.empty())
        windows.emplace(access->tensor.text, dim);
  for (const syntax::Expr *child : syntax::children(expr))
    noteWindows(*child, windows);
}

/// `bound`: what reductions bind are other variables.
static void noteExtents(const syntax::Expr &expr, const Tensors &tensors, std::set<std::string> bound,
                        Extents &extents) {
  const auto *access = std::get_if<syntax::Access>(&expr.node);
  const auto tensor = access ? tensors.find(access->tensor.text) : tensors.end();
  for (size_t dim = 0; tensor != tensors.end() && dim < access->indices.size(); ++dim)
    if (access->indices[dim].isPlain() && !extents.windows.contains({access->tensor.text, dim}) &&
        !bound.contains(access->indices[dim].terms.front().variable.text))
      extents.ofVariable.emplace(access->indices[dim].terms.front().variable.text, tensor->second.shape()[dim]);
  if (const auto *reduce = std::get_if<syntax::Reduce>(&expr.node))
    for (const syntax::Name &variable : reduce->variables)
      bound.insert(variable.text);
  for (const syntax::Expr *child : syntax::children(expr))
    noteExtents(*child, tensors, bound, extents);
}

Extents::Extents(const syntax::Statement &statement, const Tensors &tensors) {
  noteWindows(*statement.value, windows);
  if (const auto target = tensors.find(statement.target.tensor.text); target != tensors.end())
    for (size_t dim = 0; dim < statement.target.indices.size(); ++dim)
      if (statement.target.indices[dim].isPlain())
        ofVariable.emplace(statement.target.indices[dim].terms.front().variable.text, target->second.shape()[dim]);
  noteExtents(*statement.value, tensors, {}, *this);
}

NodePtr Resolver::resolve(const syntax::Expr &expr, ValueType type) {
  return std::visit([&](const auto &kind) { return node(kind, type); }, expr.node);
}

size_t Resolver::lookUp(const std::string &name) {
  const auto [found, isNew] = scope_.emplace(name, variables_.size());
  if (isNew) {
    const auto extent = extents_.ofVariable.find(name);
    variables_.push_back({name, extent == extents_.ofVariable.end() ? -1 : extent->second});
  }
  return found->second;
}

NodePtr Resolver::node(const syntax::Literal &literal, ValueType type) {
  NodePtr result = make(Kind::Literal, type);
  result->literal = literal.value;
  return result;
}

NodePtr Resolver::node(const syntax::Access &access, ValueType type) {
  const auto tensor = tensors_.find(access.tensor.text);
  if (tensor == tensors_.end()) {
    NodePtr index = make(Kind::Index, ValueType::I64);
    index->variables = {lookUp(access.tensor.text)};
    return convert(std::move(index), type);
  }
  NodePtr result = make(Kind::Access, type);
  result->tensor = &tensor->second;
  for (size_t dim = 0; dim < access.indices.size(); ++dim) {
    const syntax::Index &index = access.indices[dim];
    IndexSum &sum = result->indices.emplace_back();
    sum.constant = index.constant;
    sum.isPlain = index.isPlain();
    for (const syntax::IndexTerm &term : index.terms)
      sum.terms.emplace_back(lookUp(term.variable.text), term.scale);
    if (sum.isPlain && !extents_.windows.contains({access.tensor.text, dim}))
      variables_[sum.terms.front().first].extent = tensor->second.shape()[dim];
  }
  return result;
}

NodePtr Resolver::node(const syntax::Negate &negate, ValueType type) {
  const syntax::Literal *literal = literalIn(*negate.operand);
  if (literal && std::isinf(literal->value)) { // the least number of an integer type
    NodePtr least = make(Kind::Literal, type);
    least->literal = -literal->value;
    return least;
  }
  NodePtr result = make(Kind::Negate, type);
  result->operands.push_back(resolve(*negate.operand, type));
  return result;
}

NodePtr Resolver::node(const syntax::Binary &binary, ValueType type) {
  NodePtr left = resolve(*binary.left, type), right = resolve(*binary.right, type);
  if (binary.op == language::BinaryOp::Add || binary.op == language::BinaryOp::Sub)
    return sum(std::move(left), std::move(right), binary.op == language::BinaryOp::Sub, type);
  NodePtr result = make(binary.op == language::BinaryOp::Mul ? Kind::Product : Kind::Divide, type);
  append(*result, std::move(left));
  append(*result, std::move(right));
  return result;
}

NodePtr Resolver::sum(NodePtr left, NodePtr right, bool isDifference, ValueType type) {
  NodePtr result = make(Kind::Sum, type);
  append(*result, std::move(left));
  append(*result, std::move(right), isDifference);
  return result;
}

/// Where entries are is known of what was read.
static void requirePattern(const Node &access) {
  if (access.tensor->isComputed())
    throw Unsupported("know where entries are of what the kernel computes");
}

NodePtr Resolver::node(const syntax::Call &call, ValueType type) {
  const Typing typing(tensors_, types_);
  const Function function = call.function;
  const syntax::Expr &first = *call.arguments.front();
  if (function == Function::Cast)
    return convert(
        convert(resolve(first, typing.inside(first, ValueType::F64)), typing.named(call.name.text), Kind::Cast), type);
  if ((function == Function::MinPlus || function == Function::MaxPlus) && !sema::isInteger(type))
    return sum(resolve(first, type), resolve(*call.arguments[1], type), false, type);
  NodePtr result = make(Kind::Call, isLogic(function) ? ValueType::Bool : type);
  result->call = &call;
  for (size_t k = 0; k < call.arguments.size(); ++k) {
    const syntax::Expr &argument = *call.arguments[k];
    const bool isCondition = isLogic(function) || (function == Function::Select && k == 0);
    const ValueType inside = function >= Function::Equal && function <= Function::GreaterEqual ? typing.compared(call)
                             : isCondition ? typing.inside(argument, ValueType::Bool)
                                           : type;
    result->operands.push_back(resolve(argument, inside));
  }
  if (function == Function::Pattern)
    requirePattern(*result->operands.front());
  return convert(std::move(result), type);
}

NodePtr Resolver::node(const syntax::Reduce &reduce, ValueType type) {
  const Typing typing(tensors_, types_);
  const bool isLogical = reduce.reduction == Reduction::Any || reduce.reduction == Reduction::All;
  const bool isCount = reduce.reduction == Reduction::Count;
  const std::map<std::string, size_t> around = scope_;
  NodePtr result = make(Kind::Reduce, isLogical ? ValueType::Bool : isCount ? ValueType::I64 : type);
  result->reduction = reduce.reduction;
  for (const syntax::Name &name : reduce.variables) {
    scope_[name.text] = variables_.size();
    result->variables.push_back(variables_.size());
    variables_.push_back({name.text});
  }
  const bool hasOwnType = isLogical || reduce.reduction > Reduction::Mean;
  const ValueType inside = typing.inside(*reduce.body, isLogical ? ValueType::Bool : ValueType::F64);
  result->operands.push_back(resolve(*reduce.body, hasOwnType ? inside : type));
  if (isCount)
    requirePattern(*result->operands.front());
  for (const syntax::Name &name : reduce.variables) {
    scope_.erase(name.text);
    if (const auto outer = around.find(name.text); outer != around.end())
      scope_.insert(*outer);
  }
  return convert(std::move(result), type);
}

} // namespace spc::reference
