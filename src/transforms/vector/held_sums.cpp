#include "transforms/vector/held_sums.h"

#include "transforms/util/affine_sums.h"
#include "transforms/util/sum_loops.h"
#include "transforms/util/vector_body.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"
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

constexpr size_t kMostHeld = 16;

/// One element, at indices that are known before the reduction.
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

/// Whether `elements` are `count` of one buffer, one after the other.
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

/// Rewrites one reduction.
class SumHolder {
public:
  SumHolder(scf::ForOp reduction, const HoldOptions &options)
      : reduction_(reduction), options_(options), builder_(reduction.getLoc(), reduction) {}

  /// Whether all accesses to what is written are to a few known elements.
  bool findElements();
  /// Requires: findElements().
  void write();

private:
  bool addAccess(Operation *access, Value buffer, mlir::ValueRange indices);
  bool addSum(memref::LoadOp load, size_t number);
  void findLanes();
  Value add(Value sum, Value addend);
  Value zero(mlir::Type type) { return arith::ConstantOp::create(builder_, builder_.getZeroAttr(type)); }
  Value load(const Element &element) { return memref::LoadOp::create(builder_, element.buffer, element.indices); }
  void store(Value value, const Element &element) {
    memref::StoreOp::create(builder_, value, element.buffer, element.indices);
  }
  mlir::VectorType vectorOf(const Element &element) const { return mlir::VectorType::get({lanes_}, element.type()); }
  bool holds(Operation &op) const;
  void writeOperation(Operation &op);
  void writeSum(Operation &op);
  void addToLane(size_t number, Value addend);
  void writeBlock(mlir::Block &from, mlir::Block &to);
  void writeFor(scf::ForOp loop);
  void writeIf(scf::IfOp choice);
  llvm::SmallVector<Value> withHeld(mlir::ValueRange values) const;
  void takeHeld(mlir::ValueRange values);
  void addLanes();
  llvm::SmallVector<Value> pairSums(llvm::ArrayRef<Value> sums, int64_t bit);

  scf::ForOp reduction_;
  HoldOptions options_;
  mlir::ImplicitLocOpBuilder builder_;
  std::vector<Element> elements_;
  llvm::MapVector<Operation *, size_t> accesses_; ///< which element each one is to
  int64_t lanes_ = 1;                             ///< of each element's sum
  /// By the operation that adds: the elements that it adds to, in the order in which it carries them.
  llvm::DenseMap<Operation *, llvm::SmallVector<size_t>> sums_;
  mlir::IRMapping values_;
  llvm::SmallVector<Value> held_; ///< one an element
};

bool SumHolder::addAccess(Operation *access, Value buffer, mlir::ValueRange indices) {
  Element element{buffer, llvm::SmallVector<Value>(indices), {}};
  for (Value index : indices) {
    if (!reduction_.isDefinedOutsideOfLoop(index))
      return false;
    element.places.push_back(affineSum(index));
  }
  size_t found = elements_.size();
  for (auto [number, other] : llvm::enumerate(elements_)) {
    if (other.buffer != buffer)
      continue;
    const Relation to = relation(element, other);
    if (to == Relation::Unknown)
      return false;
    if (to == Relation::Same)
      found = number;
  }
  accesses_[access] = found;
  if (found == elements_.size())
    elements_.push_back(element);
  return elements_.size() <= kMostHeld;
}

bool SumHolder::findElements() {
  llvm::SmallPtrSet<Value, 4> written;
  reduction_.walk([&](memref::StoreOp store) { written.insert(store.getMemRef()); });
  mlir::WalkResult result = reduction_.getBody()->walk([&](Operation *op) {
    bool known = mlir::isa<scf::ForOp, scf::IfOp, scf::YieldOp>(op) || op->getNumRegions() == 0;
    if (auto access = mlir::dyn_cast<memref::LoadOp>(op))
      known = !written.contains(access.getMemRef()) || addAccess(op, access.getMemRef(), access.getIndices());
    if (auto access = mlir::dyn_cast<memref::StoreOp>(op))
      known = addAccess(op, access.getMemRef(), access.getIndices());
    return known ? mlir::WalkResult::advance() : mlir::WalkResult::interrupt();
  });
  return !result.wasInterrupted() && !elements_.empty();
}

/// Whether what is loaded is added to, in the same block, and stored again.
bool SumHolder::addSum(memref::LoadOp load, size_t number) {
  Value loaded = load.getResult();
  if (!loaded.hasOneUse() || !(options_.reassociates || loaded.getType().isInteger()))
    return false;
  Operation *adding = *loaded.getUsers().begin();
  unsigned place = 0;
  auto loop = mlir::dyn_cast<scf::ForOp>(adding);
  if (loop) {
    place = loaded.getUses().begin()->getOperandNumber();
    if (place < loop.getNumControlOperands() || !isSumLoop(loop))
      return false;
    place -= loop.getNumControlOperands();
  } else if (!addsTo(adding, loaded)) {
    return false;
  }
  Value sum = adding->getResult(place);
  auto stored = sum.hasOneUse() ? mlir::dyn_cast<memref::StoreOp>(*sum.getUsers().begin()) : memref::StoreOp();
  auto access = stored ? accesses_.find(stored) : accesses_.end();
  if (access == accesses_.end() || access->second != number || adding->getBlock() != load->getBlock() ||
      stored->getBlock() != load->getBlock())
    return false;
  // Nothing comes between.
  for (auto &[other, element] : accesses_)
    if (element == number && other->getBlock() == load->getBlock() && load->isBeforeInBlock(other) &&
        other->isBeforeInBlock(stored))
      return false;
  sums_[adding].resize(adding->getNumResults(), elements_.size());
  sums_[adding][place] = number;
  return true;
}

/// As many lanes as all loops with more than one can have, where nothing but sums is done with the elements.
void SumHolder::findLanes() {
  size_t loads = 0;
  for (auto &[access, number] : accesses_)
    if (auto load = mlir::dyn_cast<memref::LoadOp>(access)) {
      ++loads;
      if (!addSum(load, number))
        return;
    }
  int64_t lanes = 0;
  for (auto &[adding, elements] : sums_) {
    if (llvm::is_contained(elements, elements_.size()))
      return;
    auto loop = mlir::dyn_cast<scf::ForOp>(adding);
    const int64_t possible = loop ? lanesOf(loop, options_.vectorBytes) : 1;
    if (possible > 1)
      lanes = lanes == 0 ? possible : std::min(lanes, possible);
  }
  if (2 * loads == accesses_.size())
    lanes_ = std::max<int64_t>(lanes, 1);
}

Value SumHolder::add(Value sum, Value addend) {
  return mlir::isa<mlir::FloatType>(mlir::getElementTypeOrSelf(sum.getType()))
             ? arith::AddFOp::create(builder_, sum, addend).getResult()
             : arith::AddIOp::create(builder_, sum, addend).getResult();
}

bool SumHolder::holds(Operation &op) const {
  return llvm::any_of(accesses_, [&](const auto &entry) { return op.isAncestor(entry.first); });
}

void SumHolder::addToLane(size_t number, Value addend) {
  Value lane = vector::ExtractOp::create(builder_, held_[number], int64_t(0));
  held_[number] = vector::InsertOp::create(builder_, add(lane, addend), held_[number], int64_t(0));
}

/// A sum loop: on vectors, or from zero and then onto the first lane.
void SumHolder::writeSum(Operation &op) {
  const llvm::SmallVector<size_t> &numbers = sums_[&op];
  auto loop = mlir::dyn_cast<scf::ForOp>(op);
  if (loop && lanesOf(loop, options_.vectorBytes) > 1) {
    llvm::SmallVector<Value> sums;
    for (size_t number : numbers)
      sums.push_back(held_[number]);
    for (auto [number, sum] : llvm::zip_equal(numbers, writeOnLanes(builder_, loop, lanes_, sums, values_)))
      held_[number] = sum;
    return;
  }
  mlir::IRMapping values(values_);
  for (Value used : op.getOperands())
    if (Operation *load = used.getDefiningOp(); load && accesses_.contains(load))
      values.map(used, zero(used.getType()));
  Operation *clone = builder_.clone(op, values);
  for (auto [place, number] : llvm::enumerate(numbers))
    addToLane(number, clone->getResult(place));
}

void SumHolder::writeOperation(Operation &op) {
  auto access = accesses_.find(&op);
  if (lanes_ > 1 && sums_.contains(&op))
    return writeSum(op);
  if (access != accesses_.end()) {
    if (lanes_ > 1)
      return;
    if (auto stored = mlir::dyn_cast<memref::StoreOp>(op))
      held_[access->second] = values_.lookupOrDefault(stored.getValue());
    else
      values_.map(op.getResult(0), held_[access->second]);
    return;
  }
  if (auto loop = mlir::dyn_cast<scf::ForOp>(op); loop && holds(op))
    return writeFor(loop);
  if (auto choice = mlir::dyn_cast<scf::IfOp>(op); choice && holds(op))
    return writeIf(choice);
  builder_.clone(op, values_);
}

llvm::SmallVector<Value> SumHolder::withHeld(mlir::ValueRange values) const {
  llvm::SmallVector<Value> all;
  for (Value value : values)
    all.push_back(values_.lookupOrDefault(value));
  llvm::append_range(all, held_);
  return all;
}

void SumHolder::takeHeld(mlir::ValueRange values) {
  held_ = llvm::SmallVector<Value>(values.take_back(held_.size()));
}

/// Fills the block `to`, and leaves in held_ what it yields of it.
void SumHolder::writeBlock(mlir::Block &from, mlir::Block &to) {
  mlir::OpBuilder::InsertionGuard guard(builder_);
  builder_.setInsertionPointToEnd(&to);
  for (Operation &op : from.without_terminator())
    writeOperation(op);
  scf::YieldOp::create(builder_, withHeld(from.getTerminator()->getOperands()));
}

void SumHolder::writeFor(scf::ForOp loop) {
  auto clone = scf::ForOp::create(builder_, values_.lookupOrDefault(loop.getLowerBound()),
                                  values_.lookupOrDefault(loop.getUpperBound()),
                                  values_.lookupOrDefault(loop.getStep()), withHeld(loop.getInitArgs()));
  clone->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  clone.getBody()->clear();
  for (auto [before, after] : llvm::zip_first(loop.getBody()->getArguments(), clone.getBody()->getArguments()))
    values_.map(before, after);
  takeHeld(clone.getRegionIterArgs());
  writeBlock(*loop.getBody(), *clone.getBody());
  values_.map(loop.getResults(), clone.getResults().take_front(loop.getNumResults()));
  takeHeld(clone.getResults());
}

void SumHolder::writeIf(scf::IfOp choice) {
  const llvm::SmallVector<Value> before = held_;
  llvm::SmallVector<mlir::Type> types(choice.getResultTypes());
  llvm::append_range(types, mlir::ValueRange(before).getTypes());
  auto clone = scf::IfOp::create(builder_, types, values_.lookupOrDefault(choice.getCondition()), true, true);
  writeBlock(*choice.thenBlock(), *clone.thenBlock());
  held_ = before;
  if (choice.elseBlock()) {
    writeBlock(*choice.elseBlock(), *clone.elseBlock());
  } else {
    mlir::OpBuilder::InsertionGuard guard(builder_);
    builder_.setInsertionPointToEnd(clone.elseBlock());
    scf::YieldOp::create(builder_, before);
  }
  values_.map(choice.getResults(), clone.getResults().take_front(choice.getNumResults()));
  takeHeld(clone.getResults());
}

void SumHolder::write() {
  findLanes();
  for (const Element &element : elements_)
    held_.push_back(lanes_ > 1 ? zero(vectorOf(element)) : load(element));
  writeOperation(*reduction_);
  if (lanes_ > 1)
    addLanes();
  else
    for (auto [value, element] : llvm::zip_equal(held_, elements_))
      store(value, element);
  reduction_.erase();
}

/// Of each pair of vectors one whose lanes with `bit` set belong to the second of the pair, the others to the first.
/// Each lane has what its vector had there, and where `bit` is the other way round.
llvm::SmallVector<Value> SumHolder::pairSums(llvm::ArrayRef<Value> sums, int64_t bit) {
  llvm::SmallVector<int64_t> own, other;
  for (int64_t lane = 0; lane < lanes_; ++lane) {
    const int64_t vector = lane & bit ? lanes_ : 0;
    own.push_back(vector + lane);
    other.push_back(vector + (lane ^ bit));
  }
  llvm::SmallVector<Value> pairs;
  for (size_t first = 0; first < sums.size(); first += 2) {
    Value left = vector::ShuffleOp::create(builder_, sums[first], sums[first + 1], own);
    Value right = vector::ShuffleOp::create(builder_, sums[first], sums[first + 1], other);
    pairs.push_back(add(left, right));
  }
  return pairs;
}

/// Adds the sum of each element's lanes to it; of as many neighbours as there are lanes at once.
void SumHolder::addLanes() {
  for (size_t first = 0; first < elements_.size();) {
    const Element &element = elements_[first];
    llvm::ArrayRef<Element> group = llvm::ArrayRef<Element>(elements_).drop_front(first).take_front(size_t(lanes_));
    if (!areNeighbours(group, size_t(lanes_))) {
      Value sum = vector::ReductionOp::create(builder_, vector::CombiningKind::ADD, held_[first]);
      store(add(load(element), sum), element);
      ++first;
      continue;
    }
    llvm::SmallVector<Value> sums(llvm::ArrayRef<Value>(held_).slice(first, group.size()));
    for (int64_t bit = 1; bit < lanes_; bit *= 2)
      sums = pairSums(sums, bit);
    Value old = vector::LoadOp::create(builder_, vectorOf(element), element.buffer, element.indices);
    vector::StoreOp::create(builder_, add(old, sums.front()), element.buffer, element.indices);
    first += group.size();
  }
}

} // namespace

void holdSums(scf::ForOp reduction, const HoldOptions &options) {
  SumHolder holder(reduction, options);
  if (holder.findElements())
    holder.write();
}

} // namespace spc::transforms
