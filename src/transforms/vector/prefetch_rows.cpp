#include "transforms/passes.h"
#include "transforms/util/affine_sums.h"
#include "transforms/util/body_arguments.h"
#include "transforms/util/index_chains.h"
#include "transforms/util/loop_hints.h"
#include "transforms/vector/row_trials.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

#include "llvm/ADT/MapVector.h"

namespace spc::transforms {

#define GEN_PASS_DEF_PREFETCHROWS
#include "transforms/Passes.h.inc"

namespace {

namespace arith = mlir::arith;
namespace memref = mlir::memref;
namespace scf = mlir::scf;
namespace vector = mlir::vector;
using mlir::Operation;
using mlir::Value;

constexpr int64_t kLine = 64;          ///< bytes that a cache loads at once
constexpr int64_t kLeastBytes = 128;   ///< of a row, for its first line to be worth waiting for
constexpr int64_t kAhead = 8;          ///< entries
constexpr size_t kFewLoads = 8;        ///< of a round: among more of them one test more takes no time
constexpr size_t kNarrowTile = 2;      ///< vectors of an entry: rows of more take longer than asking for each
constexpr size_t kNarrowFiber = 4;     ///< … of a fiber's: fibers have few entries
constexpr int64_t kSamples = 16;       ///< pairs of rows that are looked at
constexpr int64_t kFar = 32 << 10;     ///< bytes between operand rows that are far apart
constexpr int64_t kNear = 32 << 10;    ///< bytes of an operand that stays in a first-level cache anyway
constexpr int64_t kCached = 512 << 10; ///< … in a second-level one, from which a trial alone tells whether to prefetch

/// A loop over a segment, the coordinates that it loads, and the operand rows that these lead to.
struct Gather {
  scf::ForOp segment;
  scf::ForOp root;                   ///< the loop at the top of the body: over rows, or over groups of them
  scf::ForOp unit;                   ///< the outermost loop on the way that is inside of the root's, or the segment's
  llvm::SmallVector<Value> pointers; ///< of the levels from the one below the root's loop down to the segment's
  mlir::BlockArgument operand;
  unsigned dim = 0; ///< the operand's dimension that the coordinate indexes
  llvm::SmallVector<std::pair<memref::LoadOp, llvm::SmallVector<vector::LoadOp>>> coordinates;
};

class PrefetchRows : public impl::PrefetchRowsBase<PrefetchRows> {
public:
  using PrefetchRowsBase::PrefetchRowsBase;

  void runOnOperation() override {
    const std::optional<int64_t> ahead = dialect::scheduleOf(getOperation()).getPrefetch();
    if (ahead == 0)
      return;
    decisions_.clear();
    llvm::SmallVector<Gather> gathers;
    getOperation().walk([&](scf::ForOp loop) {
      if (std::optional<Gather> gather = findGather(loop, ahead.has_value()))
        gathers.push_back(*gather);
    });
    for (const Gather &gather : gathers)
      decide(gather, ahead.has_value());
    tryOut(gathers);
    writePrefetches(gathers, ahead.value_or(kAhead));
  }

private:
  std::optional<Gather> findGather(scf::ForOp loop, bool always);
  void addLoads(memref::LoadOp coordinate, Gather &gather);
  PrefetchDecision &decisionOf(const Gather &gather) {
    scf::ForOp root = gather.root;
    return decisions_[{root, gather.pointers.back(), gather.operand}];
  }
  void decide(const Gather &gather, bool always);
  void tryOut(llvm::ArrayRef<Gather> gathers);
  Value isBeyond(mlir::ImplicitLocOpBuilder &ops, const Gather &gather, int64_t bytes);
  Value rowBytes(mlir::ImplicitLocOpBuilder &ops, const Gather &gather);
  Value sample(mlir::ImplicitLocOpBuilder &ops, const Gather &gather, Range rows, Value last);
  static bool isShort(const Gather &gather);
  void writePrefetches(llvm::ArrayRef<Gather> gathers, int64_t ahead);
  void prefetch(const Gather &gather, int64_t ahead, mlir::Block *place);
  mlir::Block *placeOf(const Gather &gather);

  /// By the root's loop, the pointers to the segments and the operand: tiles share them.
  llvm::MapVector<std::tuple<Operation *, Value, Value>, PrefetchDecision> decisions_;
};

/// Notes the loads of whole vectors at the coordinate, from the first operand that has any.
void PrefetchRows::addLoads(memref::LoadOp coordinate, Gather &gather) {
  llvm::SmallVector<vector::LoadOp> loads;
  gather.segment.walk([&](vector::LoadOp load) {
    auto operand = mlir::dyn_cast<mlir::BlockArgument>(load.getBase());
    for (auto [dim, index] : llvm::enumerate(load.getIndices())) {
      if (!operand || loadedIndex(index) != coordinate || dim + 1 == load.getIndices().size())
        continue;
      if (!gather.operand)
        std::tie(gather.operand, gather.dim) = std::pair(operand, static_cast<unsigned>(dim));
      if (gather.operand == operand && gather.dim == dim)
        loads.push_back(load);
    }
  });
  if (!loads.empty())
    gather.coordinates.push_back({coordinate, loads});
}

std::optional<Gather> PrefetchRows::findGather(scf::ForOp loop, bool always) {
  const std::optional<Segments> segments = segmentsOf(loop);
  if (!segments)
    return std::nullopt;
  Gather gather{loop, segments->root, segments->next, segments->pointers, {}, 0, {}};
  // Tiles that go through groups of rows stand between the rows' loop and that over groups.
  mlir::Block &top = getOperation().getBody().front();
  gather.root = mlir::dyn_cast<scf::ForOp>(top.findAncestorOpInBlock(*gather.root));
  if (!gather.root)
    return std::nullopt;
  if (gather.root != segments->root)
    gather.unit = segments->root;
  for (auto load : loop.getBody()->getOps<memref::LoadOp>())
    if (load.getMemRefType().getRank() == 1 && load.getType().isIntOrIndex() &&
        affineSum(load.getIndices().front()).coefficient(loop.getInductionVar()) == 1)
      addLoads(load, gather);
  if (!gather.operand || gather.operand.getOwner()->getParentOp() != getOperation() ||
      !dimExtent(getOperation(), gather.operand.getArgNumber(), gather.dim))
    return std::nullopt;
  int64_t bytes = 0;
  for (vector::LoadOp load : gather.coordinates.front().second)
    bytes += load.getVectorType().getNumElements() * load.getVectorType().getElementTypeBitWidth() / 8;
  // A loop inside reads all of the row, however little its body loads.
  const bool isWhole = gather.coordinates.front().second.front()->getParentOp() != loop;
  return isWhole || always || bytes >= kLeastBytes ? std::optional(gather) : std::nullopt;
}

/// The length of an operand's row, in bytes. From the buffer, and so is the number of rows: arguments for them would
/// stand elsewhere in the bodies for levels without prefetches.
Value PrefetchRows::rowBytes(mlir::ImplicitLocOpBuilder &ops, const Gather &gather) {
  Value stride = memref::ExtractStridedMetadataOp::create(ops, gather.operand).getStrides()[gather.dim];
  const int64_t element = mlir::cast<mlir::MemRefType>(gather.operand.getType()).getElementTypeBitWidth() / 8;
  return arith::MulIOp::create(ops, stride, arith::ConstantIndexOp::create(ops, element));
}

/// Whether the operand is too large for a cache of so many bytes.
Value PrefetchRows::isBeyond(mlir::ImplicitLocOpBuilder &ops, const Gather &gather, int64_t bytes) {
  Value rows = memref::ExtractStridedMetadataOp::create(ops, gather.operand).getSizes()[gather.dim];
  Value size = arith::MulIOp::create(ops, rows, rowBytes(ops, gather));
  return arith::CmpIOp::create(ops, arith::CmpIPredicate::ugt, size, arith::ConstantIndexOp::create(ops, bytes));
}

/// Whether most of the sampled pairs of neighbouring rows have their middle entries far apart. In stencils, bands and
/// blocks few have: there the next row needs what this one has loaded.
Value PrefetchRows::sample(mlir::ImplicitLocOpBuilder &ops, const Gather &gather, Range rows, Value last) {
  const auto constant = [&](int64_t number) -> Value { return arith::ConstantIndexOp::create(ops, number); };
  Value pointers = gather.pointers.back();
  memref::LoadOp coordinate = gather.coordinates.front().first;
  Value bytes = rowBytes(ops, gather);
  const auto middle = [&](Value row) -> Value {
    Value next = arith::AddIOp::create(ops, row, constant(1));
    Value both = arith::AddIOp::create(ops, beginOf(ops, pointers, row), beginOf(ops, pointers, next));
    Value half = arith::DivUIOp::create(ops, both, constant(2));
    return readIndex(ops, coordinate.getMemRef(), arith::MinUIOp::create(ops, half, last));
  };
  Value pairs = arith::SubIOp::create(ops, arith::SubIOp::create(ops, rows.end, rows.begin), constant(1));
  Value step = arith::DivUIOp::create(ops, pairs, constant(kSamples));
  auto loop = scf::ForOp::create(ops, constant(0), constant(kSamples), constant(1), mlir::ValueRange{constant(0)});
  keepLoopAsItIs(loop);
  {
    mlir::OpBuilder::InsertionGuard guard(ops);
    ops.setInsertionPointToStart(loop.getBody());
    Value row = arith::AddIOp::create(ops, rows.begin, arith::MulIOp::create(ops, loop.getInductionVar(), step));
    Value one = middle(row), other = middle(arith::AddIOp::create(ops, row, constant(1)));
    Value apart =
        arith::SubIOp::create(ops, arith::MaxUIOp::create(ops, one, other), arith::MinUIOp::create(ops, one, other));
    Value isFar =
        arith::CmpIOp::create(ops, arith::CmpIPredicate::ugt, arith::MulIOp::create(ops, apart, bytes), constant(kFar));
    Value more = arith::AddIOp::create(ops, loop.getRegionIterArg(0), constant(1));
    scf::YieldOp::create(ops, mlir::ValueRange{arith::SelectOp::create(ops, isFar, more, loop.getRegionIterArg(0))});
  }
  return arith::CmpIOp::create(ops, arith::CmpIPredicate::ugt, loop.getResult(0), constant(kSamples / 2));
}

void PrefetchRows::decide(const Gather &gather, bool always) {
  scf::ForOp root = gather.root;
  PrefetchDecision &known = decisionOf(gather);
  if (known.isWorth)
    return;
  mlir::OpBuilder builder(root);
  mlir::ImplicitLocOpBuilder ops(root.getLoc(), builder);
  const Range rows{root.getLowerBound(), root.getUpperBound()};
  const auto yes = [&](Range, Value) -> Value { return arith::ConstantOp::create(ops, ops.getBoolAttr(true)); };
  if (always) {
    known = lookAtEntries(ops, gather.pointers, rows, 1, yes);
    return;
  }
  const auto isFar = [&](Range segments, Value last) -> Value {
    if (!trials)
      return sample(ops, gather, segments, last);
    Value isLarge = isBeyond(ops, gather, kCached);
    auto choice = scf::IfOp::create(ops, ops.getI1Type(), isLarge, /*withElseRegion=*/true);
    mlir::OpBuilder::InsertionGuard guard(ops);
    ops.setInsertionPointToEnd(choice.elseBlock());
    scf::YieldOp::create(ops, isLarge);
    ops.setInsertionPointToEnd(choice.thenBlock());
    scf::YieldOp::create(ops, sample(ops, gather, segments, last));
    return choice.getResult(0);
  };
  // Too few rows say nothing.
  known = decideIf(ops, isBeyond(ops, gather, trials ? kNear : kCached),
                   [&] { return lookAtEntries(ops, gather.pointers, rows, 2 * kSamples, isFar); });
}

/// Lets the body's trial decide, where there is one loop over the body's rows, for the rows of all operands at once:
/// those that entries read, not fibers, are most of what is read.
void PrefetchRows::tryOut(llvm::ArrayRef<Gather> gathers) {
  const auto isNearer = [](const Gather &one, const Gather &other) {
    return one.pointers.size() < other.pointers.size();
  };
  const Gather *main = llvm::max_element(gathers, isNearer);
  if (!trials || gathers.empty() ||
      llvm::any_of(gathers, [&](const Gather &other) { return other.root != main->root; }))
    return;
  Value trial = trialOf(getOperation(), main->root);
  if (!trial)
    return;
  scf::ForOp root = main->root;
  mlir::OpBuilder builder(root);
  mlir::ImplicitLocOpBuilder ops(root.getLoc(), builder);
  const PrefetchDecision usual = decisionOf(*main);
  Value isWorth = cutIntoPieces(ops, root, trial, main->pointers, usual);
  ops.setInsertionPoint(root);
  for (auto &[key, decision] : decisions_) {
    if (decision.last == usual.last) {
      decision.isWorth = isWorth;
      continue;
    }
    Value also = arith::AndIOp::create(ops, isWorth, decision.isPossible);
    decision.isWorth = arith::SelectOp::create(ops, usual.isPossible, also, decision.isWorth);
  }
}

/// Whether a loop of few instructions, which has none to spare for asking, entry by entry. What four or two at a time
/// have left over is no loop.
bool PrefetchRows::isShort(const Gather &gather) {
  scf::ForOp segment = gather.segment;
  size_t loads = 0;
  for (const auto &[coordinate, own] : gather.coordinates)
    loads += own.size();
  return !isRest(segment) && loads <= kFewLoads &&
         llvm::none_of(*segment.getBody(), [](Operation &op) { return op.getNumRegions() > 0; });
}

/// The block that loads the entry's row.
static mlir::Block *loadingBlock(const Gather &gather) {
  return gather.coordinates.front().second.front()->getBlock();
}

static bool isNarrow(const Gather &gather) {
  return gather.coordinates.front().second.size() <= (gather.pointers.size() > 1 ? kNarrowFiber : kNarrowTile);
}

/// Where a gather that decides for itself is to prefetch: in a loop of few instructions, of which there is a copy
/// without, or in a condition.
mlir::Block *PrefetchRows::placeOf(const Gather &gather) {
  scf::ForOp segment = gather.segment;
  const Value isWorth = decisionOf(gather).isWorth;
  mlir::Block *block = loadingBlock(gather);
  if ((gather.unit == segment || !isNarrow(gather)) && block == segment.getBody() && isShort(gather)) {
    keepCopyUnless(isWorth, segment);
    return block;
  }
  mlir::OpBuilder builder(block->getTerminator());
  return scf::IfOp::create(builder, segment.getLoc(), isWorth, /*withElseRegion=*/false).thenBlock();
}

/// Units of narrow tiles have a copy without the prefetches of the innermost segments in them: neither of the two tests
/// anything for each entry or row, or keeps a register for it.
void PrefetchRows::writePrefetches(llvm::ArrayRef<Gather> gathers, int64_t ahead) {
  llvm::MapVector<Operation *, const Gather *> units;
  for (const Gather &gather : gathers) {
    const Gather *&main = units[gather.unit];
    if (isNarrow(gather) && gather.unit != gather.segment && (!main || main->pointers.size() < gather.pointers.size()))
      main = &gather;
  }
  const auto isChosen = [&](const Gather &gather) {
    const Gather *main = units[gather.unit];
    return main && decisionOf(gather).isWorth == decisionOf(*main).isWorth;
  };
  for (const Gather &gather : gathers)
    if (!isChosen(gather))
      prefetch(gather, ahead, placeOf(gather));
  for (const auto &[unit, main] : units)
    if (main)
      keepCopyUnless(decisionOf(*main).isWorth, main->unit);
  for (const Gather &gather : gathers)
    if (isChosen(gather))
      prefetch(gather, ahead, loadingBlock(gather));
}

/// Prefetches the rows of later entries, a cache line at a time, at the end of `place`: the block that loads this
/// entry's row, or one at its end.
void PrefetchRows::prefetch(const Gather &gather, int64_t ahead, mlir::Block *place) {
  scf::ForOp segment = gather.segment;
  const PrefetchDecision decision = decisionOf(gather);
  mlir::Block *block = loadingBlock(gather);
  mlir::OpBuilder builder(place->getTerminator());
  mlir::ImplicitLocOpBuilder ops(segment.getLoc(), builder);
  for (auto [coordinate, loads] : gather.coordinates) {
    // Where a loop inside of the segment loads the row, the coordinate is read once, in front of that loop.
    if (block == segment.getBody())
      ops.setInsertionPoint(place->getTerminator());
    else
      ops.setInsertionPointAfter(coordinate);
    Value later =
        arith::AddIOp::create(ops, coordinate.getIndices().front(), arith::ConstantIndexOp::create(ops, ahead));
    Value position = arith::MinUIOp::create(ops, later, decision.last);
    Value row = readIndex(ops, coordinate.getMemRef(), position);
    ops.setInsertionPoint(place->getTerminator());
    int64_t covered = 0;
    for (vector::LoadOp load : loads) {
      if (load->getBlock() != block)
        continue;
      if (covered % kLine == 0) {
        llvm::SmallVector<Value> indices(load.getIndices());
        indices[gather.dim] = row;
        memref::PrefetchOp::create(ops, load.getBase(), indices, /*isWrite=*/false, /*localityHint=*/3,
                                   /*isDataCache=*/true);
      }
      covered += load.getVectorType().getNumElements() * load.getVectorType().getElementTypeBitWidth() / 8;
    }
  }
}

} // namespace
} // namespace spc::transforms
