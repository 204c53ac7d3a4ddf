// Merges of one row with many others: its coordinates are looked up in an array.
#include "dialect/attributes.h"
#include "dialect/dialect.h"
#include "transforms/passes.h"
#include "transforms/util/body_arguments.h"
#include "transforms/util/index_chains.h"
#include "transforms/util/intersections.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"

#include <vector>

namespace spc::transforms {

#define GEN_PASS_DEF_LOOKUPMERGES
#include "transforms/Passes.h.inc"

namespace {

namespace arith = mlir::arith;
namespace LLVM = mlir::LLVM;
namespace memref = mlir::memref;
namespace scf = mlir::scf;
using mlir::ImplicitLocOpBuilder;
using mlir::Value;

constexpr int64_t kFewest = 4;    ///< rows that one is merged with, and entries of that: others are merged as fast
constexpr int64_t kShort = 16;    ///< entries that are looked up though the row that stays may have ended
constexpr size_t kMostArrays = 2; ///< of one loop

/// A merge within a loop that does not change one of its segments.
struct Lookup {
  Intersection merge;
  unsigned kept = 0;  ///< which segment that is
  unsigned array = 0; ///< that tells its positions

  const MergedSegment &keptSegment() const { return merge.segments[kept]; }
  const MergedSegment &otherSegment() const { return merge.segments[1 - kept]; }
};

/// What lookups in one array share.
struct Noted {
  Value array;
  Value place; ///< in memory: the first position that is not written down yet
  Value last;  ///< the segment's last coordinate
};

/// A loop, the merges within it, and a segment for each of their arrays.
struct LookupLoop {
  scf::ForOp loop;
  std::vector<Lookup> lookups;
  std::vector<Lookup> arrays; ///< the first lookup in each
};

bool isDefinedOutside(scf::ForOp loop, Value value) {
  return !loop->isAncestor(value.getParentBlock()->getParentOp());
}

/// Whether an operation computes the same of the same operands, wherever it stands: arithmetic, and loads from the
/// arrays of a structure, which no body writes.
bool isFixed(mlir::Operation *op) {
  auto load = mlir::dyn_cast<memref::LoadOp>(op);
  if (!load)
    return mlir::isPure(op) && op->getNumRegions() == 0;
  const auto body = op->getParentOfType<mlir::func::FuncOp>();
  const BindAttr bind = dialect::bindOf(body, load.getMemRef());
  return bind && (bind.getKind() == BindKind::Pointers || bind.getKind() == BindKind::Indices);
}

/// Whether a value is the same in all iterations.
bool staysIn(scf::ForOp loop, Value value) {
  if (isDefinedOutside(loop, value))
    return true;
  mlir::Operation *op = value.getDefiningOp();
  return op && isFixed(op) && llvm::all_of(op->getOperands(), [&](Value operand) { return staysIn(loop, operand); });
}

bool staysIn(scf::ForOp loop, const MergedSegment &segment) {
  return staysIn(loop, segment.begin) && staysIn(loop, segment.end) &&
         isDefinedOutside(loop, loadedIndex(segment.coordinate).getMemRef());
}

/// Computes a value that stays in `loop` in front of it.
Value hoisted(ImplicitLocOpBuilder &ops, scf::ForOp loop, Value value, mlir::IRMapping &known) {
  if (isDefinedOutside(loop, value))
    return value;
  if (const Value there = known.lookupOrNull(value))
    return there;
  for (const Value operand : value.getDefiningOp()->getOperands())
    hoisted(ops, loop, operand, known);
  return ops.clone(*value.getDefiningOp(), known)->getResult(0);
}

/// Whether two values are equal, as they are computed in the same way.
bool areSame(Value one, Value other) {
  if (one == other)
    return true;
  mlir::Operation *left = one.getDefiningOp(), *right = other.getDefiningOp();
  return left && right && isFixed(left) && left->getName() == right->getName() &&
         left->getAttrDictionary() == right->getAttrDictionary() && left->getNumOperands() == right->getNumOperands() &&
         llvm::all_of(llvm::zip_equal(left->getOperands(), right->getOperands()),
                      [](const auto &pair) { return areSame(std::get<0>(pair), std::get<1>(pair)); });
}

bool areSame(const MergedSegment &one, const MergedSegment &other) {
  return areSame(one.begin, other.begin) && areSame(one.end, other.end) &&
         loadedIndex(one.coordinate).getMemRef() == loadedIndex(other.coordinate).getMemRef();
}

/// The extent of the variable whose coordinates a merge compares; null where they are those of several variables.
ExtentAttr extentOf(scf::WhileOp merge) {
  const dialect::LoopAttr planned = dialect::plannedLoopOf(merge);
  if (!planned || planned.getVariables().size() != 1 || !planned.getExtent() || planned.getExtent().getSymbol().empty())
    return {};
  const auto variable = mlir::dyn_cast<mlir::ArrayAttr>(planned.getVariables()[0]);
  const auto isOne = [&](unsigned place) {
    const auto number = mlir::dyn_cast<mlir::IntegerAttr>(variable[place]);
    return number && number.getInt() == 1;
  };
  return variable && variable.size() == 3 && isOne(1) && isOne(2) ? planned.getExtent() : ExtentAttr();
}

class LookUpMerges : public impl::LookUpMergesBase<LookUpMerges> {
public:
  void runOnOperation() override;

private:
  void collect(scf::WhileOp loop);
  void addTo(LookupLoop &outer, Lookup lookup);
  void rewrite(LookupLoop &outer, llvm::ArrayRef<Value> arrays);
  static Value isWorth(ImplicitLocOpBuilder &ops, const LookupLoop &outer, llvm::ArrayRef<Value> arrays);
  static void noteUpTo(ImplicitLocOpBuilder &ops, const MergedSegment &segment, const Noted &noted, Value coordinate);
  static void forget(ImplicitLocOpBuilder &ops, const MergedSegment &segment, const Noted &noted);
  static Value firstBeyond(ImplicitLocOpBuilder &ops, const MergedSegment &segment, Value last);
  static Value prepare(ImplicitLocOpBuilder &ops, const Lookup &lookup, const Noted &noted);
  static void lookUp(Lookup &lookup, const Noted &noted);

  std::vector<LookupLoop> loops_;
};

/// Adds a merge to the outermost loop that leaves one of its segments as it is.
void LookUpMerges::collect(scf::WhileOp loop) {
  std::optional<Intersection> merge = extentOf(loop) ? intersectionOf(loop) : std::nullopt;
  if (!merge)
    return;
  std::optional<LookupLoop> outermost;
  Lookup lookup{*merge};
  for (auto outer = loop->getParentOfType<scf::ForOp>(); outer; outer = outer->getParentOfType<scf::ForOp>())
    for (unsigned number = 0; number < 2; ++number)
      if (staysIn(outer, merge->segments[number]) && !staysIn(outer, merge->segments[1 - number])) {
        lookup.kept = number;
        outermost = LookupLoop{outer, {}, {}};
      }
  if (!outermost)
    return;
  // A loop within another one of these would be there four times.
  for (LookupLoop &known : loops_) {
    if (known.loop == outermost->loop)
      return addTo(known, lookup);
    if (known.loop->isAncestor(outermost->loop) || outermost->loop->isAncestor(known.loop))
      return;
  }
  addTo(loops_.emplace_back(*outermost), lookup);
}

void LookUpMerges::addTo(LookupLoop &outer, Lookup lookup) {
  const auto same = llvm::find_if(outer.arrays, [&](const Lookup &known) {
    return areSame(known.keptSegment(), lookup.keptSegment()) &&
           extentOf(known.merge.loop) == extentOf(lookup.merge.loop);
  });
  lookup.array = static_cast<unsigned>(same - outer.arrays.begin());
  if (same == outer.arrays.end()) {
    if (outer.arrays.size() == kMostArrays)
      return;
    outer.arrays.push_back(lookup);
  }
  outer.lookups.push_back(lookup);
}

/// Whether there is memory for the arrays, and the segments have entries enough, and rows to look up.
Value LookUpMerges::isWorth(ImplicitLocOpBuilder &ops, const LookupLoop &outer, llvm::ArrayRef<Value> arrays) {
  scf::ForOp loop = outer.loop;
  const auto areEnough = [&](Value begin, Value end) -> Value {
    const Value fewest = arith::ConstantIndexOp::create(ops, kFewest);
    return arith::CmpIOp::create(ops, arith::CmpIPredicate::sge, arith::SubIOp::create(ops, end, begin), fewest);
  };
  Value worth = areEnough(loop.getLowerBound(), loop.getUpperBound());
  for (auto [array, lookup] : llvm::zip_equal(arrays, outer.arrays)) {
    const MergedSegment &segment = lookup.keptSegment();
    const Value null = LLVM::ZeroOp::create(ops, array.getType());
    const Value isThere = LLVM::ICmpOp::create(ops, LLVM::ICmpPredicate::ne, array, null);
    const Value hasEntries = areEnough(segment.begin, segment.end);
    worth = arith::AndIOp::create(ops, worth, arith::AndIOp::create(ops, isThere, hasEntries));
  }
  return worth;
}

Value elementOf(ImplicitLocOpBuilder &ops, Value array, Value coordinate) {
  const Value number = arith::IndexCastOp::create(ops, ops.getI64Type(), coordinate);
  return LLVM::GEPOp::create(ops, array.getType(), ops.getI32Type(), array, mlir::ValueRange{number});
}

/// The index of an array of one element.
Value onlyPlace(ImplicitLocOpBuilder &ops) {
  return arith::ConstantIndexOp::create(ops, 0);
}

/// Writes for each coordinate of the segment up to this one the number of its entry, from 1. A merge with a row that
/// ends there would have come as far: no more is written than was stepped over.
void LookUpMerges::noteUpTo(ImplicitLocOpBuilder &ops, const MergedSegment &segment, const Noted &noted,
                            Value coordinate) {
  const Value one = arith::ConstantIndexOp::create(ops, 1);
  const Value first = memref::LoadOp::create(ops, noted.place, onlyPlace(ops));
  auto loop = scf::WhileOp::create(ops, first.getType(), first);
  mlir::OpBuilder::InsertionGuard guard(ops);
  mlir::Block *test = ops.createBlock(&loop.getBefore(), {}, first.getType(), ops.getLoc());
  const Value isInside = arith::CmpIOp::create(ops, arith::CmpIPredicate::ult, test->getArgument(0), segment.end);
  scf::IfOp inside = branchOn(ops, isInside, arith::ConstantOp::create(ops, ops.getBoolAttr(false)).getResult());
  ImplicitLocOpBuilder there = insideOf(ops, inside);
  const Value here = coordinateAt(there, segment, test->getArgument(0));
  scf::YieldOp::create(there,
                       mlir::ValueRange{arith::CmpIOp::create(there, arith::CmpIPredicate::ule, here, coordinate)});
  scf::ConditionOp::create(ops, inside.getResult(0), test->getArguments());
  mlir::Block *step = ops.createBlock(&loop.getAfter(), {}, first.getType(), ops.getLoc());
  const Value place = step->getArgument(0), next = arith::AddIOp::create(ops, place, one);
  const Value number = arith::SubIOp::create(ops, next, segment.begin);
  LLVM::StoreOp::create(ops, arith::IndexCastOp::create(ops, ops.getI32Type(), number),
                        elementOf(ops, noted.array, coordinateAt(ops, segment, place)));
  scf::YieldOp::create(ops, next);
  ops.setInsertionPointAfter(loop);
  memref::StoreOp::create(ops, loop.getResult(0), noted.place, onlyPlace(ops));
}

/// The first position of a segment whose coordinate is beyond `last`, or the second one, as looking up the first finds
/// nothing then.
Value LookUpMerges::firstBeyond(ImplicitLocOpBuilder &ops, const MergedSegment &segment, Value last) {
  const auto isWithin = [&](ImplicitLocOpBuilder &each, Value coordinate) -> Value {
    return arith::CmpIOp::create(each, arith::CmpIPredicate::ule, coordinate, last);
  };
  const Value place = halve(ops, segment, 1, isWithin).begin;
  return arith::AddIOp::create(ops, place, arith::ConstantIndexOp::create(ops, 1));
}

/// Wipes what was written.
void LookUpMerges::forget(ImplicitLocOpBuilder &ops, const MergedSegment &segment, const Noted &noted) {
  const Value one = arith::ConstantIndexOp::create(ops, 1);
  const Value end = memref::LoadOp::create(ops, noted.place, onlyPlace(ops));
  auto entries = scf::ForOp::create(ops, segment.begin, end, one);
  ImplicitLocOpBuilder each(ops.getLoc(), mlir::OpBuilder::atBlockTerminator(entries.getBody()));
  const Value none = arith::ConstantOp::create(each, each.getI32IntegerAttr(0));
  LLVM::StoreOp::create(each, none,
                        elementOf(each, noted.array, coordinateAt(each, segment, entries.getInductionVar())));
}

/// Writes down what lookups of the other segment may find. Returns where they may end: a merge ends with the segment
/// that does first, too.
Value LookUpMerges::prepare(ImplicitLocOpBuilder &ops, const Lookup &lookup, const Noted &noted) {
  const MergedSegment &kept = lookup.keptSegment(), &other = lookup.otherSegment();
  const Value isAny = arith::CmpIOp::create(ops, arith::CmpIPredicate::ult, other.begin, other.end);
  scf::IfOp some = branchOn(ops, isAny, other.end);
  ImplicitLocOpBuilder ahead = insideOf(ops, some);
  const Value lastPlace = arith::SubIOp::create(ahead, other.end, arith::ConstantIndexOp::create(ahead, 1));
  const Value last = coordinateAt(ahead, other, lastPlace);
  noteUpTo(ahead, kept, noted, last);
  const Value length = arith::SubIOp::create(ahead, other.end, other.begin);
  const Value isLong =
      arith::CmpIOp::create(ahead, arith::CmpIPredicate::ugt, length, arith::ConstantIndexOp::create(ahead, kShort));
  const Value isBeyond = arith::CmpIOp::create(ahead, arith::CmpIPredicate::ugt, last, noted.last);
  scf::IfOp cut = branchOn(ahead, arith::AndIOp::create(ahead, isLong, isBeyond), other.end);
  ImplicitLocOpBuilder cutting = insideOf(ahead, cut);
  scf::YieldOp::create(cutting, firstBeyond(cutting, other, noted.last));
  scf::YieldOp::create(ahead, cut.getResults());
  return some.getResult(0);
}

/// Goes through the other segment alone.
void LookUpMerges::lookUp(Lookup &lookup, const Noted &noted) {
  Intersection &merge = lookup.merge;
  const MergedSegment &kept = lookup.keptSegment(), &other = lookup.otherSegment();
  ImplicitLocOpBuilder ops(merge.loop.getLoc(), merge.loop);
  const Value one = arith::ConstantIndexOp::create(ops, 1), end = prepare(ops, lookup, noted);
  auto entries = scf::ForOp::create(ops, other.begin, end, one, merge.carriedInits());
  if (const dialect::PlaceAttr place = dialect::placeOf(merge.loop))
    dialect::setPlace(entries, place);
  ImplicitLocOpBuilder each(ops.getLoc(), mlir::OpBuilder::atBlockBegin(entries.getBody()));
  const Value coordinate = coordinateAt(each, other, entries.getInductionVar());
  const Value number = LLVM::LoadOp::create(each, each.getI32Type(), elementOf(each, noted.array, coordinate));
  const Value none = arith::ConstantOp::create(each, each.getI32IntegerAttr(0));
  const Value isBoth = arith::CmpIOp::create(each, arith::CmpIPredicate::ne, number, none);
  scf::IfOp branch = branchOn(each, isBoth, entries.getRegionIterArgs());
  if (entries.getNumResults() > 0)
    scf::YieldOp::create(each, branch.getResults());
  ImplicitLocOpBuilder both = insideOf(each, branch);
  const Value behind =
      arith::AddIOp::create(both, kept.begin, arith::IndexCastUIOp::create(both, both.getIndexType(), number));
  mlir::IRMapping known;
  known.map(merge.positionOf(kept),
            arith::SubIOp::create(both, behind, arith::ConstantIndexOp::create(both, 1)).getResult());
  known.map(merge.positionOf(other), entries.getInductionVar());
  for (const Value same : {merge.least, kept.coordinate, other.coordinate})
    known.map(same, coordinate);
  for (auto [result, carried] : llvm::zip_equal(merge.carriedResults(), entries.getRegionIterArgs()))
    known.map(merge.loop.getAfterArguments()[result.getResultNumber()], carried);
  if (const llvm::SmallVector<Value> handedOn = merge.cloneBoth(both, known); !handedOn.empty())
    scf::YieldOp::create(both, handedOn);
  for (auto [result, carried] : llvm::zip_equal(merge.carriedResults(), entries.getResults()))
    result.replaceAllUsesWith(carried);
  merge.loop.erase();
}

/// Has the loop twice: with lookups, and as it was.
void LookUpMerges::rewrite(LookupLoop &outer, llvm::ArrayRef<Value> arrays) {
  scf::ForOp loop = outer.loop;
  ImplicitLocOpBuilder ops(loop.getLoc(), loop);
  mlir::IRMapping known;
  const auto hoist = [&](Lookup &lookup) {
    MergedSegment &segment = lookup.merge.segments[lookup.kept];
    segment.begin = hoisted(ops, loop, segment.begin, known);
    segment.end = hoisted(ops, loop, segment.end, known);
  };
  llvm::for_each(outer.arrays, hoist);
  llvm::for_each(outer.lookups, hoist);
  auto choice = scf::IfOp::create(ops, loop.getResultTypes(), isWorth(ops, outer, arrays), /*addThenBlock=*/true,
                                  /*addElseBlock=*/true);
  loop.replaceAllUsesWith(choice.getResults());
  ImplicitLocOpBuilder merging(loop.getLoc(), mlir::OpBuilder::atBlockEnd(choice.elseBlock()));
  scf::YieldOp::create(merging, merging.clone(*loop)->getResults());
  ImplicitLocOpBuilder looking(loop.getLoc(), mlir::OpBuilder::atBlockEnd(choice.thenBlock()));
  mlir::Block &entry = getOperation().getBody().front();
  ImplicitLocOpBuilder first(loop.getLoc(), mlir::OpBuilder::atBlockBegin(&entry));
  llvm::SmallVector<Noted> noted;
  for (auto [array, lookup] : llvm::zip_equal(arrays, outer.arrays)) {
    const MergedSegment &segment = lookup.keptSegment();
    const Value place = memref::AllocaOp::create(first, mlir::MemRefType::get({1}, first.getIndexType()));
    memref::StoreOp::create(looking, segment.begin, place, onlyPlace(looking));
    const Value end = arith::SubIOp::create(looking, segment.end, arith::ConstantIndexOp::create(looking, 1));
    noted.push_back({array, place, coordinateAt(looking, segment, end)});
  }
  loop->moveBefore(choice.thenBlock(), choice.thenBlock()->end());
  looking.setInsertionPointToEnd(choice.thenBlock());
  for (auto [one, lookup] : llvm::zip_equal(noted, outer.arrays))
    forget(looking, lookup.keptSegment(), one);
  scf::YieldOp::create(looking, loop.getResults());
  for (Lookup &lookup : outer.lookups)
    lookUp(lookup, noted[lookup.array]);
}

void LookUpMerges::runOnOperation() {
  loops_.clear();
  getOperation().walk([&](scf::WhileOp loop) { collect(loop); });
  if (loops_.empty())
    return;
  mlir::Block &body = getOperation().getBody().front();
  const mlir::Type pointer = LLVM::LLVMPointerType::get(&getContext());
  for (LookupLoop &outer : loops_) {
    ImplicitLocOpBuilder first(outer.loop.getLoc(), mlir::OpBuilder::atBlockBegin(&body));
    ImplicitLocOpBuilder last(outer.loop.getLoc(), mlir::OpBuilder::atBlockTerminator(&body));
    llvm::SmallVector<Value> arrays;
    for (const Lookup &lookup : outer.arrays) {
      const BindAttr size = BindAttr::get(extentOf(lookup.merge.loop));
      const Value memory = boundArgument(getOperation(), size.as(BindKind::Positions), pointer);
      arrays.push_back(dialect::TakePositionsOp::create(first, pointer, memory));
      dialect::GivePositionsOp::create(last, memory, arrays.back());
    }
    rewrite(outer, arrays);
  }
}

} // namespace
} // namespace spc::transforms
