#include "dialect/attributes.h"
#include "transforms/passes.h"
#include "transforms/util/access.h"
#include "transforms/util/loop_hints.h"
#include "transforms/util/streams.h"
#include "transforms/vector/row_trials.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace spc::transforms {

#define GEN_PASS_DEF_PREFETCHSTREAMS
#include "transforms/Passes.h.inc"

namespace {

namespace arith = mlir::arith;
namespace memref = mlir::memref;
namespace scf = mlir::scf;
using mlir::Value;

constexpr int64_t kLineBytes = 64; ///< bytes that a cache loads at once
constexpr int64_t kBytesAhead =
    2048; ///< bytes of the widest stream: half of a page, at whose end processors stop by themselves

class PrefetchStreams : public impl::PrefetchStreamsBase<PrefetchStreams> {
public:
  void runOnOperation() override;

private:
  struct Segment {
    scf::ForOp loop;
    llvm::SmallVector<Value> streams;
  };
  static void prefetch(const Segment &segment, const PrefetchDecision &decision);
};

/// Prefetches what the segment that lies so much further on would read, a cache line at a time.
void PrefetchStreams::prefetch(const Segment &segment, const PrefetchDecision &decision) {
  scf::ForOp loop = segment.loop;
  mlir::OpBuilder builder(loop);
  mlir::ImplicitLocOpBuilder ops(loop.getLoc(), builder);
  int64_t widest = 1;
  for (Value stream : segment.streams)
    widest = std::max(widest, elementBytes(stream));
  Value step = arith::ConstantIndexOp::create(ops, std::max<int64_t>(kLineBytes / widest, 1));
  Value ahead = arith::ConstantIndexOp::create(ops, kBytesAhead / widest);
  auto lines = scf::ForOp::create(ops, loop.getLowerBound(), loop.getUpperBound(), step);
  keepLoopAsItIs(lines);
  ops.setInsertionPointToStart(lines.getBody());
  Value later = arith::AddIOp::create(ops, lines.getInductionVar(), ahead);
  Value position = arith::MinUIOp::create(ops, later, decision.last);
  for (Value stream : segment.streams)
    memref::PrefetchOp::create(ops, stream, mlir::ValueRange{position}, /*isWrite=*/false, /*localityHint=*/3,
                               /*isDataCache=*/true);
}

void PrefetchStreams::runOnOperation() {
  llvm::SmallVector<Segment> segments;
  std::optional<Segments> way;
  bool isCommon = !dialect::scheduleOf(getOperation()).getPrefetch();
  getOperation().walk([&](mlir::vector::LoadOp) { isCommon = false; });
  getOperation().walk([&](scf::ForOp loop) {
    const llvm::SmallVector<Value> streams = streamsOf(loop);
    if (streams.empty())
      return;
    const std::optional<Segments> own = segmentsOf(loop);
    isCommon = isCommon && own && (!way || (own->root == way->root && own->pointers == way->pointers));
    way = own;
    segments.push_back({loop, streams});
  });
  // The fibers of a tree are short and many: what asking costs each of them is more than there is to gain.
  const dialect::RowLoopAttr rows = way ? dialect::rowLoopOf(way->root) : dialect::RowLoopAttr();
  isCommon &= !rows || rows.getKind() == dialect::RowLoopKind::Rows || way->pointers.size() == 1;
  Value trial = isCommon && way ? trialOf(getOperation(), way->root) : Value();
  if (!trial)
    return;
  mlir::OpBuilder builder(way->root);
  mlir::ImplicitLocOpBuilder ops(way->root.getLoc(), builder);
  const auto no = [&](Range, Value) -> Value { return arith::ConstantOp::create(ops, ops.getBoolAttr(false)); };
  PrefetchDecision decision =
      lookAtEntries(ops, way->pointers, {way->root.getLowerBound(), way->root.getUpperBound()}, 1, no);
  decision.isWorth = cutIntoPieces(ops, way->root, trial, way->pointers, decision);
  // A copy of the rows' loop goes without: no row tests anything, or keeps registers for it.
  keepCopyUnless(decision.isWorth, way->root);
  for (const Segment &segment : segments)
    prefetch(segment, decision);
}

} // namespace
} // namespace spc::transforms
