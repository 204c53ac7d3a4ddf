#include "dialect/attributes.h"
#include "transforms/passes.h"
#include "transforms/util/horizontal_reductions.h"
#include "transforms/util/loop_hints.h"
#include "transforms/util/vector_body.h"
#include "transforms/vector/dot_products.h"

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

constexpr int64_t kUnrolled = 4;   ///< iterations jammed: as many sums as one horizontal reduction takes
constexpr int64_t kVectorSums = 2; ///< vector accumulators of each iteration
constexpr int64_t kLeastLanes = 4; ///< of vectors for sizes below a whole one

/// Numbers of vectors that have code of their own: the operand row that all iterations have in common stays in
/// registers beside the accumulators, `kRegisters` together. Of wide vectors, the size that is 2 narrower ones, too.
constexpr int64_t kKnownVectors[] = {2, 4, 8};
constexpr int64_t kKnownWideVectors[] = {1, 2, 4, 8};
constexpr int64_t kWideBytes = 64;
constexpr int64_t kRegisters = 12;
constexpr int64_t kPaired = 8; ///< vectors from which on a rest of two is worth code of its own

class UnrollAndJamReductions : public impl::UnrollAndJamReductionsBase<UnrollAndJamReductions> {
public:
  using UnrollAndJamReductionsBase::UnrollAndJamReductionsBase;
  void runOnOperation() override;

private:
  void unrollAndJam(const DotProducts &nest);
  struct Range {
    Value from, to;
  };
  Values writeLoop(mlir::ImplicitLocOpBuilder &ops, const DotProducts &nest, Range range, mlir::ValueRange inits,
                   int64_t vectors, int64_t iterations);
};

/// Writes several iterations of the outer loop together.
class JamWriter {
public:
  /// The size of the dot products is `vectors` vectors, or any where that is 0, and 4 iterations are written.
  JamWriter(mlir::ImplicitLocOpBuilder &ops, DotProducts nest, int64_t lanes, int64_t vectors, int64_t iterations)
      : ops_(ops), nest_(nest), lanes_(lanes), vectors_(vectors), iterations_(iterations),
        element_(nest.dense.getResultTypes().front()), maps_(iterations),
        tail_(iterations < kUnrolled ? std::vector<Operation *>() : separableTail(nest)) {}

  /// Writes the iterations from `position` on; `carried` are the values that the first of them gets. Returns what the
  /// last one yields.
  Values write(Value position, mlir::ValueRange carried);

private:
  Values denseSums();
  Values knownSums();
  Values pairedSums(Value end);
  Values step(Value place, mlir::ValueRange sums, int64_t lanes, Value mask);
  Values zeros(mlir::Type type, size_t count) {
    return Values(count, arith::ConstantOp::create(ops_, ops_.getZeroAttr(type)));
  }
  Value constant(int64_t number) { return arith::ConstantIndexOp::create(ops_, number); }
  mlir::VectorType vectorOf(int64_t lanes) const { return mlir::VectorType::get({lanes}, element_); }
  Value isAtLeast(Value a, Value b) { return arith::CmpIOp::create(ops_, arith::CmpIPredicate::sge, a, b); }
  Values restOnVector(mlir::ValueRange sums, Value whole, int64_t lanes);
  Values sumsBelow(int64_t lanes);
  Values oneByOne();
  Values packed(const Values &sums);
  void writeHead(Value position);

  /// What `then` or `otherwise` computes, as the condition says.
  template <typename Then, typename Else> Values choose(Value condition, Then then, Else otherwise);

  mlir::ImplicitLocOpBuilder &ops_;
  DotProducts nest_;
  int64_t lanes_, vectors_, iterations_;
  mlir::Type element_;
  llvm::SmallVector<mlir::IRMapping> maps_;
  std::vector<Operation *> tail_; ///< what the iterations do with their sums as one vector; else empty
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

/// Adds one vector, or one element, of each iteration's terms to its accumulator. Lanes without `mask` add nothing.
Values JamWriter::step(Value place, mlir::ValueRange sums, int64_t lanes, Value mask) {
  Values results;
  for (int64_t u = 0; u < iterations_; ++u) {
    VectorBody body(ops_, nest_.dense, lanes);
    Value sum = body.write(maps_[u], place, sums[u]).front();
    results.push_back(mask ? arith::SelectOp::create(ops_, mask, sum, sums[u]).getResult() : sum);
  }
  return results;
}

/// Adds what is left of a size that is no multiple of the vectors: the last vector ends at the size, and only its lanes
/// from `whole` on count.
Values JamWriter::restOnVector(mlir::ValueRange sums, Value whole, int64_t lanes) {
  Value size = nest_.dense.getUpperBound();
  Value last = arith::SubIOp::create(ops_, size, constant(lanes));
  mlir::Type integer = ops_.getIntegerType(element_.getIntOrFloatBitWidth());
  auto type = mlir::VectorType::get({lanes}, integer);
  llvm::SmallVector<mlir::Attribute> numbers;
  for (int64_t lane = 0; lane < lanes; ++lane)
    numbers.push_back(ops_.getIntegerAttr(integer, lane));
  Value all = arith::ConstantOp::create(ops_, mlir::DenseElementsAttr::get(type, numbers));
  Value first = arith::IndexCastOp::create(ops_, integer, arith::SubIOp::create(ops_, whole, last));
  Value isNew =
      arith::CmpIOp::create(ops_, arith::CmpIPredicate::sge, all, vector::BroadcastOp::create(ops_, type, first));
  return step(last, sums, lanes, isNew);
}

/// The four dense sums of a size below `lanes`: on a vector of half as many and a rest, where the size holds one, else
/// on narrower ones, or one by one.
Values JamWriter::sumsBelow(int64_t lanes) {
  const int64_t half = lanes / 2;
  if (half < kLeastLanes)
    return oneByOne();
  Value size = nest_.dense.getUpperBound(), whole = constant(half);
  const auto onHalf = [&] {
    Values sums = step(constant(0), zeros(vectorOf(half), iterations_), half, Value());
    Value isMore = arith::CmpIOp::create(ops_, arith::CmpIPredicate::sgt, size, whole);
    sums = choose(isMore, [&] { return restOnVector(sums, whole, half); }, [&] { return sums; });
    return packed(reduceHorizontally(ops_, sums));
  };
  return choose(isAtLeast(size, whole), onHalf, [&] { return sumsBelow(half); });
}

/// The iterations' sums as one vector, where that is how they go on.
Values JamWriter::packed(const Values &sums) {
  if (tail_.empty())
    return sums;
  return {vector::FromElementsOp::create(ops_, vectorOf(iterations_), sums)};
}

/// The four dense sums of a size that is below any vector.
Values JamWriter::oneByOne() {
  auto loop =
      scf::ForOp::create(ops_, constant(0), nest_.dense.getUpperBound(), constant(1), zeros(element_, kUnrolled));
  keepLoopAsItIs(loop);
  mlir::OpBuilder::InsertionGuard guard(ops_);
  loop.getBody()->clear();
  ops_.setInsertionPointToEnd(loop.getBody());
  scf::YieldOp::create(ops_, step(loop.getInductionVar(), loop.getRegionIterArgs(), 1, Value()));
  ops_.setInsertionPointAfter(loop);
  return packed(Values(loop.getResults()));
}

/// The dense sums, of a known number of vectors.
Values JamWriter::knownSums() {
  // LLVM makes one chain of an iteration's own ones.
  const int64_t chains = iterations_ > 1 ? std::min((kRegisters - vectors_) / iterations_, vectors_) : 1;
  llvm::SmallVector<Values> sums(chains, zeros(vectorOf(lanes_), iterations_));
  for (int64_t v = 0; v < vectors_; ++v)
    sums[v % chains] = step(constant(v * lanes_), sums[v % chains], lanes_, Value());
  for (int64_t chain = 1; chain < chains; ++chain)
    for (int64_t u = 0; u < iterations_; ++u)
      sums[0][u] = arith::AddFOp::create(ops_, sums[0][u], sums[chain][u]);
  return packed(reduceHorizontally(ops_, sums[0]));
}

/// The dense sums of whole pairs of vectors, up to `end`.
Values JamWriter::pairedSums(Value end) {
  auto loop = scf::ForOp::create(ops_, constant(0), end, constant(lanes_ * kVectorSums),
                                 zeros(vectorOf(lanes_), kUnrolled * kVectorSums));
  keepLoopAsItIs(loop);
  loop.getBody()->clear();
  {
    mlir::OpBuilder::InsertionGuard guard(ops_);
    ops_.setInsertionPointToEnd(loop.getBody());
    Values next;
    for (int64_t chain = 0; chain < kVectorSums; ++chain) {
      Value place = arith::AddIOp::create(ops_, loop.getInductionVar(), constant(chain * lanes_));
      mlir::ValueRange sums = loop.getRegionIterArgs().slice(chain * kUnrolled, kUnrolled);
      llvm::append_range(next, step(place, sums, lanes_, Value()));
    }
    scf::YieldOp::create(ops_, next);
  }
  Values sums;
  for (int64_t u = 0; u < kUnrolled; ++u)
    sums.push_back(arith::AddFOp::create(ops_, loop.getResult(u), loop.getResult(kUnrolled + u)));
  return sums;
}

/// The four dense sums, without what they start from: pairs of vectors, one more vector, and a rest on a vector that
/// ends at the size; or on narrower vectors, where the size is below one.
Values JamWriter::denseSums() {
  if (vectors_ > 0)
    return knownSums();
  Value size = nest_.dense.getUpperBound(), one = constant(lanes_);
  Value even = arith::SubIOp::create(ops_, size, arith::RemUIOp::create(ops_, size, constant(lanes_ * kVectorSums)));
  Values sums = pairedSums(even);
  Value isMore = isAtLeast(arith::SubIOp::create(ops_, size, even), one);
  Value whole = arith::SelectOp::create(ops_, isMore, arith::AddIOp::create(ops_, even, one), even);
  sums = choose(isMore, [&] { return step(even, sums, lanes_, Value()); }, [&] { return sums; });
  Value isVector = isAtLeast(size, one), isOdd = arith::CmpIOp::create(ops_, arith::CmpIPredicate::slt, whole, size);
  Value isMasked = arith::AndIOp::create(ops_, isVector, isOdd);
  sums = choose(isMasked, [&] { return restOnVector(sums, whole, lanes_); }, [&] { return sums; });
  return choose(isVector, [&] { return packed(reduceHorizontally(ops_, sums)); }, [&] { return sumsBelow(lanes_); });
}

/// What comes before the dense loop, for each iteration.
void JamWriter::writeHead(Value position) {
  scf::ForOp outer = nest_.outer;
  for (int64_t u = 0; u < iterations_; ++u) {
    Value own = u == 0 ? position : arith::AddIOp::create(ops_, position, constant(u)).getResult();
    maps_[u].map(outer.getInductionVar(), own);
    for (Operation &op : llvm::make_range(outer.getBody()->begin(), mlir::Block::iterator(nest_.dense)))
      ops_.clone(op, maps_[u]);
  }
}

Values JamWriter::write(Value position, mlir::ValueRange carried) {
  scf::ForOp outer = nest_.outer;
  writeHead(position);
  const Values sums = denseSums();
  Value start = nest_.dense.getInitArgs().front();
  if (!tail_.empty()) {
    VectorBody body(ops_, outer, iterations_);
    mlir::IRMapping known;
    known.map(nest_.dense.getResult(0), arith::AddFOp::create(ops_, body.broadcast(start), sums.front()).getResult());
    body.writeSome(tail_, known, position);
    return {};
  }
  Values current(carried);
  for (int64_t u = 0; u < iterations_; ++u) {
    mlir::IRMapping &map = maps_[u];
    map.map(outer.getRegionIterArgs(), current);
    map.map(nest_.dense.getResult(0), arith::AddFOp::create(ops_, map.lookupOrDefault(start), sums[u]));
    for (Operation &op : llvm::make_range(std::next(mlir::Block::iterator(nest_.dense)),
                                          outer.getBody()->getTerminator()->getIterator()))
      ops_.clone(op, map);
    current.clear();
    for (Value yielded : outer.getBody()->getTerminator()->getOperands())
      current.push_back(map.lookupOrDefault(yielded));
  }
  return current;
}

/// Writes the loop over [from, to) that does `iterations` at once. Returns what it carries.
Values UnrollAndJamReductions::writeLoop(mlir::ImplicitLocOpBuilder &ops, const DotProducts &nest, Range range,
                                         mlir::ValueRange inits, int64_t vectors, int64_t iterations) {
  auto loop = scf::ForOp::create(ops, range.from, range.to, arith::ConstantIndexOp::create(ops, iterations), inits);
  if (iterations > 1)
    dialect::markLeavesRest(loop);
  if (iterations < kUnrolled)
    keepLoopAsItIs(loop);
  loop.getBody()->clear();
  mlir::OpBuilder::InsertionGuard guard(ops);
  ops.setInsertionPointToEnd(loop.getBody());
  JamWriter writer(ops, nest, vectorBytes / nest.elementBytes, vectors, iterations);
  scf::YieldOp::create(ops, writer.write(loop.getInductionVar(), loop.getRegionIterArgs()));
  return Values(loop.getResults());
}

void UnrollAndJamReductions::unrollAndJam(const DotProducts &nest) {
  splitEmptySums(nest);
  scf::ForOp outer = nest.outer;
  mlir::OpBuilder builder(outer);
  mlir::ImplicitLocOpBuilder ops(outer.getLoc(), builder);
  Value from = outer.getLowerBound(), to = outer.getUpperBound();
  Value rest = arith::AndIOp::create(ops, arith::SubIOp::create(ops, to, from),
                                     arith::ConstantIndexOp::create(ops, kUnrolled - 1));
  // A segment may end before it starts: it is empty then.
  Value middle = arith::MaxSIOp::create(ops, arith::SubIOp::create(ops, to, rest), from);
  const auto known = vectorBytes < kWideBytes ? llvm::ArrayRef(kKnownVectors) : llvm::ArrayRef(kKnownWideVectors);
  llvm::SmallVector<int64_t> sizes;
  for (int64_t vectors : known)
    sizes.push_back(vectors * vectorBytes / nest.elementBytes);
  Value size = scf::ForOp(nest.dense).getUpperBound();
  auto choice = scf::IndexSwitchOp::create(ops, outer.getResultTypes(), size, sizes, sizes.size());
  outer.replaceAllUsesWith(choice.getResults());
  const Values inits(outer.getInitArgs());
  for (auto [vectors, region] : llvm::zip_equal(known, choice.getCaseRegions())) {
    ops.createBlock(&region);
    Values results = writeLoop(ops, nest, {from, middle}, inits, vectors, kUnrolled);
    Value last = middle;
    if (vectors >= kPaired) {
      Value odd = arith::AndIOp::create(ops, rest, arith::ConstantIndexOp::create(ops, 1));
      last = arith::SubIOp::create(ops, to, odd);
      results = writeLoop(ops, nest, {middle, last}, results, vectors, 2);
    }
    results = writeLoop(ops, nest, {last, to}, results, vectors, 1);
    scf::YieldOp::create(ops, results);
  }
  ops.createBlock(&choice.getDefaultRegion());
  Values results = writeLoop(ops, nest, {from, middle}, inits, 0, kUnrolled);
  auto yield = scf::YieldOp::create(ops, outer.getResults());
  outer->moveBefore(yield);
  vectoriseWhole(nest.dense, kVectorSums);
  outer.setLowerBound(middle);
  outer.getInitArgsMutable().assign(results);
}

void UnrollAndJamReductions::runOnOperation() {
  std::vector<DotProducts> nests;
  getOperation().walk([&](scf::ForOp outer) {
    if (std::optional<DotProducts> nest = matchDotProducts(outer))
      nests.push_back(*nest);
  });
  for (const DotProducts &nest : nests)
    if (vectorBytes > nest.elementBytes) { // else there are no vectors
      unrollAndJam(nest);
      keepScalarsApart(getOperation());
    }
}

} // namespace
} // namespace spc::transforms
