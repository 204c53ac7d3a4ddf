#include "transforms/passes.h"
#include "transforms/util/block_conditions.h"
#include "transforms/vector/accumulator_promotion.h"
#include "transforms/vector/unroll_and_jam.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace spc::transforms {

#define GEN_PASS_DEF_PROMOTEBLOCKS
#include "transforms/Passes.h.inc"

namespace {

namespace scf = mlir::scf;

/// How many rows to jam: a divisor of the block's size, the greatest one up to `wanted` or else the least one up to
/// `most`; 1 where there is none.
int64_t rowsAtOnce(int64_t size, int64_t wanted, int64_t most) {
  for (int64_t rows = wanted; rows > 1; --rows)
    if (size % rows == 0)
      return rows;
  for (int64_t rows = wanted + 1; rows <= most; ++rows)
    if (size % rows == 0)
      return rows;
  return 1;
}

class PromoteBlocks : public impl::PromoteBlocksBase<PromoteBlocks> {
public:
  using PromoteBlocksBase::PromoteBlocksBase;

  void runOnOperation() override {
    settleFullBlocks(getOperation());
    joinConditions(getOperation());
    for (const BlockReduction &block : findBlockReductions(getOperation())) {
      // Half of the registers are for accumulators; a tile has about four vectors of each row.
      const int64_t most = std::max<int64_t>(registers / 2, 2);
      const int64_t rows = rowsAtOnce(block.size, block.isTiled ? std::max<int64_t>(most / 4, 1) : most, most);
      if (rows == 1 && !block.isTiled)
        continue;
      scf::ForOp reduction = unrollAndJam(block, rows);
      if (!block.isTiled)
        promoteAccumulators(reduction, {vectorBytes, !strictFp});
    }
    separateBorders(getOperation());
  }
};

} // namespace
} // namespace spc::transforms
