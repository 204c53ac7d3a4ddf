// Merges of a list with one row of a tie: the column is looked up.
#include "dialect/attributes.h"
#include "transforms/storage/tied_rows.h"
#include "transforms/util/index_chains.h"
#include "transforms/util/intersections.h"
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

class TiedMerge {
public:
  TiedMerge(mlir::func::FuncOp body, const Intersection &merge) : body_(body), merge_(merge) {}

  bool matches();
  /// Requires that the merge matches.
  void rewrite(llvm::SmallVectorImpl<ColumnInside> &inside);

private:
  bool findSegments();
  bool isOnlyCompared();
  Value seek(ImplicitLocOpBuilder &ops, Value column);
  Value narrowed(ImplicitLocOpBuilder &ops, Value column);
  void computeAt(ImplicitLocOpBuilder &ops, Value position, Value column, llvm::MutableArrayRef<ColumnInside> inside);
  scf::IfOp write(ImplicitLocOpBuilder &ops, Value column, llvm::MutableArrayRef<ColumnInside> inside);

  mlir::func::FuncOp body_;
  Intersection merge_;
  MergedSegment list_, tie_;
  TiedRow row_;
};

/// Which of the segments is a row of a tie, and whether the other one is of an ordered list without repeats.
bool TiedMerge::findSegments() {
  const auto tied = [&](const MergedSegment &segment) { return tiedRowOf(body_, segment.begin, segment.end); };
  const unsigned ofTie = tied(merge_.segments[1]) ? 1 : 0;
  const std::optional<TiedRow> row = tied(merge_.segments[ofTie]);
  if (!row || tied(merge_.segments[1 - ofTie]))
    return false;
  row_ = *row;
  tie_ = merge_.segments[ofTie];
  list_ = merge_.segments[1 - ofTie];
  const mlir::BlockArgument tensor = pointedTensor(loadedIndex(list_.begin));
  if (!tensor || tensor != pointedTensor(loadedIndex(list_.end)))
    return false;
  const sparse::SparseTensorType type = sparse::getSparseTensorType(tensor);
  return type.isUniqueLvl(type.getLvlRank() - 1) && type.isOrderedLvl(type.getLvlRank() - 1);
}

/// Whether nothing is read at a position of the tie but its coordinate: what it holds is true.
bool TiedMerge::isOnlyCompared() {
  return llvm::all_of(merge_.positionOf(tie_).getUsers(), [&](mlir::Operation *user) {
    return mlir::isa<arith::AddIOp, arith::SelectOp>(user) || loadedIndex(tie_.coordinate) == user;
  });
}

bool TiedMerge::matches() {
  return findSegments() && isOnlyCompared();
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
  const auto isBelow = [&](ImplicitLocOpBuilder &each, Value coordinate) -> Value {
    return arith::CmpIOp::create(each, arith::CmpIPredicate::ult, coordinate, column);
  };
  const auto [begin, length] = halve(ops, list_, kFew, isBelow);
  const Value end = arith::AddIOp::create(ops, begin, length), step = arith::ConstantIndexOp::create(ops, 1);
  const Value none = arith::ConstantOp::create(ops, ops.getI32IntegerAttr(0));
  const Value narrow = narrowed(ops, column);
  auto counting = scf::ForOp::create(ops, begin, end, step, mlir::ValueRange{none});
  vectoriseWhole(counting, 1);
  if (const dialect::PlaceAttr place = dialect::placeOf(merge_.loop)) {
    dialect::setPlace(begin.getDefiningOp(), place);
    dialect::setPlace(counting, place);
  }
  ImplicitLocOpBuilder each(ops.getLoc(), mlir::OpBuilder::atBlockEnd(counting.getBody()));
  const Value other = coordinateAt(each, list_, counting.getInductionVar());
  const Value isBefore = arith::CmpIOp::create(each, arith::CmpIPredicate::ult, other, narrow);
  const Value one = arith::ExtUIOp::create(each, each.getI32Type(), isBefore);
  scf::YieldOp::create(each, arith::AddIOp::create(each, counting.getRegionIterArg(0), one).getResult());
  const Value count = arith::IndexCastOp::create(ops, ops.getIndexType(), counting.getResult(0));
  return arith::AddIOp::create(ops, begin, count);
}

/// Does what the merge does where both have an entry. `ops` stands at the end of a block. Merges within have been
/// rewritten before: what is in `inside` of theirs becomes its copy.
void TiedMerge::computeAt(ImplicitLocOpBuilder &ops, Value position, Value column,
                          llvm::MutableArrayRef<ColumnInside> inside) {
  mlir::IRMapping known;
  for (auto [passed, begun] : llvm::zip_equal(merge_.loop.getAfterArguments(), merge_.loop.getInits()))
    known.map(passed, begun);
  known.map(merge_.positionOf(list_), position);
  for (const Value coordinate : {merge_.least, list_.coordinate, tie_.coordinate})
    known.map(coordinate, column);
  const llvm::SmallVector<Value> computed = merge_.cloneBoth(ops, known);
  for (auto &[compare, branch] : inside)
    if (mlir::Operation *copy = known.lookupOrNull(compare.getOperation())) {
      compare = mlir::cast<arith::CmpIOp>(copy);
      branch = mlir::cast_or_null<scf::IfOp>(branch ? known.lookupOrNull(branch.getOperation()) : nullptr);
    }
  if (!computed.empty())
    scf::YieldOp::create(ops, computed);
}

/// Looks the column up: the branch where the list has it. `ops` stands where the results of that branch are to be
/// handed on.
scf::IfOp TiedMerge::write(ImplicitLocOpBuilder &ops, Value column, llvm::MutableArrayRef<ColumnInside> inside) {
  const llvm::SmallVector<Value> inits = merge_.carriedInits();
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
    for (auto [result, handedOn] : llvm::zip_equal(merge_.carriedResults(), within.getResults()))
      result.replaceAllUsesWith(handedOn);
  }
  return found;
}

void TiedMerge::rewrite(llvm::SmallVectorImpl<ColumnInside> &inside) {
  ImplicitLocOpBuilder ops(merge_.loop.getLoc(), merge_.loop);
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
  merge_.loop.erase();
}

} // namespace

bool seekTiedColumns(mlir::func::FuncOp body, llvm::SmallVectorImpl<ColumnInside> &inside) {
  llvm::SmallVector<scf::WhileOp> merges;
  body.walk([&](scf::WhileOp merge) { merges.push_back(merge); });
  bool isAny = false;
  for (scf::WhileOp loop : merges) {
    const std::optional<Intersection> merge = intersectionOf(loop);
    if (!merge)
      continue;
    if (TiedMerge tied(body, *merge); tied.matches()) {
      tied.rewrite(inside);
      isAny = true;
    }
  }
  return isAny;
}

} // namespace spc::transforms
