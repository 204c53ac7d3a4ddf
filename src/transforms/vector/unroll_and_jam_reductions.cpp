#include "transforms/passes.h"
#include "transforms/util/access.h"
#include "transforms/util/affine_sums.h"
#include "transforms/util/horizontal_reductions.h"
#include "transforms/util/loop_hints.h"
#include "transforms/util/reductions.h"
#include "transforms/util/vector_body.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"

namespace spc::transforms {

#define GEN_PASS_DEF_UNROLLANDJAMREDUCTIONS
#include "transforms/Passes.h.inc"

namespace {

namespace arith = mlir::arith;
namespace memref = mlir::memref;
namespace scf = mlir::scf;
namespace vector = mlir::vector;
using mlir::Operation;
using mlir::Value;
using Values = llvm::SmallVector<Value>;

constexpr int64_t kUnrolled = 4;   ///< iterations done together: as many sums as are added up by one tree
constexpr int64_t kVectorSums = 2; ///< vector sums of each
constexpr int64_t kSmall = 32;     ///< elements

/// Vectors of sizes that have code of their own: what all iterations have in common stays in registers, with the sums.
constexpr int64_t kKnownVectors[] = {4, 8};
constexpr int64_t kRegisters = 12;

/// A loop with one dense reduction in its body.
struct Nest {
  scf::ForOp outer, dense;
  unsigned elementBytes = 0;
};

class UnrollAndJamReductions : public impl::UnrollAndJamReductionsBase<UnrollAndJamReductions> {
public:
  using UnrollAndJamReductionsBase::UnrollAndJamReductionsBase;
  void runOnOperation() override;

private:
  void unrollAndJam(const Nest &nest);
  Values writeLoop(mlir::ImplicitLocOpBuilder &ops, const Nest &nest, Value middle, int64_t vectors);
};

/// Whether the dense loop sums up one floating-point product or the like, of elements side by side.
bool isDenseSum(Nest &nest) {
  scf::ForOp loop = nest.dense;
  if (loop.getNumResults() != 1 || !isConstant(loop.getLowerBound(), 0) || !isConstant(loop.getStep(), 1) ||
      !nest.outer.isDefinedOutsideOfLoop(loop.getUpperBound()))
    return false;
  const std::optional<Addition> sum = matchCarriedSum(loop, 0);
  if (!sum || !mlir::isa<arith::AddFOp>(sum->op))
    return false;
  bool moves = false;
  for (Operation &op : loop.getBody()->without_terminator()) {
    if (op.getNumRegions() > 0 || op.getNumResults() != 1)
      return false;
    const mlir::Type type = op.getResult(0).getType();
    if (auto load = mlir::dyn_cast<memref::LoadOp>(op)) {
      const std::optional<unsigned> unit = unitDimension(load.getMemRef());
      for (auto [dim, index] : llvm::enumerate(load.getIndices())) {
        if (!variesIn(index, loop))
          continue;
        if (unit != dim || affineSum(index).coefficient(loop.getInductionVar()) != 1)
          return false;
        moves = true;
      }
    } else if (!mlir::isPure(&op) || (!type.isIndex() && !isElementwise(&op))) {
      return false;
    } else if (!type.isIndex() &&
               llvm::any_of(op.getOperands(), [&](Value v) { return v.getType().isIndex() && variesIn(v, loop); })) {
      return false;
    }
    if (!type.isF32() && !type.isF64() && !type.isIndex())
      return false;
    if (!type.isIndex())
      nest.elementBytes = std::max(nest.elementBytes, type.getIntOrFloatBitWidth() / 8);
  }
  return moves;
}

/// Whether iterations of the outer loop may be mixed: apart from the dense loop it only computes, loads, and stores to
/// elements that are its own position's.
bool isJammable(Nest nest) {
  scf::ForOp outer = nest.outer;
  llvm::SmallPtrSet<Value, 2> stored;
  for (Operation &op : outer.getBody()->without_terminator())
    if (auto store = mlir::dyn_cast<memref::StoreOp>(op))
      stored.insert(store.getMemRef());
  mlir::WalkResult result = outer.walk([&](Operation *op) {
    if (op == outer || op == nest.dense || mlir::isa<scf::YieldOp>(op))
      return mlir::WalkResult::advance();
    std::optional<Access> access = accessOf(op);
    const bool isFine =
        access ? !stored.contains(access->buffer) || llvm::is_contained(access->indices, outer.getInductionVar())
               : op->getNumRegions() == 0 && mlir::isMemoryEffectFree(op);
    return isFine ? mlir::WalkResult::advance() : mlir::WalkResult::interrupt();
  });
  return !result.wasInterrupted();
}

/// What is carried around the outer loop must not be needed before the dense loop's end.
bool carriesAfterwards(Nest nest) {
  scf::ForOp outer = nest.outer;
  return llvm::all_of(outer.getRegionIterArgs(), [&](mlir::BlockArgument carried) {
    return llvm::all_of(carried.getUsers(), [&](Operation *user) {
      Operation *top = outer.getBody()->findAncestorOpInBlock(*user);
      return top && nest.dense->isBeforeInBlock(top);
    });
  });
}

/// Writes four iterations of the outer loop together.
class JamWriter {
public:
  /// The size is `vectors` vectors, or any where that is 0.
  JamWriter(mlir::ImplicitLocOpBuilder &ops, Nest nest, int64_t lanes, int64_t vectors)
      : ops_(ops), nest_(nest), lanes_(lanes), vectors_(vectors), element_(nest.dense.getResultTypes().front()) {}

  /// The iterations from `position` on, given what the first of them carries; returns what the last one yields.
  Values write(Value position, mlir::ValueRange carried);

private:
  Values denseSums();
  Values knownSums();
  Values step(Value place, mlir::ValueRange sums, int64_t lanes, Value mask);
  Values zeros(mlir::Type type, size_t count) {
    return Values(count, arith::ConstantOp::create(ops_, ops_.getZeroAttr(type)));
  }
  Value constant(int64_t number) { return arith::ConstantIndexOp::create(ops_, number); }
  mlir::VectorType vectorType() const { return mlir::VectorType::get({lanes_}, element_); }
  Values restOnVector(Values sums, Value whole);
  Values oneByOne();

  /// What one or the other computes, as the condition says.
  template <typename Then, typename Else> Values choose(Value condition, Then then, Else otherwise);

  mlir::ImplicitLocOpBuilder &ops_;
  Nest nest_;
  int64_t lanes_, vectors_;
  mlir::Type element_;
  mlir::IRMapping maps_[kUnrolled];
};

template <typename Then, typename Else> Values JamWriter::choose(Value condition, Then then, Else otherwise) {
  llvm::SmallVector<mlir::Type> types;
  mlir::Block elseBlock;
  Values chosen;
  {
    mlir::OpBuilder::InsertionGuard guard(ops_);
    ops_.setInsertionPointToEnd(&elseBlock);
    chosen = otherwise();
    scf::YieldOp::create(ops_, chosen);
  }
  for (Value value : chosen)
    types.push_back(value.getType());
  auto choice = scf::IfOp::create(ops_, types, condition, /*addThenBlock=*/true, /*addElseBlock=*/true);
  choice.elseBlock()->getOperations().splice(choice.elseBlock()->end(), elseBlock.getOperations());
  mlir::OpBuilder::InsertionGuard guard(ops_);
  ops_.setInsertionPointToEnd(choice.thenBlock());
  scf::YieldOp::create(ops_, then());
  return Values(choice.getResults());
}

/// One vector, or one element, of each iteration's terms, added to its sum. Lanes without `mask` add nothing.
Values JamWriter::step(Value place, mlir::ValueRange sums, int64_t lanes, Value mask) {
  Values results;
  for (int64_t u = 0; u < kUnrolled; ++u) {
    VectorBody body(ops_, nest_.dense, lanes);
    Value sum = body.write(maps_[u], place, sums[u]).front();
    results.push_back(mask ? arith::SelectOp::create(ops_, mask, sum, sums[u]).getResult() : sum);
  }
  return results;
}

/// What is left of a size that is no multiple of the vectors: the last vector ends at the size, and counts only the
/// lanes from `whole` on.
Values JamWriter::restOnVector(Values sums, Value whole) {
  Value size = nest_.dense.getUpperBound();
  Value last = arith::SubIOp::create(ops_, size, constant(lanes_));
  mlir::Type integer = ops_.getIntegerType(element_.getIntOrFloatBitWidth());
  auto type = mlir::VectorType::get({lanes_}, integer);
  llvm::SmallVector<mlir::Attribute> numbers;
  for (int64_t lane = 0; lane < lanes_; ++lane)
    numbers.push_back(ops_.getIntegerAttr(integer, lane));
  Value lanes = arith::ConstantOp::create(ops_, mlir::DenseElementsAttr::get(type, numbers));
  Value first = arith::IndexCastOp::create(ops_, integer, arith::SubIOp::create(ops_, whole, last));
  Value isNew =
      arith::CmpIOp::create(ops_, arith::CmpIPredicate::sge, lanes, vector::BroadcastOp::create(ops_, type, first));
  return step(last, sums, lanes_, isNew);
}

/// For sizes below one vector.
Values JamWriter::oneByOne() {
  auto loop =
      scf::ForOp::create(ops_, constant(0), nest_.dense.getUpperBound(), constant(1), zeros(element_, kUnrolled));
  keepLoopAsItIs(loop);
  mlir::OpBuilder::InsertionGuard guard(ops_);
  loop.getBody()->clear();
  ops_.setInsertionPointToEnd(loop.getBody());
  scf::YieldOp::create(ops_, step(loop.getInductionVar(), loop.getRegionIterArgs(), 1, Value()));
  return Values(loop.getResults());
}

/// The four dense sums, of a known number of vectors.
Values JamWriter::knownSums() {
  const int64_t chains = (kRegisters - vectors_) / kUnrolled;
  llvm::SmallVector<Values> sums(chains, zeros(vectorType(), kUnrolled));
  for (int64_t v = 0; v < vectors_; ++v)
    sums[v % chains] = step(constant(v * lanes_), sums[v % chains], lanes_, Value());
  for (int64_t chain = 1; chain < chains; ++chain)
    for (int64_t u = 0; u < kUnrolled; ++u)
      sums[0][u] = arith::AddFOp::create(ops_, sums[0][u], sums[chain][u]);
  return reduceHorizontally(ops_, sums[0]);
}

/// The four dense sums, without what they start from.
Values JamWriter::denseSums() {
  if (vectors_ > 0)
    return knownSums();
  Value size = nest_.dense.getUpperBound();
  Value stride = constant(lanes_ * kVectorSums);
  Value even = arith::SubIOp::create(ops_, size, arith::RemUIOp::create(ops_, size, stride));
  auto loop = scf::ForOp::create(ops_, constant(0), even, stride, zeros(vectorType(), kUnrolled * kVectorSums));
  keepLoopAsItIs(loop);
  loop.getBody()->clear();
  {
    mlir::OpBuilder::InsertionGuard guard(ops_);
    ops_.setInsertionPointToEnd(loop.getBody());
    Values next;
    for (int64_t chain = 0; chain < kVectorSums; ++chain) {
      Value place = arith::AddIOp::create(ops_, loop.getInductionVar(), constant(chain * lanes_));
      llvm::append_range(next,
                         step(place, loop.getRegionIterArgs().slice(chain * kUnrolled, kUnrolled), lanes_, Value()));
    }
    scf::YieldOp::create(ops_, next);
  }
  Values sums;
  for (int64_t u = 0; u < kUnrolled; ++u)
    sums.push_back(arith::AddFOp::create(ops_, loop.getResult(u), loop.getResult(kUnrolled + u)));
  Value one = constant(lanes_);
  const auto isAtLeast = [&](Value a, Value b) -> Value {
    return arith::CmpIOp::create(ops_, arith::CmpIPredicate::sge, a, b);
  };
  Value isMore = isAtLeast(arith::SubIOp::create(ops_, size, even), one);
  Value whole = arith::SelectOp::create(ops_, isMore, arith::AddIOp::create(ops_, even, one), even);
  sums = choose(
      isMore, [&] { return step(even, sums, lanes_, Value()); }, [&] { return sums; });
  Value isVector = isAtLeast(size, one), isOdd = arith::CmpIOp::create(ops_, arith::CmpIPredicate::slt, whole, size);
  Value isMasked = arith::AndIOp::create(ops_, isVector, isOdd);
  sums = choose(
      isMasked, [&] { return restOnVector(sums, whole); }, [&] { return sums; });
  return choose(
      isVector, [&] { return reduceHorizontally(ops_, sums); }, [&] { return oneByOne(); });
}

Values JamWriter::write(Value position, mlir::ValueRange carried) {
  scf::ForOp outer = nest_.outer;
  mlir::Block::iterator dense(nest_.dense);
  for (int64_t u = 0; u < kUnrolled; ++u) {
    Value own = u == 0 ? position : arith::AddIOp::create(ops_, position, constant(u)).getResult();
    maps_[u].map(outer.getInductionVar(), own);
    for (Operation &op : llvm::make_range(outer.getBody()->begin(), dense))
      ops_.clone(op, maps_[u]);
  }
  const Values sums = denseSums();
  Values current(carried);
  for (int64_t u = 0; u < kUnrolled; ++u) {
    mlir::IRMapping &map = maps_[u];
    map.map(outer.getRegionIterArgs(), current);
    Value start = map.lookupOrDefault(nest_.dense.getInitArgs().front());
    map.map(nest_.dense.getResult(0), arith::AddFOp::create(ops_, start, sums[u]));
    for (Operation &op : llvm::make_range(std::next(dense), outer.getBody()->getTerminator()->getIterator()))
      ops_.clone(op, map);
    current.clear();
    for (Value yielded : outer.getBody()->getTerminator()->getOperands())
      current.push_back(map.lookupOrDefault(yielded));
  }
  return current;
}

/// The loop that does four iterations at once, up to `middle`. Returns what it carries.
Values UnrollAndJamReductions::writeLoop(mlir::ImplicitLocOpBuilder &ops, const Nest &nest, Value middle,
                                         int64_t vectors) {
  scf::ForOp outer = nest.outer;
  auto main = scf::ForOp::create(ops, outer.getLowerBound(), middle, arith::ConstantIndexOp::create(ops, kUnrolled),
                                 outer.getInitArgs());
  main.getBody()->clear();
  mlir::OpBuilder::InsertionGuard guard(ops);
  ops.setInsertionPointToEnd(main.getBody());
  JamWriter writer(ops, nest, vectorBytes / nest.elementBytes, vectors);
  scf::YieldOp::create(ops, writer.write(main.getInductionVar(), main.getRegionIterArgs()));
  return Values(main.getResults());
}

void UnrollAndJamReductions::unrollAndJam(const Nest &nest) {
  scf::ForOp outer = nest.outer;
  mlir::OpBuilder builder(outer);
  mlir::ImplicitLocOpBuilder ops(outer.getLoc(), builder);
  Value from = outer.getLowerBound(), to = outer.getUpperBound();
  Value rest = arith::AndIOp::create(ops, arith::SubIOp::create(ops, to, from),
                                     arith::ConstantIndexOp::create(ops, kUnrolled - 1));
  // An end before the start is an empty segment.
  Value middle = arith::MaxSIOp::create(ops, arith::SubIOp::create(ops, to, rest), from);
  llvm::SmallVector<int64_t> sizes;
  for (int64_t vectors : kKnownVectors)
    sizes.push_back(vectors * vectorBytes / nest.elementBytes);
  Value size = scf::ForOp(nest.dense).getUpperBound();
  auto choice = scf::IndexSwitchOp::create(ops, outer.getResultTypes(), size, sizes, sizes.size());
  const auto fill = [&](mlir::Region &region, int64_t vectors) {
    mlir::OpBuilder::InsertionGuard guard(ops);
    ops.createBlock(&region);
    Values results = writeLoop(ops, nest, middle, vectors);
    scf::YieldOp::create(ops, results);
  };
  fill(choice.getDefaultRegion(), 0);
  for (auto [vectors, region] : llvm::zip_equal(kKnownVectors, choice.getCaseRegions()))
    fill(region, vectors);
  outer.setLowerBound(middle);
  outer.getInitArgsMutable().assign(choice.getResults());
}

void UnrollAndJamReductions::runOnOperation() {
  std::vector<Nest> nests;
  getOperation().walk([&](scf::ForOp outer) {
    auto inner = outer.getBody()->getOps<scf::ForOp>();
    if (inner.empty() || !isConstant(outer.getStep(), 1))
      return;
    Nest nest{outer, *inner.begin(), 0};
    // What has a small known size is unrolled as a whole.
    mlir::APInt size;
    const bool isSmall = mlir::matchPattern(nest.dense.getUpperBound(), mlir::m_ConstantInt(&size)) && size.slt(kSmall);
    if (!isSmall && isDenseSum(nest) && isJammable(nest) && carriesAfterwards(nest))
      nests.push_back(nest);
  });
  for (const Nest &nest : nests)
    if (vectorBytes > nest.elementBytes) // else there are no vectors
      unrollAndJam(nest);
}

} // namespace
} // namespace spc::transforms
