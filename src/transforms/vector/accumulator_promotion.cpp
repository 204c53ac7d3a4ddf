#include "transforms/vector/accumulator_promotion.h"

#include "transforms/util/access.h"
#include "transforms/util/affine_sums.h"
#include "transforms/util/reductions.h"
#include "transforms/util/region_cloner.h"
#include "transforms/util/sum_loops.h"
#include "transforms/util/vector_body.h"
#include "transforms/util/walks.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/TypeUtilities.h"

namespace spc::transforms {

namespace arith = mlir::arith;
namespace memref = mlir::memref;
namespace scf = mlir::scf;
namespace vector = mlir::vector;
using mlir::Operation;
using mlir::Value;

namespace {

constexpr size_t kMaxAccumulators = 16;

/// An element of memory, at indices that are known before the reduction.
struct Element {
  Value buffer;
  llvm::SmallVector<Value> indices;
  llvm::SmallVector<AffineSum> places;

  mlir::Type type() const { return mlir::cast<mlir::MemRefType>(buffer.getType()).getElementType(); }
};

enum class Relation { Same, Distinct, Unknown };

Relation relation(const Element &a, const Element &b) {
  bool same = true, distinct = false;
  for (auto [left, right] : llvm::zip_equal(a.places, b.places)) {
    const bool comparable = left.terms == right.terms;
    same = same && comparable && left.constant == right.constant;
    distinct = distinct || (comparable && left.constant != right.constant);
  }
  return same ? Relation::Same : distinct ? Relation::Distinct : Relation::Unknown;
}

/// Whether `elements` are `count` elements side by side in one buffer.
bool areNeighbours(llvm::ArrayRef<Element> elements, size_t count) {
  const unsigned last = elements.front().places.size() - 1;
  if (elements.size() != count || unitDimension(elements.front().buffer) != last)
    return false;
  AffineSum place = elements.front().places[last];
  for (const Element &element : elements) {
    llvm::ArrayRef<AffineSum> others(element.places), first(elements.front().places);
    if (element.buffer != elements.front().buffer || element.places[last] != place ||
        others.drop_back() != first.drop_back())
      return false;
    ++place.constant;
  }
  return true;
}

/// Rewrites one reduction. The cloner's state is one accumulator an element, a scalar or a vector.
class AccumulatorPromotion : RegionCloner {
public:
  AccumulatorPromotion(mlir::ImplicitLocOpBuilder &ops, scf::ForOp reduction, const PromotionOptions &options)
      : RegionCloner(ops), ops_(ops), reduction_(reduction), options_(options) {}

  /// Whether all accesses to what is written are to a few known elements.
  bool findElements();
  /// Requires: findElements().
  void write();

private:
  bool addAccess(const Access &access);
  memref::StoreOp nextStore(memref::LoadOp load, size_t number) const;
  bool mayReassociate(mlir::Type type) const { return options_.reassociates || type.isInteger(); }
  bool addSum(memref::LoadOp load, size_t number);
  bool findSums();
  int64_t commonLanes() const;
  Value add(Value sum, Value addend);
  Value zero(mlir::Type type) { return arith::ConstantOp::create(ops_, ops_.getZeroAttr(type)); }
  Value load(const Element &element) { return memref::LoadOp::create(ops_, element.buffer, element.indices); }
  void store(Value value, const Element &element) {
    memref::StoreOp::create(ops_, value, element.buffer, element.indices);
  }
  mlir::VectorType vectorOf(const Element &element) const { return mlir::VectorType::get({lanes_}, element.type()); }
  bool fillsElements(scf::ForOp loop) const;
  scf::ForOp findFill() const;
  Value initial(const Element &element) { return filled_ ? filled_ : load(element); }
  bool hasAccumulator(Operation &op) const;
  void writeOperation(Operation &op) override;
  void writeSum(Operation &op);
  void addToLane(size_t number, Value addend);
  void addLanes();
  llvm::SmallVector<Value> pairSums(llvm::ArrayRef<Value> sums, int64_t bit);

  mlir::ImplicitLocOpBuilder &ops_;
  scf::ForOp reduction_;
  PromotionOptions options_;
  std::vector<Element> elements_;
  llvm::MapVector<Operation *, size_t> accesses_; ///< loads and stores, with the element that each is to
  Value filled_;      ///< what a loop in front of the reduction gives all elements; null where there is none
  int64_t lanes_ = 1; ///< of each accumulator
  /// By the operation that adds: of each of its results, the element that it is the sum of.
  llvm::DenseMap<Operation *, llvm::SmallVector<std::optional<size_t>>> sums_;
};

bool AccumulatorPromotion::addAccess(const Access &access) {
  Element element{access.buffer, llvm::SmallVector<Value>(access.indices), {}};
  for (Value index : access.indices) {
    if (!reduction_.isDefinedOutsideOfLoop(index))
      return false;
    element.places.push_back(affineSum(index));
  }
  size_t found = elements_.size();
  for (auto [number, other] : llvm::enumerate(elements_)) {
    if (other.buffer != access.buffer)
      continue;
    const Relation to = relation(element, other);
    if (to == Relation::Unknown)
      return false;
    if (to == Relation::Same)
      found = number;
  }
  accesses_[access.op] = found;
  if (found == elements_.size())
    elements_.push_back(element);
  return elements_.size() <= kMaxAccumulators;
}

bool AccumulatorPromotion::findElements() {
  llvm::SmallPtrSet<Value, 4> written;
  reduction_.walk([&](memref::StoreOp store) { written.insert(store.getMemRef()); });
  const auto isKnown = [&](Operation *op) {
    if (std::optional<Access> access = accessOf(op); access && written.contains(access->buffer))
      return addAccess(*access);
    return mlir::isa<scf::ForOp, scf::IfOp, scf::YieldOp>(op) || op->getNumRegions() == 0;
  };
  return holdsForAll(reduction_.getBody(), isKnown) && !elements_.empty();
}

/// The next access of an element in the block of `load`, where that is a store.
memref::StoreOp AccumulatorPromotion::nextStore(memref::LoadOp load, size_t number) const {
  for (auto &[access, element] : accesses_)
    if (element == number && access->getBlock() == load->getBlock() && load->isBeforeInBlock(access))
      return mlir::dyn_cast<memref::StoreOp>(access);
  return {};
}

/// The sum that `store` writes, where one operation beside `load` makes it of what that reads: an addition, or a loop
/// that carries nothing but sums. Null else.
mlir::OpResult singleUpdate(memref::LoadOp load, memref::StoreOp store) {
  if (!matchMemorySum(load, store))
    return {};
  auto sum = mlir::cast<mlir::OpResult>(store.getValueToStore());
  Operation *adding = sum.getOwner();
  if (adding->getBlock() != load->getBlock())
    return {};
  auto loop = mlir::dyn_cast<scf::ForOp>(adding);
  const bool isOneStep = loop ? carriesSums(loop) && loop.getInitArgs()[sum.getResultNumber()] == load.getResult()
                              : matchAddition(adding, load).has_value();
  return isOneStep ? sum : mlir::OpResult();
}

/// Notes what is added to an element between a load and the next store of it, where that is a single update.
bool AccumulatorPromotion::addSum(memref::LoadOp load, size_t number) {
  memref::StoreOp store = nextStore(load, number);
  if (!store || !mayReassociate(load.getType()))
    return false;
  mlir::OpResult sum = singleUpdate(load, store);
  if (!sum)
    return false;
  auto &results = sums_[sum.getOwner()];
  results.resize(sum.getOwner()->getNumResults());
  results[sum.getResultNumber()] = number;
  return true;
}

/// Whether single updates are all that happens to the elements, and the operations that make them do nothing else.
bool AccumulatorPromotion::findSums() {
  size_t loads = 0;
  for (auto &[access, number] : accesses_)
    if (auto load = mlir::dyn_cast<memref::LoadOp>(access)) {
      ++loads;
      if (!addSum(load, number))
        return false;
    }
  const bool isEachStored = 2 * loads == accesses_.size();
  return isEachStored && llvm::all_of(sums_, [](const auto &sum) {
           return llvm::all_of(sum.second, [](std::optional<size_t> element) { return element.has_value(); });
         });
}

/// The most lanes that all loops that add can be done on; loops that have to stay scalar do not count.
int64_t AccumulatorPromotion::commonLanes() const {
  int64_t common = 0;
  for (const auto &sum : sums_) {
    auto loop = mlir::dyn_cast<scf::ForOp>(sum.first);
    const int64_t lanes = loop ? lanesOf(loop, options_.vectorBytes) : 1;
    if (lanes > 1)
      common = common == 0 ? lanes : std::min(common, lanes);
  }
  return std::max<int64_t>(common, 1);
}

Value AccumulatorPromotion::add(Value sum, Value addend) {
  return mlir::isa<mlir::FloatType>(mlir::getElementTypeOrSelf(sum.getType()))
             ? arith::AddFOp::create(ops_, sum, addend).getResult()
             : arith::AddIOp::create(ops_, sum, addend).getResult();
}

bool AccumulatorPromotion::hasAccumulator(Operation &op) const {
  return llvm::any_of(accesses_, [&](const auto &entry) { return op.isAncestor(entry.first); });
}

void AccumulatorPromotion::addToLane(size_t number, Value addend) {
  Value lane = vector::ExtractOp::create(ops_, state_[number], int64_t(0));
  state_[number] = vector::InsertOp::create(ops_, add(lane, addend), state_[number], int64_t(0));
}

/// Writes an update: a loop on vectors adds to all lanes, anything else adds its sum to the first lane.
void AccumulatorPromotion::writeSum(Operation &op) {
  const auto &numbers = sums_[&op];
  auto loop = mlir::dyn_cast<scf::ForOp>(op);
  if (loop && lanesOf(loop, options_.vectorBytes) > 1) {
    llvm::SmallVector<Value> sums;
    for (std::optional<size_t> number : numbers)
      sums.push_back(state_[*number]);
    for (auto [number, sum] : llvm::zip_equal(numbers, writeOnLanes(ops_, loop, lanes_, sums, copies_.front())))
      state_[*number] = sum;
    return;
  }
  mlir::IRMapping values(copies_.front());
  for (Value used : op.getOperands())
    if (Operation *load = used.getDefiningOp(); load && accesses_.contains(load))
      values.map(used, zero(used.getType()));
  Operation *clone = ops_.clone(op, values);
  for (auto [place, number] : llvm::enumerate(numbers))
    addToLane(*number, clone->getResult(place));
}

void AccumulatorPromotion::writeOperation(Operation &op) {
  auto access = accesses_.find(&op);
  if (lanes_ > 1 && sums_.contains(&op))
    return writeSum(op);
  if (access != accesses_.end()) {
    if (lanes_ > 1)
      return;
    if (auto stored = mlir::dyn_cast<memref::StoreOp>(op))
      state_[access->second] = lookup(stored.getValue());
    else
      copies_.front().map(op.getResult(0), state_[access->second]);
    return;
  }
  if (auto loop = mlir::dyn_cast<scf::ForOp>(op); loop && hasAccumulator(op))
    cloneFor(loop);
  else if (auto choice = mlir::dyn_cast<scf::IfOp>(op); choice && hasAccumulator(op))
    cloneIf(choice);
  else
    ops_.clone(op, copies_.front());
}

static memref::StoreOp singleStore(scf::ForOp loop) {
  auto stores = llvm::to_vector(loop.getBody()->getOps<memref::StoreOp>());
  const bool isAlone = stores.size() == 1 && llvm::all_of(loop.getBody()->without_terminator(), [&](Operation &op) {
                         return &op == stores.front() || mlir::isMemoryEffectFree(&op);
                       });
  return isAlone && loop.getNumResults() == 0 ? stores.front() : memref::StoreOp();
}

/// Whether a loop does nothing but give each element, and no other, the same value.
bool AccumulatorPromotion::fillsElements(scf::ForOp loop) const {
  memref::StoreOp store = singleStore(loop);
  const std::optional<int64_t> begin = mlir::getConstantIntValue(loop.getLowerBound());
  if (!store || !loop.isDefinedOutsideOfLoop(store.getValueToStore()) || begin != 0 ||
      mlir::getConstantIntValue(loop.getUpperBound()) != static_cast<int64_t>(elements_.size()) ||
      !mlir::isConstantIntValue(loop.getStep(), 1))
    return false;
  llvm::SmallVector<AffineSum> places = llvm::map_to_vector(store.getIndices(), affineSum);
  const auto isWritten = [&](int64_t iteration) {
    llvm::SmallVector<AffineSum> at;
    for (const AffineSum &place : places) {
      at.push_back(place.without(loop.getInductionVar()));
      at.back().constant += place.coefficient(loop.getInductionVar()) * iteration;
    }
    return llvm::any_of(
        elements_, [&](const Element &element) { return element.buffer == store.getMemRef() && element.places == at; });
  };
  // Elements are distinct: as many as there are iterations are one each if no two iterations write the same.
  const bool isInjective =
      llvm::any_of(places, [&](const AffineSum &place) { return place.coefficient(loop.getInductionVar()) != 0; });
  return isInjective && llvm::all_of(llvm::seq<int64_t>(0, static_cast<int64_t>(elements_.size())), isWritten);
}

/// The loop in front of the reduction that fills its elements, where nothing that lies between accesses these; or null.
/// Buffers are arguments, which do not alias.
scf::ForOp AccumulatorPromotion::findFill() const {
  for (Operation *op = reduction_->getPrevNode(); op; op = op->getPrevNode()) {
    if (auto loop = mlir::dyn_cast<scf::ForOp>(op); loop && fillsElements(loop))
      return loop;
    auto load = mlir::dyn_cast<memref::LoadOp>(op);
    const bool isOther =
        load && llvm::none_of(elements_, [&](const Element &element) { return element.buffer == load.getMemRef(); });
    if (!isOther && !mlir::isMemoryEffectFree(op))
      break;
  }
  return {};
}

void AccumulatorPromotion::write() {
  lanes_ = findSums() ? commonLanes() : 1;
  if (scf::ForOp fill = findFill()) {
    filled_ = singleStore(fill).getValueToStore();
    fill.erase();
  }
  for (const Element &element : elements_)
    state_.push_back(lanes_ > 1 ? zero(vectorOf(element)) : initial(element));
  writeOperation(*reduction_);
  if (lanes_ > 1)
    addLanes();
  else
    for (auto [value, element] : llvm::zip_equal(state_, elements_))
      store(value, element);
  reduction_.erase();
}

/// One step of a horizontal reduction, for each pair of vectors. In the resulting vector the lanes with `bit` set
/// belong to the second of the pair, the others to the first; each lane is the sum of what its vector had there and at
/// the lane with that bit flipped.
llvm::SmallVector<Value> AccumulatorPromotion::pairSums(llvm::ArrayRef<Value> sums, int64_t bit) {
  llvm::SmallVector<int64_t> own, other;
  for (int64_t lane = 0; lane < lanes_; ++lane) {
    const int64_t vector = lane & bit ? lanes_ : 0;
    own.push_back(vector + lane);
    other.push_back(vector + (lane ^ bit));
  }
  llvm::SmallVector<Value> pairs;
  for (size_t first = 0; first < sums.size(); first += 2) {
    Value left = vector::ShuffleOp::create(ops_, sums[first], sums[first + 1], own);
    Value right = vector::ShuffleOp::create(ops_, sums[first], sums[first + 1], other);
    pairs.push_back(add(left, right));
  }
  return pairs;
}

/// Adds the sum of each accumulator's lanes to its element: to as many neighbours as there are lanes at once.
void AccumulatorPromotion::addLanes() {
  for (size_t first = 0; first < elements_.size();) {
    const Element &element = elements_[first];
    llvm::ArrayRef<Element> group = llvm::ArrayRef<Element>(elements_).drop_front(first).take_front(size_t(lanes_));
    if (!areNeighbours(group, size_t(lanes_))) {
      Value sum = vector::ReductionOp::create(ops_, vector::CombiningKind::ADD, state_[first]);
      store(add(initial(element), sum), element);
      ++first;
      continue;
    }
    llvm::SmallVector<Value> sums(llvm::ArrayRef<Value>(state_).slice(first, group.size()));
    for (int64_t bit = 1; bit < lanes_; bit *= 2)
      sums = pairSums(sums, bit);
    const mlir::VectorType type = vectorOf(element);
    Value old = filled_ ? vector::BroadcastOp::create(ops_, type, filled_).getResult()
                        : vector::LoadOp::create(ops_, type, element.buffer, element.indices).getResult();
    vector::StoreOp::create(ops_, add(old, sums.front()), element.buffer, element.indices);
    first += group.size();
  }
}

} // namespace

void promoteAccumulators(scf::ForOp reduction, const PromotionOptions &options) {
  mlir::ImplicitLocOpBuilder ops(reduction.getLoc(), reduction);
  AccumulatorPromotion promotion(ops, reduction, options);
  if (promotion.findElements())
    promotion.write();
}

} // namespace spc::transforms
