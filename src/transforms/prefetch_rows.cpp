#include "transforms/affine_sums.h"
#include "transforms/body_arguments.h"
#include "transforms/index_chains.h"
#include "transforms/passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

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
constexpr int64_t kSamples = 16;       ///< pairs of rows that are looked at
constexpr int64_t kFar = 32 << 10;     ///< bytes between operand rows that are far apart
constexpr int64_t kCached = 512 << 10; ///< bytes of an operand that stays in a second-level cache anyway

/// A loop over a segment, the coordinates that it loads at its position, and the operand rows that these lead to.
struct Gather {
  scf::ForOp segment, rows;
  Value pointers;
  mlir::BlockArgument operand;
  unsigned dim = 0; ///< of the operand, that the coordinate indexes
  llvm::SmallVector<std::pair<memref::LoadOp, llvm::SmallVector<vector::LoadOp>>> coordinates;
};

/// The end of a segment, of which a loop may leave a rest to another one.
Value segmentEnd(Value bound) {
  if (auto middle = bound.getDefiningOp<arith::MaxSIOp>())
    bound = middle.getLhs();
  if (auto whole = bound.getDefiningOp<arith::SubIOp>())
    bound = whole.getLhs();
  return bound;
}

/// An element of an index array.
Value readIndex(mlir::ImplicitLocOpBuilder &ops, Value array, Value at) {
  Value read = memref::LoadOp::create(ops, array, mlir::ValueRange{at});
  return arith::IndexCastUIOp::create(ops, ops.getIndexType(), read);
}

class PrefetchRows : public impl::PrefetchRowsBase<PrefetchRows> {
public:
  void runOnOperation() override {
    const std::optional<int64_t> ahead = scheduled(getOperation(), "prefetch");
    if (ahead == 0)
      return;
    decisions_.clear();
    llvm::SmallVector<scf::ForOp> loops;
    getOperation().walk([&](scf::ForOp loop) { loops.push_back(loop); });
    for (scf::ForOp loop : loops)
      if (std::optional<Gather> gather = findGather(loop))
        prefetch(*gather, ahead.value_or(kAhead), ahead.has_value());
  }

private:
  /// Whether to prefetch, and the last position that a coordinate can be read at.
  struct Decision {
    Value isWorth, last;
  };

  std::optional<Gather> findGather(scf::ForOp loop);
  void addLoads(memref::LoadOp coordinate, Gather &gather);
  Decision decide(const Gather &gather, bool always);
  Value sample(mlir::ImplicitLocOpBuilder &ops, Gather gather, Value last);
  void prefetch(Gather gather, int64_t ahead, bool always);

  llvm::DenseMap<std::pair<Operation *, Value>, Decision> decisions_; ///< by rows and operand
};

/// The loads of whole vectors at the coordinate, of the first operand that has any.
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

std::optional<Gather> PrefetchRows::findGather(scf::ForOp loop) {
  memref::LoadOp end = loadedIndex(segmentEnd(loop.getUpperBound()));
  Value row = end ? predecessor(end.getIndices().front()) : Value();
  Gather gather{loop, row ? loopOf(row) : scf::ForOp(), end ? end.getMemRef() : Value(), {}, 0, {}};
  if (!gather.rows || !mlir::isa<mlir::func::FuncOp>(gather.rows->getParentOp()) ||
      !isConstant(gather.rows.getStep(), 1))
    return std::nullopt;
  for (auto load : loop.getBody()->getOps<memref::LoadOp>())
    if (load.getMemRefType().getRank() == 1 && load.getType().isIntOrIndex() &&
        affineSum(load.getIndices().front()).coefficient(loop.getInductionVar()) == 1)
      addLoads(load, gather);
  if (!gather.operand)
    return std::nullopt;
  int64_t bytes = 0;
  for (vector::LoadOp load : gather.coordinates.front().second)
    bytes += load.getVectorType().getNumElements() * load.getVectorType().getElementTypeBitWidth() / 8;
  // A loop inside reads more of the row than its body says.
  const bool isWhole = gather.coordinates.front().second.front()->getParentOp() != loop;
  return isWhole || bytes >= kLeastBytes ? std::optional(gather) : std::nullopt;
}

/// How many of the sampled pairs of neighbouring rows have their middle entries far apart: of stencils, bands and
/// blocks few, as there the next row needs what this one has loaded.
Value PrefetchRows::sample(mlir::ImplicitLocOpBuilder &ops, Gather gather, Value last) {
  const auto constant = [&](int64_t number) -> Value { return arith::ConstantIndexOp::create(ops, number); };
  memref::LoadOp coordinate = gather.coordinates.front().first;
  mlir::func::FuncOp body = getOperation();
  const unsigned argument = gather.operand.getArgNumber();
  const std::string name = argumentString(body, argument, kName).str();
  Value stride = boundArgument(body, name + ".stride_" + std::to_string(gather.dim), ops.getIndexType());
  const int64_t element = mlir::cast<mlir::MemRefType>(gather.operand.getType()).getElementTypeBitWidth() / 8;
  Value rowBytes = arith::MulIOp::create(ops, stride, constant(element));
  const auto middle = [&](Value row) -> Value {
    Value next = arith::AddIOp::create(ops, row, constant(1));
    Value both =
        arith::AddIOp::create(ops, readIndex(ops, gather.pointers, row), readIndex(ops, gather.pointers, next));
    Value half = arith::DivUIOp::create(ops, both, constant(2));
    return readIndex(ops, coordinate.getMemRef(), arith::MinUIOp::create(ops, half, last));
  };
  Value begin = gather.rows.getLowerBound(), end = gather.rows.getUpperBound();
  Value pairs = arith::SubIOp::create(ops, arith::SubIOp::create(ops, end, begin), constant(1));
  Value step = arith::DivUIOp::create(ops, pairs, constant(kSamples));
  auto loop = scf::ForOp::create(ops, constant(0), constant(kSamples), constant(1), mlir::ValueRange{constant(0)});
  {
    mlir::OpBuilder::InsertionGuard guard(ops);
    ops.setInsertionPointToStart(loop.getBody());
    Value row = arith::AddIOp::create(ops, begin, arith::MulIOp::create(ops, loop.getInductionVar(), step));
    Value one = middle(row), other = middle(arith::AddIOp::create(ops, row, constant(1)));
    Value apart =
        arith::SubIOp::create(ops, arith::MaxUIOp::create(ops, one, other), arith::MinUIOp::create(ops, one, other));
    Value isFar = arith::CmpIOp::create(ops, arith::CmpIPredicate::ugt, arith::MulIOp::create(ops, apart, rowBytes),
                                        constant(kFar));
    Value more = arith::AddIOp::create(ops, loop.getRegionIterArg(0), constant(1));
    scf::YieldOp::create(ops, mlir::ValueRange{arith::SelectOp::create(ops, isFar, more, loop.getRegionIterArg(0))});
  }
  Value areFar = arith::CmpIOp::create(ops, arith::CmpIPredicate::ugt, loop.getResult(0), constant(kSamples / 2));
  Value bytes = arith::MulIOp::create(ops, sizeArgument(body, argument, gather.dim), rowBytes);
  Value isLarge = arith::CmpIOp::create(ops, arith::CmpIPredicate::ugt, bytes, constant(kCached));
  return arith::AndIOp::create(ops, areFar, isLarge);
}

PrefetchRows::Decision PrefetchRows::decide(const Gather &gather, bool always) {
  scf::ForOp rows = gather.rows;
  Decision &known = decisions_[{rows, gather.operand}];
  if (known.isWorth)
    return known;
  mlir::OpBuilder builder(rows);
  mlir::ImplicitLocOpBuilder ops(rows.getLoc(), builder);
  Value fewest = arith::ConstantIndexOp::create(ops, 2 * kSamples);
  Value count = arith::SubIOp::create(ops, rows.getUpperBound(), rows.getLowerBound());
  // Few rows have nothing to say, and perhaps no entries at all.
  Value areMany = arith::CmpIOp::create(ops, arith::CmpIPredicate::sge, count, fewest);
  mlir::Type types[] = {builder.getI1Type(), builder.getIndexType()};
  Value no = arith::ConstantOp::create(ops, builder.getBoolAttr(false)), zero = arith::ConstantIndexOp::create(ops, 0);
  auto look = scf::IfOp::create(ops, types, areMany, true, true);
  ops.setInsertionPointToEnd(look.elseBlock());
  scf::YieldOp::create(ops, mlir::ValueRange{no, zero});
  ops.setInsertionPointToEnd(look.thenBlock());
  Value first = readIndex(ops, gather.pointers, rows.getLowerBound());
  Value end = readIndex(ops, gather.pointers, rows.getUpperBound());
  Value hasEntries = arith::CmpIOp::create(ops, arith::CmpIPredicate::ult, first, end);
  auto inner = scf::IfOp::create(ops, types, hasEntries, true, true);
  scf::YieldOp::create(ops, inner.getResults());
  ops.setInsertionPointToEnd(inner.elseBlock());
  scf::YieldOp::create(ops, mlir::ValueRange{no, zero});
  ops.setInsertionPointToEnd(inner.thenBlock());
  Value last = arith::SubIOp::create(ops, end, arith::ConstantIndexOp::create(ops, 1));
  Value isWorth =
      always ? arith::ConstantOp::create(ops, builder.getBoolAttr(true)).getResult() : sample(ops, gather, last);
  scf::YieldOp::create(ops, mlir::ValueRange{isWorth, last});
  return known = {look.getResult(0), look.getResult(1)};
}

/// Asks for the rows of later entries at the end of the block that loads this one's, a line at a time.
void PrefetchRows::prefetch(Gather gather, int64_t ahead, bool always) {
  const Decision decision = decide(gather, always);
  mlir::Block *block = gather.coordinates.front().second.front()->getBlock();
  mlir::OpBuilder builder(block->getTerminator());
  mlir::ImplicitLocOpBuilder ops(gather.segment.getLoc(), builder);
  auto when = scf::IfOp::create(ops, decision.isWorth, /*withElseRegion=*/false);
  for (auto &[coordinate, loads] : gather.coordinates) {
    // In front of a loop inside of the segment, once.
    if (block == gather.segment.getBody())
      ops.setInsertionPoint(when.thenBlock()->getTerminator());
    else
      ops.setInsertionPointAfter(coordinate);
    Value later =
        arith::AddIOp::create(ops, coordinate.getIndices().front(), arith::ConstantIndexOp::create(ops, ahead));
    Value place = arith::MinUIOp::create(ops, later, decision.last);
    Value row = readIndex(ops, coordinate.getMemRef(), place);
    ops.setInsertionPoint(when.thenBlock()->getTerminator());
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
