// Matrices that several statements scatter to, `=` and then `+=`, as a temporary for each: what reads them adds up
// products with each, so that none of them is made where one would not be.
#include "sema/simplify.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace spc::sema {
namespace {

/// Whether a value is a product with `at(k, p(e))` for each of the variables k.
bool isScattered(const Node &value, std::vector<VariableId> variables) {
  const std::function<void(const Node &)> visit = [&](const Node &node) {
    if (const auto *binary = std::get_if<BinaryNode>(&node.kind); binary && binary->op == BinaryOp::Mul) {
      visit(*binary->left);
      visit(*binary->right);
    }
    if (const auto *minus = std::get_if<NegateNode>(&node.kind))
      visit(*minus->operand);
    if (const auto *sum = std::get_if<ReduceNode>(&node.kind); sum && sum->reduction == Reduction::Sum)
      visit(*sum->body);
    if (const auto *call = std::get_if<CallNode>(&node.kind); call && call->function == Function::At)
      if (const auto *index = std::get_if<IndexNode>(&call->arguments[0]->kind))
        std::erase(variables, index->variable);
  };
  visit(value);
  return variables.empty();
}

/// How often a tensor is read in a tree.
size_t countOf(const Node &node, TensorId tensor, const Scope &scope) {
  const auto *use = std::get_if<AccessNode>(&node.kind);
  size_t count = use && scope.accesses[use->access].tensor == tensor ? 1 : 0;
  for (const Node *child : children(node))
    count += countOf(*child, tensor, scope);
  return count;
}

bool isNegationOrSum(const Node &node) {
  const auto *reduction = std::get_if<ReduceNode>(&node.kind);
  return asSum(node) || std::holds_alternative<NegateNode>(node.kind) ||
         (reduction && reduction->reduction == Reduction::Sum);
}

/// Whether a tree that reads a tensor is a product with it, once.
bool isProductWith(const Node &node, TensorId tensor, const Scope &scope) {
  if (const auto *use = std::get_if<AccessNode>(&node.kind))
    return !hasDerived(scope.accesses[use->access], scope);
  const auto *binary = std::get_if<BinaryNode>(&node.kind);
  if (!binary || binary->op != BinaryOp::Mul)
    return false;
  const bool isLeft = countOf(*binary->left, tensor, scope) > 0, isRight = countOf(*binary->right, tensor, scope) > 0;
  return isLeft != isRight && isProductWith(isLeft ? *binary->left : *binary->right, tensor, scope);
}

/// Whether a tensor is read by products alone, of which a value is a sum.
bool areProductsWith(const Node &value, TensorId tensor, const Scope &scope) {
  const std::vector<const Node *> below = children(value);
  return countOf(value, tensor, scope) == 0 ||
         (isNegationOrSum(value)
              ? std::all_of(below.begin(), below.end(),
                            [&](const Node *addend) { return areProductsWith(*addend, tensor, scope); })
              : isProductWith(value, tensor, scope));
}

/// Adds to each product with a tensor the same products with its other parts.
void addProducts(NodePtr &value, TensorId tensor, const std::vector<TensorId> &parts, Scope &scope) {
  if (countOf(*value, tensor, scope) == 0)
    return;
  if (auto *minus = std::get_if<NegateNode>(&value->kind))
    return addProducts(minus->operand, tensor, parts, scope);
  if (auto *sum = std::get_if<ReduceNode>(&value->kind))
    return addProducts(sum->body, tensor, parts, scope);
  if (asSum(*value)) {
    auto &sum = std::get<BinaryNode>(value->kind);
    addProducts(sum.left, tensor, parts, scope);
    return addProducts(sum.right, tensor, parts, scope);
  }
  const NodePtr product = clone(*value);
  for (TensorId part : parts) {
    NodePtr own = clone(*product);
    replaceAccesses(*own, [&](AccessId id) {
      Access access = scope.accesses[id];
      if (access.tensor != tensor)
        return id;
      access.tensor = part;
      return scope.intern(std::move(access));
    });
    value = makeBinary(BinaryOp::Add, std::move(value), std::move(own));
  }
}

/// The statements that scatter to a temporary, two or more; empty where it is written or read in another way, or where
/// somebody says how it is stored.
std::vector<size_t> scattersTo(TensorId tensor, const std::vector<size_t> &writers, const Program &program) {
  const ResolvedStatement &first = program.statements[writers.front()];
  if (writers.size() < 2 || !first.isTemporary || program.symbols[tensor].boundBy ||
      first.target.variables.size() < 2 || program.tensors[tensor].fill != 0)
    return {};
  for (size_t writer : writers) {
    const ResolvedStatement &made = program.statements[writer];
    if (made.op != (writer == writers.front() ? AssignOp::Assign : AssignOp::Add) || made.takesIn || !made.value ||
        !isScattered(*made.value, made.target.variables))
      return {};
  }
  for (size_t k = 0; k < program.statements.size(); ++k) {
    const ResolvedStatement &use = program.statements[k];
    if (!use.value || countOf(*use.value, tensor, use.scope) == 0)
      continue;
    if (k < writers.back() || has(writers, k) || (use.op != AssignOp::Assign && use.op != AssignOp::Add) ||
        !areProductsWith(*use.value, tensor, use.scope))
      return {};
  }
  return writers;
}

} // namespace

void scatterApart(Program &program) {
  std::map<TensorId, std::vector<size_t>> writers;
  for (size_t k = 0; k < program.statements.size(); ++k)
    writers[program.statements[k].target.tensor].push_back(k);
  for (const auto &[tensor, all] : writers) {
    const std::vector<size_t> scatters = scattersTo(tensor, all, program);
    std::vector<TensorId> parts;
    for (size_t k = 1; k < scatters.size(); ++k) {
      Tensor part = program.tensors[tensor];
      part.name = "$" + part.name + "[" + std::to_string(k) + "]";
      parts.push_back(program.tensors.add(std::move(part)));
      program.symbols.push_back(
          {.firstUse = program.symbols[tensor].firstUse, .firstWrite = static_cast<int>(scatters[k])});
      ResolvedStatement &made = program.statements[scatters[k]];
      made.target.tensor = parts.back();
      made.op = AssignOp::Assign;
      made.isTemporary = true;
    }
    if (!parts.empty())
      for (ResolvedStatement &use : program.statements)
        if (use.value)
          addProducts(use.value, tensor, parts, use.scope);
  }
}

} // namespace spc::sema
