#include "sema/cost.h"

#include <algorithm>

namespace spc::sema {
namespace {

/// Counts the operations of a term that its innermost loop repeats.
class OperationCounter {
public:
  explicit OperationCounter(const Term &term) : term_(term), hasLoops_(!term.loops.empty()) {
    if (hasLoops_)
      innermost_ = LoopId(term.loops.size() - 1);
  }

  double count() const { return ofSum(*term_.expr, hasLoops_ && term_.loops[innermost_].isReduction); }

private:
  bool depends(const std::vector<Index> &indices) const {
    return std::any_of(indices.begin(), indices.end(), [&](const Index &index) { return depends(index); });
  }
  bool depends(const Index &index) const { return index.has(innermost_); }

  /// Whether the innermost loop changes a value; of terms without loops every value counts.
  bool depends(const Expr &expr) const {
    if (!hasLoops_)
      return true;
    if (const auto *use = std::get_if<Use>(&expr.node))
      return depends(term_.operands[use->operand].indices);
    if (const auto *value = std::get_if<IndexValue>(&expr.node))
      return depends(value->index);
    if (const auto *negate = std::get_if<Negate>(&expr.node))
      return depends(*negate->operand);
    if (const auto *binary = std::get_if<Binary>(&expr.node))
      return depends(*binary->left) || depends(*binary->right);
    const auto *call = std::get_if<Call>(&expr.node);
    return call && std::any_of(call->arguments.begin(), call->arguments.end(),
                               [&](const ExprPtr &argument) { return depends(*argument); });
  }

  static void factorsOf(const Expr &expr, std::vector<const Expr *> &factors) {
    const auto *binary = std::get_if<Binary>(&expr.node);
    if (!binary || binary->op != BinaryOp::Mul) {
      factors.push_back(&expr);
      return;
    }
    factorsOf(*binary->left, factors);
    factorsOf(*binary->right, factors);
  }

  /// Of what is added up in the innermost loop, where `isSummed`: then its constant factors wait until that is done.
  double ofSum(const Expr &expr, bool isSummed) const {
    std::vector<const Expr *> factors;
    factorsOf(expr, factors);
    double operations = 0, changing = 0;
    for (const Expr *factor : factors)
      if (depends(*factor)) {
        operations += ofFactor(*factor);
        ++changing;
      }
    if (changing == 0)
      return 0;
    const bool hasConstant = changing < static_cast<double>(factors.size());
    return operations + changing - 1 + (hasConstant && !isSummed ? 1 : 0);
  }

  double ofFactor(const Expr &expr) const {
    if (const auto *negate = std::get_if<Negate>(&expr.node))
      return ofSum(*negate->operand, false);
    if (const auto *binary = std::get_if<Binary>(&expr.node))
      return 1 + ofSum(*binary->left, false) + ofSum(*binary->right, false);
    double operations = 0;
    if (const auto *call = std::get_if<Call>(&expr.node)) {
      operations = 1;
      for (const ExprPtr &argument : call->arguments)
        operations += ofSum(*argument, false);
    }
    return operations;
  }

  const Term &term_;
  bool hasLoops_;
  LoopId innermost_ = {};
};

} // namespace

double operationsPerStep(const Statement &statement, size_t number, const Kernel &kernel) {
  const Term &term = statement.terms[number];
  const bool isFirst = number == 0 && (statement.zeroFirst || statement.collecting || term.overwrites);
  const bool isSummed =
      !isFirst || std::any_of(term.loops.begin(), term.loops.end(), [](const Loop &loop) { return loop.isReduction; });
  const bool isComplex = std::any_of(term.operands.begin(), term.operands.end(), [&](const Operand &operand) {
    return sema::isComplex(kernel.tensors[operand.tensor].type);
  });
  return (OperationCounter(term).count() + (isSummed ? 1 : 0)) * (isComplex ? 4 : 1);
}

} // namespace spc::sema
