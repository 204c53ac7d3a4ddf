#include "sema/ties/gathers.h"

#include <algorithm>
#include <utility>

namespace spc::sema {
namespace {

const Tie *tieOf(AccessId access, const Scope &scope, const KernelHead &kernel) {
  return kernel.tensors[scope.accesses[access].tensor].as<Tie>();
}

/// Whether the factors are ties, and with `mayBeElement` an element in front of them.
bool addParts(const Node &product, bool mayBeElement, const Scope &scope, const KernelHead &kernel, Gather &gather) {
  if (const std::optional<AccessId> tie = tieIn(product, scope, kernel)) {
    gather.ties.push_back(*tie);
    return !mayBeElement;
  }
  if (const auto *use = std::get_if<AccessNode>(&product.kind); use && mayBeElement) {
    gather.element = use->access;
    return true;
  }
  const auto *binary = std::get_if<BinaryNode>(&product.kind);
  return binary && binary->op == BinaryOp::Mul && addParts(*binary->left, mayBeElement, scope, kernel, gather) &&
         addParts(*binary->right, false, scope, kernel, gather);
}

} // namespace

NodePtr patternOf(AccessId access, Span where) {
  CallNode pattern{Function::Pattern, ValueType::F64, {}};
  pattern.arguments.push_back(makeNode(AccessNode{access}, where));
  return makeNode(std::move(pattern), where);
}

std::optional<AccessId> tieIn(const Node &node, const Scope &scope, const KernelHead &kernel) {
  const auto *call = std::get_if<CallNode>(&node.kind);
  const auto *use =
      call && call->function == Function::Pattern ? std::get_if<AccessNode>(&call->arguments.front()->kind) : nullptr;
  return use && tieOf(use->access, scope, kernel) ? std::optional(use->access) : std::nullopt;
}

std::optional<Gather> gatherAt(NodePtr &node, bool isFactor, const Scope &scope, const KernelHead &kernel) {
  const auto *sum = std::get_if<ReduceNode>(&node->kind);
  Gather gather{&node, {}, {}, isFactor};
  if (!sum || sum->reduction != Reduction::Sum || !addParts(*sum->body, true, scope, kernel, gather) ||
      gather.ties.size() != sum->variables.size())
    return std::nullopt;
  const Access &element = scope.accesses[gather.element];
  const bool isTotal = std::all_of(gather.ties.begin(), gather.ties.end(),
                                   [&](AccessId tie) { return tieOf(tie, scope, kernel)->isChecked; });
  for (VariableId variable : sum->variables)
    if (!isTotal || !has(element.variables, variable) ||
        std::none_of(gather.ties.begin(), gather.ties.end(),
                     [&](AccessId tie) { return scope.accesses[tie].variables.back() == variable; }))
      return std::nullopt;
  const Tensor &tensor = kernel.tensors[element.tensor];
  return tensor.format.isDense() && tensor.fill == 0 ? std::optional(gather) : std::nullopt;
}

} // namespace spc::sema
