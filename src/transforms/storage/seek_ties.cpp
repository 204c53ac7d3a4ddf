// Merges of a list with one row of a tie: the column is looked up.
#include "dialect/attributes.h"
#include "transforms/storage/tied_rows.h"
#include "transforms/util/index_chains.h"
#include "transforms/util/loop_hints.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SparseTensor/IR/SparseTensorType.h"
#include "mlir/IR/IRMapping.h"

namespace spc::transforms {

namespace arith = mlir::arith;
namespace memref = mlir::memref;
namespace scf = mlir::scf;
namespace sparse = mlir::sparse_tensor;
using mlir::ImplicitLocOpBuilder;
using mlir::Value;

namespace {

constexpr int64_t kFew = 32; ///< entries among which counting those before the column is no slower than halving

/// One of the two segments that a merge steps through.
struct Segment {
  unsigned number = 0; ///< of the carried position
  Value begin, end;
  Value coordinate; ///< at the position, in the merge's body
};

class TiedMerge {
public:
  TiedMerge(mlir::func::FuncOp body, scf::WhileOp merge) : body_(body), merge_(merge) {}

  bool matches();
  /// Requires that the merge matches.
  void rewrite(llvm::SmallVectorImpl<ColumnInside> &inside);

private:
  bool findSegments();
  bool findCoordinates(Segment &segment);
  bool findChoice();
  bool handsOn();
  bool isKnown(Value value) const;
  Value passedTo(unsigned number) { return merge_.getAfterArguments()[number]; }
  llvm::SmallVector<Value> carriedInits();
  Value coordinateAt(ImplicitLocOpBuilder &ops, const Segment &segment, Value position);
  Value seek(ImplicitLocOpBuilder &ops, Value column);
  Value narrowed(ImplicitLocOpBuilder &ops, Value column);
  void computeAt(ImplicitLocOpBuilder &ops, Value position, Value column, llvm::MutableArrayRef<ColumnInside> inside);
  scf::IfOp write(ImplicitLocOpBuilder &ops, Value column, llvm::MutableArrayRef<ColumnInside> inside);

  mlir::func::FuncOp body_;
  scf::WhileOp merge_;
  Segment list_, tie_;
  TiedRow row_;
  scf::IfOp choice_; ///< what is done where both have an entry
  Value coordinate_; ///< the less of the two
};

/// `position < end` of both, and every value goes on to the body.
bool TiedMerge::findSegments() {
  scf::ConditionOp condition = merge_.getConditionOp();
  auto both = condition.getCondition().getDefiningOp<arith::AndIOp>();
  if (!both || !llvm::equal(condition.getArgs(), merge_.getBeforeArguments()))
    return false;
  llvm::SmallVector<Segment, 2> segments;
  for (const Value one : both->getOperands()) {
    auto compare = one.getDefiningOp<arith::CmpIOp>();
    const auto position = compare ? mlir::dyn_cast<mlir::BlockArgument>(compare.getLhs()) : mlir::BlockArgument();
    if (!position || compare.getPredicate() != arith::CmpIPredicate::ult ||
        position.getOwner() != merge_.getBeforeBody())
      return false;
    const unsigned number = position.getArgNumber();
    segments.push_back({number, merge_.getInits()[number], compare.getRhs(), {}});
  }
  const auto tied = [&](const Segment &segment) { return tiedRowOf(body_, segment.begin, segment.end); };
  const unsigned ofTie = tied(segments[1]) ? 1 : 0;
  const std::optional<TiedRow> row = tied(segments[ofTie]);
  if (!row || segments[0].number == segments[1].number || tied(segments[1 - ofTie]))
    return false;
  row_ = *row;
  tie_ = segments[ofTie];
  list_ = segments[1 - ofTie];
  const mlir::BlockArgument tensor = pointedTensor(loadedIndex(list_.begin));
  if (!tensor || tensor != pointedTensor(loadedIndex(list_.end)))
    return false;
  const sparse::SparseTensorType type = sparse::getSparseTensorType(tensor);
  return type.isUniqueLvl(type.getLvlRank() - 1) && type.isOrderedLvl(type.getLvlRank() - 1);
}

/// The coordinate that the body loads at a position, of which there is one.
bool TiedMerge::findCoordinates(Segment &segment) {
  for (mlir::Operation *user : passedTo(segment.number).getUsers()) {
    auto load = mlir::dyn_cast<memref::LoadOp>(user);
    if (!load || load->getBlock() != merge_.getAfterBody())
      continue;
    const auto indices = load.getMemRef().getDefiningOp<sparse::ToCoordinatesOp>()
                             ? indexUses(load)
                             : mlir::FailureOr<llvm::SmallVector<Value>>();
    if (mlir::failed(indices) || indices->size() != 1 || segment.coordinate)
      return false;
    segment.coordinate = indices->front();
  }
  return static_cast<bool>(segment.coordinate);
}

/// The branch for where both coordinates are the less of the two.
bool TiedMerge::findChoice() {
  const auto branches = llvm::to_vector(merge_.getAfterBody()->getOps<scf::IfOp>());
  if (branches.size() != 1)
    return false;
  choice_ = branches.front();
  auto both = choice_.getCondition().getDefiningOp<arith::AndIOp>();
  if (!both)
    return false;
  llvm::SmallPtrSet<mlir::Operation *, 1> less;
  llvm::SmallPtrSet<void *, 2> compared;
  for (const Value one : both->getOperands()) {
    auto equal = one.getDefiningOp<arith::CmpIOp>();
    if (!equal || equal.getPredicate() != arith::CmpIPredicate::eq)
      return false;
    compared.insert(equal.getLhs().getAsOpaquePointer());
    coordinate_ = equal.getRhs();
    less.insert(coordinate_.getDefiningOp());
  }
  auto least = coordinate_.getDefiningOp<arith::SelectOp>();
  return least && less.size() == 1 && compared.size() == 2 &&
         compared.contains(list_.coordinate.getAsOpaquePointer()) &&
         compared.contains(tie_.coordinate.getAsOpaquePointer());
}

/// Whether a value of the merge's body is one that is known once the column has been found.
bool TiedMerge::isKnown(Value value) const {
  if (value == coordinate_ || value == list_.coordinate || value == tie_.coordinate)
    return true;
  scf::WhileOp merge = merge_;
  return mlir::isa<mlir::BlockArgument>(value) || !merge->isAncestor(value.getParentBlock()->getParentOp()) ||
         scf::IfOp(choice_)->isAncestor(value.getParentBlock()->getParentOp());
}

/// Whether positions are not used behind the merge, and all else is handed on as the branch says.
bool TiedMerge::handsOn() {
  for (auto [number, yielded] : llvm::enumerate(merge_.getYieldOp().getOperands())) {
    if (number == list_.number || number == tie_.number) {
      auto step = yielded.getDefiningOp<arith::SelectOp>();
      if (!merge_.getResult(number).use_empty() || !step || step.getFalseValue() != passedTo(number))
        return false;
      continue;
    }
    if (yielded.getDefiningOp() != choice_ || !choice_.elseBlock() ||
        choice_.elseBlock()->getTerminator()->getOperand(mlir::cast<mlir::OpResult>(yielded).getResultNumber()) !=
            passedTo(number))
      return false;
  }
  const mlir::WalkResult walked = choice_.getThenRegion().walk([&](mlir::Operation *op) {
    return llvm::all_of(op->getOperands(), [&](Value operand) { return isKnown(operand); })
               ? mlir::WalkResult::advance()
               : mlir::WalkResult::interrupt();
  });
  // What the tie holds is true.
  const auto isOfSteps = [&](mlir::Operation *user) {
    return mlir::isa<arith::AddIOp, arith::SelectOp>(user) || loadedIndex(tie_.coordinate) == user;
  };
  return !walked.wasInterrupted() && llvm::all_of(passedTo(tie_.number).getUsers(), isOfSteps) &&
         (!choice_.elseBlock() || llvm::hasSingleElement(*choice_.elseBlock()));
}

bool TiedMerge::matches() {
  return findSegments() && findCoordinates(list_) && findCoordinates(tie_) && findChoice() && handsOn();
}

/// What the values that the merge carries besides positions begin with, in the order of the branch's results.
llvm::SmallVector<Value> TiedMerge::carriedInits() {
  llvm::SmallVector<Value> inits(choice_.getNumResults());
  for (auto [number, yielded] : llvm::enumerate(merge_.getYieldOp().getOperands()))
    if (yielded.getDefiningOp() == choice_)
      inits[mlir::cast<mlir::OpResult>(yielded).getResultNumber()] = merge_.getInits()[number];
  return inits;
}

Value TiedMerge::coordinateAt(ImplicitLocOpBuilder &ops, const Segment &segment, Value position) {
  llvm::SmallVector<mlir::Operation *> casts;
  mlir::Operation *op = segment.coordinate.getDefiningOp();
  for (; !mlir::isa<memref::LoadOp>(op); op = op->getOperand(0).getDefiningOp())
    casts.push_back(op);
  Value value = memref::LoadOp::create(ops, mlir::cast<memref::LoadOp>(op).getMemRef(), position);
  for (mlir::Operation *cast : llvm::reverse(casts)) {
    mlir::IRMapping operands;
    operands.map(cast->getOperand(0), value);
    value = ops.clone(*cast, operands)->getResult(0);
  }
  return value;
}

/// The column, as far as LLVM sees one that fits the list's integers, which vectors then compare.
Value TiedMerge::narrowed(ImplicitLocOpBuilder &ops, Value column) {
  const mlir::Type listed = loadedIndex(list_.coordinate).getType();
  if (!listed.isInteger(32))
    return column;
  const Value number = arith::IndexCastOp::create(ops, ops.getI64Type(), column);
  const Value narrow = arith::ExtSIOp::create(ops, ops.getI64Type(), arith::TruncIOp::create(ops, listed, number));
  return arith::IndexCastOp::create(ops, ops.getIndexType(), narrow);
}

/// The first position in the segment whose coordinate is not below the column: long ones are halved, and the entries of
/// short ones counted, which takes no branch that processors cannot foresee.
Value TiedMerge::seek(ImplicitLocOpBuilder &ops, Value column) {
  const auto constant = [](ImplicitLocOpBuilder &at, int64_t number) -> Value {
    return arith::ConstantIndexOp::create(at, number);
  };
  const mlir::Type index = ops.getIndexType();
  const Value length = arith::SubIOp::create(ops, list_.end, list_.begin);
  auto halving = scf::WhileOp::create(ops, mlir::TypeRange{index, index}, mlir::ValueRange{list_.begin, length});
  mlir::Block *test = ops.createBlock(&halving.getBefore(), {}, {index, index}, {ops.getLoc(), ops.getLoc()});
  const Value isLong = arith::CmpIOp::create(ops, arith::CmpIPredicate::sgt, test->getArgument(1), constant(ops, kFew));
  scf::ConditionOp::create(ops, isLong, test->getArguments());
  mlir::Block *step = ops.createBlock(&halving.getAfter(), {}, {index, index}, {ops.getLoc(), ops.getLoc()});
  const Value first = step->getArgument(0), left = step->getArgument(1);
  const Value half = arith::ShRUIOp::create(ops, left, constant(ops, 1));
  const Value middle = arith::AddIOp::create(ops, first, half);
  const Value isBelow = arith::CmpIOp::create(ops, arith::CmpIPredicate::ult, coordinateAt(ops, list_, middle), column);
  const Value next = arith::SelectOp::create(ops, isBelow, middle, first);
  scf::YieldOp::create(ops, mlir::ValueRange{next, arith::SubIOp::create(ops, left, half)});
  ops.setInsertionPointAfter(halving);
  const Value begin = halving.getResult(0), end = arith::AddIOp::create(ops, begin, halving.getResult(1));
  const Value none = arith::ConstantOp::create(ops, ops.getI32IntegerAttr(0));
  const Value narrow = narrowed(ops, column);
  auto counting = scf::ForOp::create(ops, begin, end, constant(ops, 1), mlir::ValueRange{none});
  vectoriseWhole(counting, 1);
  if (const dialect::PlaceAttr place = dialect::placeOf(merge_)) {
    dialect::setPlace(halving, place);
    dialect::setPlace(counting, place);
  }
  ImplicitLocOpBuilder each(ops.getLoc(), mlir::OpBuilder::atBlockEnd(counting.getBody()));
  const Value other = coordinateAt(each, list_, counting.getInductionVar());
  const Value isBefore = arith::CmpIOp::create(each, arith::CmpIPredicate::ult, other, narrow);
  const Value one = arith::ExtUIOp::create(each, each.getI32Type(), isBefore);
  scf::YieldOp::create(each, arith::AddIOp::create(each, counting.getRegionIterArg(0), one).getResult());
  return arith::AddIOp::create(ops, begin, arith::IndexCastOp::create(ops, index, counting.getResult(0)));
}

/// Does what the merge does where both have an entry. `ops` stands at the end of a block. Merges within have been
/// rewritten before: what is in `inside` of theirs becomes its copy.
void TiedMerge::computeAt(ImplicitLocOpBuilder &ops, Value position, Value column,
                          llvm::MutableArrayRef<ColumnInside> inside) {
  mlir::IRMapping known;
  for (auto [passed, begun] : llvm::zip_equal(merge_.getAfterArguments(), merge_.getInits()))
    known.map(passed, begun);
  known.map(passedTo(list_.number), position);
  for (const Value coordinate : {coordinate_, list_.coordinate, tie_.coordinate})
    known.map(coordinate, column);
  for (mlir::Operation &op : choice_.thenBlock()->without_terminator())
    ops.clone(op, known);
  for (auto &[compare, branch] : inside)
    if (mlir::Operation *copy = known.lookupOrNull(compare.getOperation())) {
      compare = mlir::cast<arith::CmpIOp>(copy);
      branch = mlir::cast_or_null<scf::IfOp>(branch ? known.lookupOrNull(branch.getOperation()) : nullptr);
    }
  if (choice_.getNumResults() == 0)
    return;
  llvm::SmallVector<Value> computed;
  for (const Value yielded : choice_.thenBlock()->getTerminator()->getOperands())
    computed.push_back(known.lookupOrDefault(yielded));
  scf::YieldOp::create(ops, computed);
}

/// A branch whose other side leaves all as it was.
scf::IfOp branchOn(ImplicitLocOpBuilder &ops, Value condition, llvm::ArrayRef<Value> otherwise) {
  if (otherwise.empty())
    return scf::IfOp::create(ops, condition, /*withElseRegion=*/false);
  auto branch = scf::IfOp::create(ops, mlir::ValueRange(otherwise).getTypes(), condition, /*addThenBlock=*/true,
                                  /*addElseBlock=*/true);
  ImplicitLocOpBuilder other(ops.getLoc(), mlir::OpBuilder::atBlockEnd(branch.elseBlock()));
  scf::YieldOp::create(other, otherwise);
  return branch;
}

ImplicitLocOpBuilder insideOf(ImplicitLocOpBuilder &ops, scf::IfOp branch) {
  mlir::Block *block = branch.thenBlock();
  return {ops.getLoc(), block->mightHaveTerminator() ? mlir::OpBuilder::atBlockTerminator(block)
                                                     : mlir::OpBuilder::atBlockEnd(block)};
}

/// Looks the column up: the branch where the list has it. `ops` stands where the results of that branch are to be
/// handed on.
scf::IfOp TiedMerge::write(ImplicitLocOpBuilder &ops, Value column, llvm::MutableArrayRef<ColumnInside> inside) {
  const llvm::SmallVector<Value> inits = carriedInits();
  const Value position = seek(ops, column);
  const Value isInside = arith::CmpIOp::create(ops, arith::CmpIPredicate::ult, position, list_.end);
  scf::IfOp within = branchOn(ops, isInside, inits);
  ImplicitLocOpBuilder there = insideOf(ops, within);
  const Value isColumn =
      arith::CmpIOp::create(there, arith::CmpIPredicate::eq, coordinateAt(there, list_, position), column);
  scf::IfOp found = branchOn(there, isColumn, inits);
  ImplicitLocOpBuilder both = insideOf(there, found);
  computeAt(both, position, column, inside);
  if (!inits.empty()) {
    scf::YieldOp::create(there, found.getResults());
    for (auto [number, yielded] : llvm::enumerate(merge_.getYieldOp().getOperands()))
      if (yielded.getDefiningOp() == choice_)
        merge_.getResult(number).replaceAllUsesWith(
            within.getResult(mlir::cast<mlir::OpResult>(yielded).getResultNumber()));
  }
  return found;
}

void TiedMerge::rewrite(llvm::SmallVectorImpl<ColumnInside> &inside) {
  ImplicitLocOpBuilder ops(merge_.getLoc(), merge_);
  if (row_.equation.getIsListed()) {
    write(ops, coordinateAt(ops, tie_, row_.place), inside);
  } else {
    Value isPresent;
    const Value column = columnOf(body_, row_, ops, isPresent);
    // Of a row without a column the segment that is looked into is empty.
    if (!row_.equation.getIsTotal())
      list_.end = arith::SelectOp::create(ops, isPresent, list_.end, list_.begin);
    const scf::IfOp branch = write(ops, column, inside);
    inside.push_back({comparisonOf(isPresent), branch});
  }
  merge_.erase();
}

} // namespace

bool seekTiedColumns(mlir::func::FuncOp body, llvm::SmallVectorImpl<ColumnInside> &inside) {
  llvm::SmallVector<scf::WhileOp> merges;
  body.walk([&](scf::WhileOp merge) { merges.push_back(merge); });
  bool isAny = false;
  for (scf::WhileOp merge : merges)
    if (TiedMerge tied(body, merge); tied.matches()) {
      tied.rewrite(inside);
      isAny = true;
    }
  return isAny;
}

} // namespace spc::transforms
