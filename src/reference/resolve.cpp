#include "reference/nodes.h"

namespace spc::reference {

namespace {

using syntax::Function;
using Kind = Node::Kind;

NodePtr make(Kind kind) {
  auto node = std::make_unique<Node>();
  node->kind = kind;
  return node;
}

} // namespace

NodePtr Resolver::resolve(const syntax::Expr &expr) {
  return std::visit([&](const auto &kind) { return node(kind); }, expr.node);
}

size_t Resolver::lookUp(const std::string &name) {
  const auto [found, isNew] = scope_.emplace(name, variables_.size());
  if (isNew)
    variables_.push_back({name});
  return found->second;
}

NodePtr Resolver::node(const syntax::Literal &literal) {
  NodePtr result = make(Kind::Literal);
  result->literal = literal.value;
  return result;
}

NodePtr Resolver::node(const syntax::Access &access) {
  const auto tensor = tensors_.find(access.tensor.text);
  if (tensor == tensors_.end()) {
    NodePtr result = make(Kind::Index);
    result->variables = {lookUp(access.tensor.text)};
    return result;
  }
  NodePtr result = make(Kind::Access);
  result->tensor = &tensor->second;
  for (size_t dim = 0; dim < access.indices.size(); ++dim) {
    const syntax::Index &index = access.indices[dim];
    IndexSum &sum = result->indices.emplace_back();
    sum.constant = index.constant;
    sum.isPlain = index.isPlain();
    for (const syntax::IndexTerm &term : index.terms)
      sum.terms.emplace_back(lookUp(term.variable.text), term.scale);
    if (sum.isPlain)
      variables_[sum.terms.front().first].extent = tensor->second.shape()[dim];
  }
  return result;
}

NodePtr Resolver::node(const syntax::Negate &negate) {
  NodePtr result = make(Kind::Negate);
  result->operands.push_back(resolve(*negate.operand));
  return result;
}

NodePtr Resolver::node(const syntax::Binary &binary) {
  if (binary.op == syntax::BinaryOp::Div && isInteger_)
    throw Unsupported("evaluate divisions of integers");
  const Kind kinds[] = {Kind::Add, Kind::Subtract, Kind::Multiply, Kind::Divide};
  NodePtr result = make(kinds[static_cast<size_t>(binary.op)]);
  result->operands.push_back(resolve(*binary.left));
  result->operands.push_back(resolve(*binary.right));
  return result;
}

NodePtr Resolver::node(const syntax::Call &call) {
  const bool isCast = call.function == Function::Cast;
  const bool isMask = call.function == Function::Pattern;
  if (call.function == Function::MinPlus || call.function == Function::MaxPlus || (isInteger_ && !isMask))
    throw Unsupported("evaluate '" + call.name.text + "'" + (isInteger_ ? " of integers" : ""));
  const auto type = isCast ? sema::valueTypeNamed(call.name.text) : std::nullopt;
  if (isCast && !(type && sema::isFloat(*type)))
    throw Unsupported("evaluate conversions such as '" + call.name.text + "'");
  NodePtr result = make(Kind::Call);
  result->call = &call;
  for (const syntax::ExprPtr &argument : call.arguments)
    result->operands.push_back(resolve(*argument));
  return result;
}

NodePtr Resolver::node(const syntax::Reduce &reduce) {
  using syntax::Reduction;
  if (reduce.reduction > Reduction::Mean)
    throw Unsupported("evaluate '" + std::string(spellingOf(reduce.reduction)) + "'");
  if (isInteger_ && reduce.reduction != Reduction::Sum)
    throw Unsupported("evaluate '" + std::string(spellingOf(reduce.reduction)) + "' of integers");
  const std::map<std::string, size_t> around = scope_;
  NodePtr result = make(Kind::Reduce);
  result->reduction = reduce.reduction;
  for (const syntax::Name &name : reduce.variables) {
    scope_.erase(name.text);
    result->variables.push_back(lookUp(name.text));
  }
  result->operands.push_back(resolve(*reduce.body));
  for (const syntax::Name &name : reduce.variables) {
    scope_.erase(name.text);
    if (const auto outer = around.find(name.text); outer != around.end())
      scope_.insert(*outer);
  }
  return result;
}

} // namespace spc::reference
