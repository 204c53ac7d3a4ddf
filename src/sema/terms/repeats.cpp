#include "sema/terms/repeats.h"

#include "format/levels.h"
#include "sema/fold.h"
#include "sema/terms/domains.h"
#include "sema/terms/sparsity.h"

#include <algorithm>

namespace spc::sema {
namespace {

int usesOf(const Node &term, AccessId operand) {
  int uses = 0;
  forEachAccess(term, true, [&](const AccessNode &use, Span) { uses += use.access == operand; });
  return uses;
}

/// Whether a value never falls where the operand's rises, and all else stays: the operand itself, or a sum with it.
/// Integers wrap around in sums that do not absorb.
bool risesWith(const Node &node, AccessId operand, ValueType type) {
  if (const auto *use = std::get_if<AccessNode>(&node.kind))
    return use->access == operand;
  const auto either = [&](const Node &a, const Node &b) {
    return risesWith(usesOf(a, operand) > 0 ? a : b, operand, type);
  };
  if (const auto *binary = std::get_if<BinaryNode>(&node.kind))
    return binary->op == BinaryOp::Add && isFloat(type) && either(*binary->left, *binary->right);
  const auto *call = std::get_if<CallNode>(&node.kind);
  return call && (call->function == Function::MinPlus || call->function == Function::MaxPlus) &&
         either(*call->arguments[0], *call->arguments[1]);
}

bool isOnlySparse(const Node &term, AccessId operand, const Scope &scope, const Kernel &kernel) {
  const std::vector<AccessId> accesses = accessesOf(term);
  return std::all_of(accesses.begin(), accesses.end(), [&](AccessId id) {
    return id == operand || kernel.tensors[scope.accesses[id].tensor].format.isDense();
  });
}

} // namespace

bool isProportionalTo(const Node &node, AccessId operand) {
  if (const auto *use = std::get_if<AccessNode>(&node.kind))
    return use->access == operand;
  if (const auto *negate = std::get_if<NegateNode>(&node.kind))
    return isProportionalTo(*negate->operand, operand);
  const auto *binary = std::get_if<BinaryNode>(&node.kind);
  if (!binary)
    return false;
  const Node &left = *binary->left, &right = *binary->right;
  if (asSum(node))
    return isProportionalTo(left, operand) && isProportionalTo(right, operand);
  return (isProportionalTo(left, operand) && usesOf(right, operand) == 0) ||
         (binary->op == BinaryOp::Mul && isProportionalTo(right, operand) && usesOf(left, operand) == 0);
}

bool isSumOfParts(const Node &term, AccessId operand, const Scope &scope) {
  int uses = 0;
  forEachAccess(term, true, [&](const AccessNode &use, Span) {
    uses += scope.accesses[use.access].tensor == scope.accesses[operand].tensor;
  });
  return uses == 1 || (uses == usesOf(term, operand) && isProportionalTo(term, operand));
}

bool mayReadRepeats(const Node &term, AccessId operand, Reduction reduction, ValueType computeType, const Scope &scope,
                    const Kernel &kernel) {
  const Tensor &tensor = kernel.tensors[scope.accesses[operand].tensor];
  const format::Format &format = tensor.format;
  if (!format.mayRepeat())
    return true;
  using format::Duplicates;
  const bool isSum = format.duplicates == Duplicates::Sum;
  if (usesOf(term, operand) > 1 && !(isSum && isProportionalTo(term, operand)))
    return false;
  // Bools that are true add up to true, and numbers that are made of them do not.
  if (isSum && tensor.type == ValueType::Bool && computeType != ValueType::Bool)
    return false;
  if (isSum && !hasDomain(term, reduction, scope, kernel))
    return true;
  const bool agrees = isSum ? reduction == Reduction::Sum && isProportionalTo(term, operand)
                            : tensor.type == computeType && risesWith(term, operand, computeType) &&
                                  ((format.duplicates == Duplicates::Min && reduction == Reduction::Min) ||
                                   (format.duplicates == Duplicates::Max && reduction == Reduction::Max));
  if (!agrees || format::hasPadding(format) || format.symmetry != format::Symmetry::None ||
      !isOnlySparse(term, operand, scope, kernel))
    return false;
  return singleOperand(domainOfTerm(term, identityOf(reduction, computeType), computeType, scope, kernel)) == operand;
}

} // namespace spc::sema
