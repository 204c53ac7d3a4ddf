#include "dialect/attributes.h"
#include "transforms/passes.h"
#include "transforms/util/access.h"
#include "transforms/util/affine_sums.h"
#include "transforms/util/body_arguments.h"
#include "transforms/util/index_chains.h"
#include "transforms/util/loop_hints.h"
#include "transforms/util/reductions.h"
#include "transforms/util/streams.h"
#include "transforms/vector/row_trials.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace spc::transforms {

#define GEN_PASS_DEF_INTERLEAVEREDUCTIONS
#include "transforms/Passes.h.inc"

namespace {

namespace arith = mlir::arith;
namespace memref = mlir::memref;
namespace scf = mlir::scf;
using mlir::Operation;
using mlir::Value;
using Values = llvm::SmallVector<Value>;

constexpr int64_t kSumsAtOnce = 4;  ///< additions under way at once, which hide most of the latency of one
constexpr int64_t kShortTile = 8;   ///< rows of less entries have their neighbours' additions under way
constexpr int64_t kTileEntries = 4; ///< of a longer row that are done at once
constexpr int64_t kSeveral =
    6; ///< gathered products: of shorter sums processors have several under way (fibers: see rewrite())
constexpr int64_t kLong = 32;        ///< sums of so many gathered products are faster on vectors
constexpr int64_t kListAhead = 1024; ///< of each list of entries: farther than an operand's rows take to come

Value zeroOf(mlir::ImplicitLocOpBuilder &ops, mlir::Type type) {
  return arith::ConstantOp::create(ops, ops.getZeroAttr(type));
}

class InterleaveReductions : public impl::InterleaveReductionsBase<InterleaveReductions> {
public:
  void runOnOperation() override {
    llvm::SmallVector<scf::ForOp> loops;
    getOperation().walk([&](scf::ForOp loop) {
      if (isSumming(loop))
        loops.push_back(loop);
    });
    for (scf::ForOp loop : loops)
      rewrite(loop);
  }

private:
  bool isSumming(scf::ForOp loop);
  void rewrite(scf::ForOp loop);
  static Value compareLength(mlir::ImplicitLocOpBuilder &ops, scf::ForOp loop, arith::CmpIPredicate how, int64_t with);
  Values interleave(mlir::ImplicitLocOpBuilder &ops, scf::ForOp loop, int64_t chains, int64_t fewest);
  Values addAtOnce(mlir::ImplicitLocOpBuilder &ops, scf::ForOp loop, int64_t chains, int64_t entries);
  Values writeLoop(mlir::ImplicitLocOpBuilder &ops, scf::ForOp loop, Value from, Value to, mlir::ValueRange inits,
                   int64_t chains, int64_t entries);
};

/// An innermost loop over a segment that carries sums alone.
bool InterleaveReductions::isSumming(scf::ForOp loop) {
  if (loop.getNumResults() == 0 || !mlir::isConstantIntValue(loop.getStep(), 1) ||
      mlir::isConstantIntValue(loop.getLowerBound(), 0))
    return false;
  for (unsigned number = 0; number < loop.getNumResults(); ++number)
    if (std::optional<Addition> sum = matchCarriedSum(loop, number); !sum || sum->isSubtracted)
      return false;
  return llvm::all_of(loop.getBody()->without_terminator(), [](Operation &op) {
    return op.getNumRegions() == 0 && (mlir::isa<memref::LoadOp>(op) || mlir::isMemoryEffectFree(&op) ||
                                       mlir::hasSingleEffect<mlir::MemoryEffects::Read>(&op));
  });
}

/// Whether the loop reads what other loads say where to find.
bool gathers(scf::ForOp loop) {
  return llvm::any_of(loop.getBody()->getOps<memref::LoadOp>(), [&](memref::LoadOp load) {
    return llvm::any_of(load.getIndices(), [&](Value index) {
      memref::LoadOp source = loadedIndex(index);
      return source && loop->isAncestor(source);
    });
  });
}

/// Prefetches what later rounds read of the entries' coordinates and values. Processors do so by themselves,
/// but late where most of what is loaded are vectors of an operand's rows, at places that follow no pattern. Behind the
/// lists' end nothing is read: such an address only goes to the cache, which ignores it where it is nobody's.
void prefetchLists(mlir::ImplicitLocOpBuilder &ops, scf::ForOp loop, Value position) {
  Values lists;
  for (auto load : loop.getBody()->getOps<memref::LoadOp>())
    if (isStream(load, loop) && !llvm::is_contained(lists, load.getMemRef()))
      lists.push_back(load.getMemRef());
  for (Value list : lists) {
    Value ahead = arith::ConstantIndexOp::create(ops, kListAhead / elementBytes(list));
    memref::PrefetchOp::create(ops, list, mlir::ValueRange{arith::AddIOp::create(ops, position, ahead)},
                               /*isWrite=*/false, /*localityHint=*/3, /*isDataCache=*/true);
  }
}

/// Writes a loop with `entries` copies of the body an iteration, and accumulators for `chains` of them, which the
/// copies take in turn. Returns these, chain by chain.
Values InterleaveReductions::writeLoop(mlir::ImplicitLocOpBuilder &ops, scf::ForOp loop, Value from, Value to,
                                       mlir::ValueRange inits, int64_t chains, int64_t entries) {
  Value step = arith::ConstantIndexOp::create(ops, entries);
  auto clone = scf::ForOp::create(ops, from, to, step, inits);
  clone->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  keepLoopAsItIs(clone);
  if (entries > 1)
    dialect::markLeavesRest(clone);
  clone.getBody()->clear();
  mlir::OpBuilder::InsertionGuard guard(ops);
  ops.setInsertionPointToEnd(clone.getBody());
  const unsigned sums = loop.getNumResults();
  Values results(clone.getRegionIterArgs().begin(), clone.getRegionIterArgs().end());
  if (entries > 1 && mlir::isa<mlir::VectorType>(loop.getResultTypes().front()) &&
      dialect::scheduleOf(getOperation()).getPrefetch() != 0)
    prefetchLists(ops, loop, clone.getInductionVar());
  for (int64_t entry = 0; entry < entries; ++entry) {
    mlir::IRMapping map;
    Value position = clone.getInductionVar();
    if (entry > 0)
      position = arith::AddIOp::create(ops, position, arith::ConstantIndexOp::create(ops, entry));
    map.map(loop.getInductionVar(), position);
    const auto own = llvm::MutableArrayRef<Value>(results).slice(static_cast<size_t>(entry % chains) * sums, sums);
    map.map(loop.getRegionIterArgs(), own);
    for (Operation &op : loop.getBody()->without_terminator())
      ops.clone(op, map);
    for (auto [sum, result] : llvm::zip_equal(own, loop.getBody()->getTerminator()->getOperands()))
      sum = map.lookup(result);
  }
  scf::YieldOp::create(ops, results);
  return Values(clone.getResults());
}

/// Adds up the most entries that `entries` divides, so many at once. Returns the position behind them, and the sums.
Values InterleaveReductions::addAtOnce(mlir::ImplicitLocOpBuilder &ops, scf::ForOp loop, int64_t chains,
                                       int64_t entries) {
  Value from = loop.getLowerBound(), to = loop.getUpperBound();
  Value one = arith::ConstantIndexOp::create(ops, 1), all = arith::ConstantIndexOp::create(ops, entries);
  Value length = arith::SubIOp::create(ops, to, from);
  Value rest = arith::AndIOp::create(ops, length, arith::SubIOp::create(ops, all, one));
  // A segment may end before it starts: it is empty then, as it is to the original loop.
  Value middle = arith::MaxSIOp::create(ops, arith::SubIOp::create(ops, to, rest), from);
  Values inits(loop.getInitArgs());
  const unsigned sums = loop.getNumResults();
  for (unsigned more = sums; more < chains * sums; ++more)
    inits.push_back(zeroOf(ops, inits[more % sums].getType()));
  Values results = writeLoop(ops, loop, from, middle, inits, chains, entries);
  results = addChains(ops, loop, results);
  results.insert(results.begin(), middle);
  return results;
}

Value InterleaveReductions::compareLength(mlir::ImplicitLocOpBuilder &ops, scf::ForOp loop, arith::CmpIPredicate how,
                                          int64_t with) {
  Value length = arith::SubIOp::create(ops, loop.getUpperBound(), loop.getLowerBound());
  return arith::CmpIOp::create(ops, how, length, arith::ConstantIndexOp::create(ops, with));
}

/// Adds up entries in so many chains, and one by one what they leave. Segments of less than `fewest` are such a rest as
/// a whole; longer ones are done several entries a chain at once, so that less of the loop is counting and comparing.
Values InterleaveReductions::interleave(mlir::ImplicitLocOpBuilder &ops, scf::ForOp loop, int64_t chains,
                                        int64_t fewest) {
  Values added;
  if (fewest <= chains) {
    added = addAtOnce(ops, loop, chains, chains);
  } else {
    Values none{loop.getLowerBound()};
    llvm::append_range(none, loop.getInitArgs());
    const Value enough = compareLength(ops, loop, arith::CmpIPredicate::sge, fewest);
    auto isLong = scf::IfOp::create(ops, mlir::ValueRange(none).getTypes(), enough, /*addThenBlock=*/true,
                                    /*addElseBlock=*/true);
    mlir::OpBuilder::InsertionGuard guard(ops);
    ops.setInsertionPointToEnd(isLong.elseBlock());
    scf::YieldOp::create(ops, none);
    ops.setInsertionPointToEnd(isLong.thenBlock());
    scf::YieldOp::create(ops, addAtOnce(ops, loop, chains, std::max(chains, kTileEntries)));
    llvm::append_range(added, isLong.getResults());
  }
  return writeLoop(ops, loop, added.front(), loop.getUpperBound(), mlir::ValueRange(added).drop_front(), 1, 1);
}

/// Whether the segment lies two levels or more below the rows.
bool isFiber(scf::ForOp loop) {
  const std::optional<Segments> segments = segmentsOf(loop);
  return segments && segments->pointers.size() > 1;
}

void InterleaveReductions::rewrite(scf::ForOp loop) {
  const bool isVector = mlir::isa<mlir::VectorType>(loop.getResultTypes().front()) || isKeptAsItIs(loop);
  const std::optional<int64_t> wanted = dialect::scheduleOf(getOperation()).getUnroll();
  const int64_t chains = wanted ? static_cast<int64_t>(llvm::bit_floor(static_cast<uint64_t>(*wanted)))
                                : kSumsAtOnce / std::min<int64_t>(llvm::bit_ceil(loop.getNumResults()), kSumsAtOnce);
  if (chains == 1 || (!isVector && !gathers(loop)))
    return;
  mlir::OpBuilder builder(loop);
  mlir::ImplicitLocOpBuilder ops(loop.getLoc(), builder);
  if (isVector || wanted) {
    loop.replaceAllUsesWith(interleave(ops, loop, chains, wanted ? chains : kShortTile));
    loop.erase();
    return;
  }
  // Sums in several chains, and vectors, begin and end with more than short segments have to gain, whose ends
  // processors foresee best where one loop goes through all of them.
  const auto choose = [&](int64_t length) {
    return scf::IfOp::create(ops, loop.getResultTypes(), compareLength(ops, loop, arith::CmpIPredicate::slt, length),
                             /*addThenBlock=*/true, /*addElseBlock=*/true);
  };
  scf::IfOp choice = choose(isFiber(loop) ? chains : kSeveral);
  loop.replaceAllUsesWith(choice.getResults());
  ops.setInsertionPointToEnd(choice.thenBlock());
  scf::YieldOp::create(
      ops, writeLoop(ops, loop, loop.getLowerBound(), loop.getUpperBound(), Values(loop.getInitArgs()), 1, 1));
  ops.setInsertionPointToEnd(choice.elseBlock());
  scf::IfOp other = choose(kLong);
  scf::YieldOp::create(ops, other.getResults());
  ops.setInsertionPointToEnd(other.thenBlock());
  scf::YieldOp::create(ops, interleave(ops, loop, chains, chains));
  ops.setInsertionPointToEnd(other.elseBlock());
  auto yield = scf::YieldOp::create(ops, loop.getResults());
  loop->moveBefore(yield);
}

} // namespace
} // namespace spc::transforms
