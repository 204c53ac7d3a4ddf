#include "dialect/attributes.h"
#include "transforms/passes.h"
#include "transforms/util/access.h"
#include "transforms/util/index_chains.h"
#include "transforms/util/streams.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/ADT/SetVector.h"

namespace spc::transforms {

#define GEN_PASS_DEF_PREFETCHSEGMENTS
#include "transforms/Passes.h.inc"

namespace {

namespace arith = mlir::arith;
namespace memref = mlir::memref;
namespace scf = mlir::scf;
using mlir::Value;

constexpr int64_t kLineOfArray = 64;   ///< bytes that a cache loads at once
constexpr int64_t kEntriesAhead = 32;  ///< of a row: processors go on by themselves
constexpr int64_t kRowsAhead = 8;      ///< rows
constexpr int64_t kPointersAhead = 16; ///< rows whose pointers are to be there when their entries are asked for

/// A segment of a row that a list says, in a loop over that list.
struct ListedSegment {
  memref::LoadOp row;                    ///< from the list, at the loop's variable
  memref::LoadOp pointer;                ///< of the segment's begin, at that row
  Value begin;                           ///< what that is as an index
  llvm::SmallSetVector<Value, 4> arrays; ///< what is read at the segment's positions
};

class PrefetchSegments : public impl::PrefetchSegmentsBase<PrefetchSegments> {
public:
  void runOnOperation() override {
    if (dialect::scheduleOf(getOperation()).getPrefetch() == 0)
      return;
    llvm::SmallVector<std::pair<scf::ForOp, ListedSegment>> found;
    getOperation().walk([&](scf::ForOp segment) {
      auto rows = segment->getParentOfType<scf::ForOp>();
      if (!rows || !mlir::isConstantIntValue(rows.getStep(), 1))
        return;
      if (std::optional<ListedSegment> listed = listedIn(rows, segment))
        found.emplace_back(rows, *listed);
    });
    for (auto &[rows, segment] : found)
      prefetch(rows, segment);
  }

private:
  static std::optional<ListedSegment> listedIn(scf::ForOp rows, scf::ForOp segment);
  static void prefetch(scf::ForOp rows, ListedSegment segment);
};

std::optional<ListedSegment> PrefetchSegments::listedIn(scf::ForOp rows, scf::ForOp segment) {
  ListedSegment listed;
  listed.begin = segment.getLowerBound();
  listed.pointer = loadedIndex(listed.begin);
  if (!listed.pointer || listed.pointer.getIndices().size() != 1)
    return std::nullopt;
  listed.row = loadedIndex(listed.pointer.getIndices()[0]);
  if (!listed.row || listed.row.getIndices().size() != 1 || listed.row.getIndices()[0] != rows.getInductionVar())
    return std::nullopt;
  for (auto load : segment.getBody()->getOps<memref::LoadOp>())
    if (load.getIndices().size() == 1 && load.getIndices()[0] == segment.getInductionVar())
      listed.arrays.insert(load.getMemRef());
  const auto isOutside = [&](Value value) { return rows.isDefinedOutsideOfLoop(value); };
  const bool isKnown = isOutside(listed.row.getMemRef()) && isOutside(listed.pointer.getMemRef()) &&
                       !listed.arrays.empty() && llvm::all_of(listed.arrays, isOutside);
  return isKnown ? std::optional(std::move(listed)) : std::nullopt;
}

/// Loads another element of an array, and casts it as the chain that ends in `index` does.
Value loadAs(mlir::ImplicitLocOpBuilder &ops, Value index, Value position) {
  llvm::SmallVector<mlir::Operation *> chain;
  mlir::Operation *op = index.getDefiningOp();
  for (; !mlir::isa<memref::LoadOp>(op); op = op->getOperand(0).getDefiningOp())
    chain.push_back(op);
  Value value = memref::LoadOp::create(ops, mlir::cast<memref::LoadOp>(op).getMemRef(), position);
  for (mlir::Operation *cast : llvm::reverse(chain)) {
    mlir::IRMapping operands;
    operands.map(cast->getOperand(0), value);
    value = ops.clone(*cast, operands)->getResult(0);
  }
  return value;
}

void touch(mlir::ImplicitLocOpBuilder &ops, Value array, Value position) {
  memref::PrefetchOp::create(ops, array, mlir::ValueRange{position}, /*isWrite=*/false, /*localityHint=*/3,
                             /*isDataCache=*/true);
}

void PrefetchSegments::prefetch(scf::ForOp rows, ListedSegment segment) {
  const auto constant = [](mlir::ImplicitLocOpBuilder &ops, int64_t number) -> Value {
    return arith::ConstantIndexOp::create(ops, number);
  };
  mlir::ImplicitLocOpBuilder before(rows.getLoc(), rows);
  const Value last = arith::SubIOp::create(before, rows.getUpperBound(), constant(before, 1));
  mlir::ImplicitLocOpBuilder ops(rows.getLoc(), mlir::OpBuilder::atBlockBegin(rows.getBody()));
  const Value pointer = segment.pointer.getIndices()[0];
  const auto rowBehind = [&](int64_t ahead) {
    const Value later = arith::AddIOp::create(ops, rows.getInductionVar(), constant(ops, ahead));
    return loadAs(ops, pointer, arith::MinSIOp::create(ops, later, last));
  };
  touch(ops, segment.pointer.getMemRef(), rowBehind(kPointersAhead));
  const Value begin = loadAs(ops, segment.begin, rowBehind(kRowsAhead));
  for (const Value array : segment.arrays)
    for (int64_t line = 0; line * kLineOfArray < kEntriesAhead * elementBytes(array); ++line) {
      const Value place = arith::AddIOp::create(ops, begin, constant(ops, line * kLineOfArray / elementBytes(array)));
      touch(ops, array, place);
    }
}

} // namespace
} // namespace spc::transforms
