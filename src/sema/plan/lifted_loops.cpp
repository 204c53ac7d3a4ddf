#include "sema/plan/lifted_loops.h"

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

} // namespace

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
