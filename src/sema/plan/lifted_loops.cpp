#include "sema/plan/lifted_loops.h"

#include "format/levels.h"
#include "sema/plan/operand_progress.h"

#include <algorithm>

namespace spc::sema {
namespace {

/// Whether loops multiply the sums of fibers out, as those over q and r in `A(i,j,k) * B(j,q) * C(k,r)`: passes add a
/// fiber up once, for all q, where these loops are further in.
bool multipliesFibersOut(const LoopProblem &problem, int last, const std::vector<int> &strided,
                         const std::vector<int> &contiguous) {
  const std::vector<LevelUse> &levels = problem.sparse.front().levels;
  const auto isIndexedByBoth = [&](int loop) {
    return std::any_of(problem.dense.begin(), problem.dense.end(), [&](const DenseUse &use) {
      return std::count(use.loops.begin(), use.loops.end(), loop) > 0 &&
             std::count(use.loops.begin(), use.loops.end(), last) > 0;
    });
  };
  return problem.mayFactor && levels.size() > 2 && levels.back().length > 1 && !problem.indexesTarget[last] &&
         std::none_of(strided.begin(), strided.end(), isIndexedByBoth) &&
         std::any_of(contiguous.begin(), contiguous.end(), isIndexedByBoth);
}

bool isPlainProduct(const Node &node) {
  if (const auto *binary = std::get_if<BinaryNode>(&node.kind))
    return binary->op == BinaryOp::Mul && isPlainProduct(*binary->left) && isPlainProduct(*binary->right);
  return std::holds_alternative<AccessNode>(node.kind) || std::holds_alternative<NumberNode>(node.kind);
}

} // namespace

bool mayFactorFibers(const LogicalStatement &logical, const LogicalTerm &term, const TermOperands &operands,
                     const Scope &scope, const Kernel &kernel) {
  // One list of all entries has no fibers.
  const auto hasFibers = [&](AccessId id) {
    const format::Format &format = kernel.tensors[scope.accesses[id].tensor].format;
    return format::kindOf(format, format.levelCount() - 1) == format::LevelKind::Compressed;
  };
  const bool isFloat = logical.computeType == ValueType::F32 || logical.computeType == ValueType::F64;
  return isFloat && logical.reduction == Reduction::Sum && !kernel.tensors[logical.target].isAssembled() &&
         std::all_of(operands.walked.begin(), operands.walked.end(), hasFibers) && isPlainProduct(*term.expr);
}

void liftStridedLoops(const LoopProblem &problem, const std::vector<int> &scores, std::vector<int> &order) {
  if (problem.sparse.size() != 1 || !problem.collected.empty())
    return;
  const OperandProgress operand(problem.sparse.front(), problem);
  const auto isWalk = [&](int loop) { return operand.has(loop); };
  const auto last = std::find_if(order.rbegin(), order.rend(), isWalk);
  const bool isScattered = last != order.rend() && problem.indexesTarget[*last];
  if (isScattered && std::any_of(order.begin(), order.end(), [&](int loop) {
        return !isWalk(loop) && problem.indexesTarget[loop] && scores[loop] < 0;
      }))
    return;
  const auto isStrided = [&](int loop) { return !isWalk(loop) && problem.indexesTarget[loop] && scores[loop] > 0; };
  std::vector<int> strided, contiguous;
  for (int loop : order)
    if (!isWalk(loop))
      (isStrided(loop) ? strided : contiguous).push_back(loop);
  if (last != order.rend() && multipliesFibersOut(problem, *last, strided, contiguous))
    return;
  std::stable_partition(order.begin(), order.end(), isStrided);
}

} // namespace spc::sema
