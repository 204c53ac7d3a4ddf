#include "harness/dense_nodes.h"

#include <algorithm>

namespace spc::testing::evaluator {

/// Whether a value is made of index variables and numbers.
static bool isOfIndices(const Node &node, bool &hasIndex) {
  hasIndex |= node.kind == NodeKind::Index;
  if (node.kind == NodeKind::Access || node.kind == NodeKind::Sum || node.kind == NodeKind::Call)
    return false;
  return (!node.left || isOfIndices(*node.left, hasIndex)) && (!node.right || isOfIndices(*node.right, hasIndex));
}

bool isIndexMask(const Node &node) {
  if (node.kind != NodeKind::Call)
    return false;
  using language::Function;
  const Function function = node.call->function;
  if (language::isComparison(function)) {
    const auto isSide = [&](size_t k) {
      bool hasIndex = false;
      return isOfIndices(*node.arguments[k], hasIndex) && hasIndex && !readsSparse(*node.arguments[1 - k]);
    };
    return isSide(0) || isSide(1);
  }
  const auto isMask = [](const NodePtr &part) { return isIndexMask(*part); };
  const auto isEither = [&](const NodePtr &part) {
    return isMask(part) || (part->kind == NodeKind::Call && part->call->function == Function::Pattern);
  };
  return function >= Function::And && function <= Function::Not &&
         std::any_of(node.arguments.begin(), node.arguments.end(), isMask) &&
         std::all_of(node.arguments.begin(), node.arguments.end(), isEither);
}

} // namespace spc::testing::evaluator
