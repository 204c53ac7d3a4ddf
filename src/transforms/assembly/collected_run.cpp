#include "transforms/assembly/collected_run.h"

#include "transforms/assembly/ascending.h"
#include "transforms/assembly/identity.h"
#include "transforms/assembly/triangle.h"
#include "transforms/util/affine_sums.h"
#include "transforms/util/body_arguments.h"
#include "transforms/util/carried_values.h"
#include "transforms/util/loop_hints.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

namespace spc::transforms {

namespace arith = mlir::arith;
namespace memref = mlir::memref;
namespace scf = mlir::scf;
using mlir::Value;

namespace {

/// Canonical forms of a sum may be differences, `A[x] - value`.
bool isAddition(mlir::Operation *op) {
  return mlir::isa<arith::AddFOp, arith::AddIOp, arith::OrIOp, mlir::complex::AddOp>(op);
}

/// Follows a sum that loops and branches carry from the element's load to its store.
class CarriedSum {
public:
  void trace(Value value) {
    if (!seen_.insert(value).second)
      return;
    if (const std::optional<Origins> origins = originsOf(value)) {
      for (mlir::OpOperand *place : origins->starts)
        trace(place->get());
      if (origins->next)
        trace(origins->next->get());
    } else if (auto load = value.getDefiningOp<memref::LoadOp>()) {
      start = load;
    } else if (mlir::Operation *op = value.getDefiningOp(); op && !isLoop(op)) {
      additions.push_back(op);
    }
  }

  memref::LoadOp start; ///< of the element, before the first addend
  llvm::SmallVector<mlir::Operation *> additions;

private:
  llvm::SmallPtrSet<Value, 16> seen_;
};

} // namespace

CollectedRun::CollectedRun(mlir::func::FuncOp body, unsigned proxy)
    : body_(body), proxy_(proxy), buffer_(body.getArgument(proxy)), tensor_(dialect::tensorOf(body, proxy)),
      dims_(tensor_.getRun().getDims()), rows_(tensor_.getRun().getRowOrder()),
      element_(mlir::cast<mlir::MemRefType>(buffer_.getType()).getElementType()),
      patternOnly_(dialect::isPatternOnly(body)) {}

ExtentAttr CollectedRun::rowExtent() const {
  return dimExtent(body_, proxy_, static_cast<unsigned>(dims_.front()));
}

mlir::LogicalResult CollectedRun::analyze() {
  if (mlir::failed(findRange()) || mlir::failed(fuseRowLoops(buffer_, first_, last_, laterNests_)) ||
      mlir::failed(checkRows()))
    return mlir::failure();
  hoistInvariants();
  return mlir::success();
}

mlir::LogicalResult CollectedRun::findRange() {
  mlir::Block &top = body_.getBody().front();
  for (mlir::Operation *user : buffer_.getUsers()) {
    if (!mlir::isa<memref::LoadOp, memref::StoreOp>(user))
      return user->emitError("an assembled output is used in an unknown way");
    mlir::Operation *op = top.findAncestorOpInBlock(*user);
    if (!first_ || op->isBeforeInBlock(first_))
      first_ = op;
    if (!last_ || last_->isBeforeInBlock(op))
      last_ = op;
  }
  if (!first_) { // a term that is computed nowhere
    mlir::OpBuilder builder(top.getTerminator());
    first_ = last_ = arith::ConstantIndexOp::create(builder, body_.getLoc(), 0);
  }
  return mlir::success();
}

mlir::LogicalResult CollectedRun::checkRows() {
  for (mlir::Operation *user : buffer_.getUsers()) {
    auto store = mlir::dyn_cast<memref::StoreOp>(user);
    if (!store)
      continue;
    appends_ = appends_ && isAppended(store);
    const Loops loops = loopsAround(store);
    const llvm::SmallVector<Value> coordinates = collected(store.getIndices());
    for (int64_t k = 0; k < rows_; ++k)
      if (k >= static_cast<int64_t>(loops.size()) || loopDefining(coordinates[k]) != loops[k])
        return store.emitError("the outer loops are not over the rows of an assembled output");
  }
  sorts_ = !appends_ && tensor_.getRun().getOnce() && rows_ > 0 && appendsSums();
  if (sorts_)
    keepShortLoops();
  appends_ = appends_ || sorts_;
  return mlir::success();
}

/// Loops inside of those over the entries of a row are over what lists one entry or none for most of them.
void CollectedRun::keepShortLoops() {
  for (mlir::Operation *user : buffer_.getUsers()) {
    const Loops loops = loopsAround(user);
    auto innermost = mlir::dyn_cast<scf::ForOp>(loops.back());
    if (innermost && static_cast<int64_t>(loops.size()) > rows_ + 1)
      keepLoopAsItIs(innermost);
  }
}

/// Whether all stores add to an element: then entries may be appended, and those of one key added up afterwards.
bool CollectedRun::appendsSums() {
  return !tensor_.getIdentity() && llvm::all_of(buffer_.getUsers(), [&](mlir::Operation *user) {
    auto store = mlir::dyn_cast<memref::StoreOp>(user);
    return !store || (updatedLoad(store) && isAddition(store.getValueToStore().getDefiningOp()));
  });
}

/// Operations between the run's loops that later ones use as well stay outside.
void CollectedRun::hoistInvariants() {
  mlir::Block *top = first_->getBlock();
  llvm::SmallVector<mlir::Operation *> invariant;
  for (mlir::Operation *op = first_; op != last_; op = op->getNextNode()) {
    const bool isEarly = llvm::all_of(op->getOperands(), [&](Value operand) {
      mlir::Operation *source = operand.getDefiningOp();
      return !source || source->getBlock() != top || source->isBeforeInBlock(first_) ||
             llvm::is_contained(invariant, source);
    });
    if (isEarly && op->getNumRegions() == 0 && mlir::isMemoryEffectFree(op))
      invariant.push_back(op);
  }
  for (mlir::Operation *op : invariant) {
    if (op == first_)
      first_ = op->getNextNode();
    else
      op->moveBefore(first_);
  }
}

CollectedRun::Loops CollectedRun::loopsAround(mlir::Operation *op) {
  Loops loops;
  for (mlir::Operation *parent = op->getParentOp(); parent && parent != body_.getOperation();
       parent = parent->getParentOp())
    if (isLoop(parent))
      loops.insert(loops.begin(), parent);
  return loops;
}

/// Whether the loops around the store are one for each coordinate, in collecting order: then those of its nest come
/// in order, once. Whether the store is outside of a reduction's loops is MLIR's sparsifier's to decide.
bool CollectedRun::isAppended(memref::StoreOp store) {
  const Loops loops = loopsAround(store);
  const llvm::SmallVector<Value> coordinates = collected(store.getIndices());
  if (loops.size() != coordinates.size())
    return false;
  return llvm::all_of(llvm::zip(loops, coordinates), [](auto pair) {
    const auto [loop, coordinate] = pair;
    return loopDefining(coordinate) == loop && ascends(coordinate, loop);
  });
}

scf::ForOp CollectedRun::rowLoop() {
  return first_ == last_ ? asRowLoop(first_) : scf::ForOp();
}

llvm::SmallVector<Value> CollectedRun::collected(mlir::ValueRange indices) const {
  llvm::SmallVector<Value> coordinates;
  for (int64_t dim : dims_)
    coordinates.push_back(indices[static_cast<size_t>(dim)]);
  return coordinates;
}

/// Row-major over the extents of the dimensions that are not the row.
Value CollectedRun::keyOf(mlir::ImplicitLocOpBuilder &ops, mlir::ValueRange indices) {
  Value key;
  for (int64_t dim : llvm::ArrayRef(dims_).drop_front(static_cast<size_t>(rows_))) {
    const Value coordinate = indices[static_cast<size_t>(dim)];
    if (!key) {
      key = coordinate;
      continue;
    }
    const Value extent = sizeArgument(body_, proxy_, static_cast<unsigned>(dim));
    key = arith::AddIOp::create(ops, arith::MulIOp::create(ops, key, extent), coordinate);
  }
  return key;
}

Value CollectedRun::identity(mlir::ImplicitLocOpBuilder &ops) {
  return identityConstant(ops, element_, tensor_.getIdentity());
}

/// Whether calls in two phases can know the places of the run's keys.
bool CollectedRun::isPlanned() const {
  return tensor_.getRun().getPlanned() && !appends_;
}

dialect::RunType CollectedRun::type() {
  const int64_t keyBits = tensor_.getRun().getKeyBits();
  return dialect::RunType::get(body_.getContext(), appends_ ? dialect::RunForm::Append : dialect::RunForm::Workspace,
                               rows_, mlir::IntegerType::get(body_.getContext(), static_cast<unsigned>(keyBits)),
                               patternOnly_ ? mlir::Type() : element_);
}

mlir::LogicalResult CollectedRun::rewrite(Value assembly, Value chunk) {
  mlir::ImplicitLocOpBuilder ops(first_->getLoc(), first_);
  const int64_t number = tensor_.getRun().getNumber();
  auto open = dialect::OpenRunOp::create(ops, assembly, chunk, number, isPlanned(), type());
  run_ = open.getRun(0);
  mlir::Block &nest = open.getNests().front().front();
  nest.getOperations().splice(nest.end(), first_->getBlock()->getOperations(), first_->getIterator(),
                              std::next(last_->getIterator()));
  ops.setInsertionPointToEnd(&nest);
  dialect::CloseRunOp::create(ops);
  return collect();
}

mlir::LogicalResult CollectedRun::collect() {
  llvm::SmallVector<memref::StoreOp> stores;
  for (mlir::Operation *user : buffer_.getUsers())
    if (auto store = mlir::dyn_cast<memref::StoreOp>(user))
      stores.push_back(store);
  endRows(stores);
  if (appends_) {
    joinNests();
    for (const AppendingLoops &loops : findAppendingLoops(stores))
      if (const auto loop = mlir::dyn_cast<scf::ForOp>(loops.first); !loop || !isKeptAsItIs(loop))
        reserve(loops); // else the one entry's own test is less
  }
  const llvm::StringRef triangle = tensor_.getRun().getTriangle();
  for (memref::StoreOp store : stores) {
    memref::LoadOp load = startOf(store);
    if (!load)
      return store.emitError("an assembled output's element is not updated by a sum");
    if (!triangle.empty() && mlir::failed(confineToTriangle(load, store, triangle == "lower")))
      return mlir::failure();
    rewriteStore(load, store);
  }
  return mlir::success();
}

/// What each term appends is in order, and joins what the terms before it have appended.
void CollectedRun::joinNests() {
  for (const RowNest &nest : laterNests_) {
    mlir::ImplicitLocOpBuilder ops(nest.first->getLoc(), nest.first);
    const Value before = dialect::RowLengthOp::create(ops, ops.getIndexType(), run_);
    ops.setInsertionPointAfter(nest.last);
    dialect::JoinRowOp::create(ops, run_, before);
  }
}

/// Rows end after everything that the loop over their last coordinate does for them.
void CollectedRun::endRows(llvm::ArrayRef<memref::StoreOp> stores) {
  llvm::SetVector<mlir::Block *> ended;
  for (memref::StoreOp store : stores) {
    llvm::SmallVector<Value> row = collected(store.getIndices());
    row.resize(static_cast<size_t>(rows_));
    mlir::Block *place = row.empty() ? run_.getParentBlock() : row.back().getParentBlock();
    if (!ended.insert(place))
      continue;
    mlir::ImplicitLocOpBuilder end(store.getLoc(), place->getTerminator());
    if (sorts_)
      dialect::SortRowOp::create(end, run_);
    dialect::EndRowOp::create(end, run_, row);
    if (isPlanned())
      beginRow(store.getLoc(), place, row);
  }
}

/// A row begins where its last coordinate is known.
void CollectedRun::beginRow(mlir::Location location, mlir::Block *place, llvm::ArrayRef<Value> row) {
  mlir::ImplicitLocOpBuilder ops(location, place, place->begin());
  if (mlir::Operation *coordinate = row.empty() ? nullptr : row.back().getDefiningOp())
    ops.setInsertionPointAfter(coordinate);
  dialect::BeginRowOp::create(ops, run_, row, stored(tensor_.getIdentity()));
}

/// Makes room for all that loops may append before they begin. They are skipped where memory runs out.
void CollectedRun::reserve(const AppendingLoops &loops) {
  mlir::ImplicitLocOpBuilder ops(loops.first->getLoc(), loops.first);
  Value most;
  for (const auto &[begin, end] : loops.ranges) {
    const Value length = arith::SubIOp::create(ops, end, begin);
    const Value steps = arith::MaxSIOp::create(ops, length, arith::ConstantIndexOp::create(ops, 0));
    most = most ? arith::AddIOp::create(ops, most, steps).getResult() : steps;
  }
  const Value hasRoom = dialect::ReserveOp::create(ops, ops.getI1Type(), run_, most);
  auto fitting = scf::IfOp::create(ops, hasRoom, /*withElseRegion=*/false);
  mlir::Block *inside = fitting.thenBlock();
  inside->getOperations().splice(inside->getTerminator()->getIterator(), loops.first->getBlock()->getOperations(),
                                 loops.first->getIterator(), std::next(loops.last->getIterator()));
  reserved_.insert(loops.stores.begin(), loops.stores.end());
}

memref::LoadOp CollectedRun::elementLoad(Value value) {
  auto load = value.getDefiningOp<memref::LoadOp>();
  return load && load.getMemRef() == buffer_ ? load : memref::LoadOp();
}

/// The load of the element with which what is stored there begins, or null.
memref::LoadOp CollectedRun::startOf(memref::StoreOp store) {
  if (memref::LoadOp load = updatedLoad(store))
    return load;
  CarriedSum carried;
  carried.trace(store.getValueToStore());
  return carried.start && carried.start.getMemRef() == buffer_ && !carried.additions.empty() ? carried.start
                                                                                             : memref::LoadOp();
}

/// The same where the element is loaded, changed by one operation at most, and stored.
memref::LoadOp CollectedRun::updatedLoad(memref::StoreOp store) {
  memref::LoadOp load = elementLoad(store.getValueToStore());
  mlir::Operation *sum = store.getValueToStore().getDefiningOp();
  if (!load && sum && !isLoop(sum) && sum->getNumOperands() == 2)
    load = elementLoad(sum->getOperand(elementLoad(sum->getOperand(0)) ? 0 : 1));
  return load;
}

void CollectedRun::rewriteStore(memref::LoadOp load, memref::StoreOp store) {
  if (!updatedLoad(store))
    rewriteReduction(load, store);
  else if (appends_)
    append(load, store);
  else
    accumulate(load, store);
}

/// `A[x] = A[x] + value`; or `A[x] = A[x]`, where the value has folded to 0 and makes an entry all the same.
void CollectedRun::append(memref::LoadOp load, memref::StoreOp store) {
  mlir::ImplicitLocOpBuilder ops(store.getLoc(), store);
  mlir::Operation *sum = store.getValueToStore().getDefiningOp();
  const Value key = keyOf(ops, store.getIndices());
  Value value;
  if (sum == load) {
    value = identity(ops);
  } else if (isAddition(sum)) {
    value = sum->getOperand(0).getDefiningOp() == load ? sum->getOperand(1) : sum->getOperand(0);
  } else {
    mlir::ImplicitLocOpBuilder before(load.getLoc(), load);
    load.replaceAllUsesWith(identity(before));
    value = store.getValueToStore();
  }
  dialect::AppendOp::create(ops, run_, key, stored(value), reserved_.contains(store));
  store.erase();
  if (sum != load && sum->use_empty())
    sum->erase();
  load.erase();
}

/// The same with a workspace.
void CollectedRun::accumulate(memref::LoadOp load, memref::StoreOp store) {
  mlir::ImplicitLocOpBuilder before(load.getLoc(), load);
  const Value key = keyOf(before, load.getIndices());
  auto element = dialect::LocateOp::create(before, before.getIndexType(), stored(element_), run_, key,
                                           stored(tensor_.getIdentity()));
  load.replaceAllUsesWith(patternOnly_ ? identity(before) : element.getOld());
  mlir::ImplicitLocOpBuilder after(store.getLoc(), store);
  dialect::AccumulateOp::create(after, run_, key, element.getSlot(), stored(store.getValueToStore()));
  store.erase();
  load.erase();
}

/// A sum over inner loops that starts from A[x] and is stored once: there is an entry where it has an addend.
void CollectedRun::rewriteReduction(memref::LoadOp load, memref::StoreOp store) {
  CarriedSum carried;
  carried.trace(store.getValueToStore());
  mlir::ImplicitLocOpBuilder before(load.getLoc(), load);
  const Value key = keyOf(before, load.getIndices());
  const bool hasStart = !appends_ && !patternOnly_;
  auto sum =
      dialect::OpenSumOp::create(before, dialect::SumType::get(before.getContext()), hasStart ? element_ : mlir::Type(),
                                 run_, key, hasStart ? tensor_.getIdentity() : mlir::Attribute());
  load.replaceAllUsesWith(hasStart ? sum.getStart() : identity(before));
  for (mlir::Operation *addition : carried.additions) {
    mlir::ImplicitLocOpBuilder after(addition->getLoc(), addition->getContext());
    after.setInsertionPointAfter(addition);
    dialect::NoteAddendOp::create(after, sum.getSum());
    if (patternOnly_) // loops would carry the sum along
      addition->getResult(0).replaceAllUsesWith(identity(after));
  }
  mlir::ImplicitLocOpBuilder ops(store.getLoc(), store);
  dialect::CloseSumOp::create(ops, run_, key, sum.getSum(), stored(store.getValueToStore()), reserved_.contains(store));
  store.erase();
  load.erase();
}

} // namespace spc::transforms
