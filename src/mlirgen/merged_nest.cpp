#include "mlirgen/merged_nest.h"

#include "mlirgen/arithmetic.h"
#include "mlirgen/functions.h"
#include "mlirgen/merged_domain.h"
#include "mlirgen/nest_attributes.h"
#include "mlirgen/walked_tensor.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace spc::mlirgen {
namespace {

namespace arith = mlir::arith;
namespace memref = mlir::memref;
namespace scf = mlir::scf;
using mlir::Value;
using sema::LoopId;
using sema::OperandId;

/// Where the loops that are open have come to in a sparse operand.
struct Cursor {
  OperandId operand;
  int levels = 0; ///< that are open
  Value position; ///< of the entry in the innermost one of these; of no meaning where nothing is stored
  Value isStored; ///< an i1: whether the operand has the coordinates of these; null: it does
};
using Cursors = llvm::SmallVector<Cursor>;

/// The positions below a cursor in a level that lists its coordinates.
struct Segment : PositionRange {
  size_t cursor; ///< its number
};

class MergedNest : LoopEmitter {
public:
  MergedNest(const MergedTerm &term, mlir::OpBuilder &builder, mlir::Location location)
      : LoopEmitter(builder, location), term_(term), body_(term.body), coordinates_(body_.term.loops.size()) {}

  Value build(Value target);

private:
  const format::Format &formatOf(OperandId operand) const {
    return body_.kernel.tensors[body_.term.operands[operand].tensor].format;
  }
  bool isOpenedBy(const Cursor &cursor, LoopId loop) const;
  /// The level below a cursor.
  LevelWalk &levelOf(const Cursor &cursor) { return *operands_[cursor.operand.index()].levels[cursor.levels]; }
  bool isListed(const Cursor &cursor) { return !levelOf(cursor).storesAll(); }

  Value emitLoops(LoopId loop, const Cursors &cursors, Value sum);
  Value emitLoop(LoopId loop, const Cursors &cursors, Value sum);
  Value emitWhile(LoopId loop, const Cursors &cursors, llvm::ArrayRef<Segment> segments, Value sum);
  Value emitFor(LoopId loop, const Cursors &cursors, llvm::ArrayRef<Segment> segments, Value sum);
  /// Says which loop `op` is.
  void place(mlir::Operation *op, LoopId loop) {
    dialect::setPlace(op,
                      placeAttribute(body_.statement, body_.term, body_.places[loop.index()], builder_.getContext()));
  }
  Value emitInside(LoopId loop, Cursors cursors, bool isHeld, Value sum);
  Segment segmentOf(const Cursors &cursors, size_t number);
  Values ownCoordinates(const Cursors &cursors, llvm::ArrayRef<Segment> segments, mlir::ValueRange positions);
  Values advanced(const Cursors &cursors, llvm::ArrayRef<Segment> segments);
  void openDense(LoopId loop, const Cursors &before, Cursors &cursors);
  Values indicesOf(const std::vector<sema::Index> &indices);
  Value elementOf(OperandId operand, const Cursors &cursors);
  Value emitBody(const Cursors &cursors, Value sum);
  Value reduced(Value sum, Value value);
  Truth isIn(const Cursors &cursors, llvm::function_ref<Truth(const Cursor &, bool isMissing)> holds);

  const MergedTerm &term_;
  const TermBody &body_;
  llvm::SmallVector<WalkedTensor, 0> operands_;
  Value target_;            ///< its buffer
  Values coordinates_;      ///< by loop that is open
  size_t elementLoops_ = 0; ///< loops up to the last one that the target is indexed by
};

/// Whether a loop is over the cursor's next level.
bool MergedNest::isOpenedBy(const Cursor &cursor, LoopId loop) const {
  const std::vector<sema::Index> &indices = body_.term.operands[cursor.operand].indices;
  return cursor.levels < static_cast<int>(indices.size()) && indices[cursor.levels].terms.front().loop == loop;
}

Value MergedNest::build(Value target) {
  operands_ = walkedOperands(term_, builder_, location_);
  const auto type = mlir::cast<mlir::RankedTensorType>(target.getType());
  target_ = mlir::bufferization::ToBufferOp::create(
      builder_, location_, mlir::MemRefType::get(type.getShape(), type.getElementType()), target);
  Cursors cursors;
  for (OperandId operand : body_.term.operands.ids())
    if (term_.tensors[operand.index()] && !formatOf(operand).isDense())
      cursors.push_back({operand, 0, number(0), {}});
  for (const sema::Index &dim : body_.term.target)
    for (const sema::IndexTerm &part : dim.terms)
      elementLoops_ = std::max(elementLoops_, part.loop.index() + 1);
  emitLoops(LoopId(0), cursors, {});
  return mlir::bufferization::ToTensorOp::create(builder_, location_, type, target_);
}

/// The loops from `loop` on. Where they do not index the target, they carry its element, `sum`, and give it back.
Value MergedNest::emitLoops(LoopId loop, const Cursors &cursors, Value sum) {
  if (loop.index() == elementLoops_ && !sum) {
    const Values indices = indicesOf(body_.term.target);
    const Value element = memref::LoadOp::create(builder_, location_, target_, indices);
    memref::StoreOp::create(builder_, location_, emitLoops(loop, cursors, element), target_, indices);
    return {};
  }
  if (loop.index() == body_.term.loops.size())
    return emitBody(cursors, sum);
  if (body_.places[loop.index()] < 0)
    return emitLoops(LoopId(loop.index() + 1), cursors, sum);
  return emitLoop(loop, cursors, sum);
}

/// Whether the domain has a place, `holds` saying of an operand whether it may store an entry there, or may have none.
/// It may have none as long as not all of its levels are open.
Truth MergedNest::isIn(const Cursors &cursors, llvm::function_ref<Truth(const Cursor &, bool)> holds) {
  const auto ofOperand = [&](OperandId operand, bool isMissing) {
    const Cursor &cursor = *llvm::find_if(cursors, [&](const Cursor &one) { return one.operand == operand; });
    return isMissing && cursor.levels < formatOf(operand).levelCount() ? Truth::yes() : holds(cursor, isMissing);
  };
  return truthOf(*body_.term.domain, ofOperand, builder_, location_);
}

Value MergedNest::emitLoop(LoopId loop, const Cursors &cursors, Value sum) {
  llvm::SmallVector<Segment> segments;
  for (size_t k = 0; k < cursors.size(); ++k)
    if (isOpenedBy(cursors[k], loop) && isListed(cursors[k]))
      segments.push_back(segmentOf(cursors, k));
  const auto isAnyOther = [&](const Cursor &cursor, bool isMissing) {
    return !isMissing && isOpenedBy(cursor, loop) && isListed(cursor) ? Truth::no() : Truth::yes();
  };
  const bool isBounded = isIn(cursors, isAnyOther).isNo();
  return isBounded ? emitWhile(loop, cursors, segments, sum) : emitFor(loop, cursors, segments, sum);
}

Segment MergedNest::segmentOf(const Cursors &cursors, size_t number) {
  const Cursor &cursor = cursors[number];
  const auto ends = [&] {
    const PositionRange range = levelOf(cursor).range(cursor.position);
    return Values{range.begin, range.end};
  };
  const auto none = [&] { return Values{this->number(0), this->number(0)}; };
  const Values range = cursor.isStored ? choose(cursor.isStored, {index(), index()}, ends, none) : ends();
  return {{range[0], range[1]}, number};
}

/// Levels that store every coordinate are where the loop is.
void MergedNest::openDense(LoopId loop, const Cursors &before, Cursors &cursors) {
  for (size_t k = 0; k < cursors.size(); ++k) {
    if (!isOpenedBy(before[k], loop) || isListed(before[k]))
      continue;
    cursors[k].position = levelOf(before[k]).locate(before[k].position, coordinates_[loop.index()]).position;
    ++cursors[k].levels;
  }
}

/// The positions that follow, of the segments' cursors: those that are at the loop's coordinate go on.
MergedNest::Values MergedNest::advanced(const Cursors &cursors, llvm::ArrayRef<Segment> segments) {
  Values next;
  for (const Segment &segment : segments) {
    const Cursor &cursor = cursors[segment.cursor];
    next.push_back(select(cursor.isStored, add(cursor.position, number(1)), cursor.position));
  }
  return next;
}

/// The coordinates at the positions of the segments' cursors; beyond all of them where a segment has come to its end.
MergedNest::Values MergedNest::ownCoordinates(const Cursors &cursors, llvm::ArrayRef<Segment> segments,
                                              mlir::ValueRange positions) {
  Values own;
  for (auto [k, segment] : llvm::enumerate(segments)) {
    const Cursor &cursor = cursors[segment.cursor];
    LevelWalk &level = levelOf(cursor);
    const auto isElsewhere = [&](const Cursor &other, bool isMissing) {
      return !isMissing && other.operand == cursor.operand ? Truth::no() : Truth::yes();
    };
    const Value position = positions[k];
    if (isIn(cursors, isElsewhere).isNo()) { // the loop ends with this segment
      own.push_back(level.coordinate(position));
      continue;
    }
    const Value isLeft = compare(arith::CmpIPredicate::ult, position, segment.end);
    own.push_back(choose(
        isLeft, index(), [&] { return Values{level.coordinate(position)}; }, [&] { return Values{number(-1)}; })[0]);
  }
  return own;
}

/// A loop over the coordinates that the segments list, as long as the domain may have a place there.
Value MergedNest::emitWhile(LoopId loop, const Cursors &cursors, llvm::ArrayRef<Segment> segments, Value sum) {
  Values starts;
  for (const Segment &segment : segments)
    starts.push_back(segment.begin);
  if (sum)
    starts.push_back(sum);
  const llvm::SmallVector<mlir::Type> types(mlir::ValueRange(starts).getTypes());
  const llvm::SmallVector<mlir::Location> places(starts.size(), location_);
  auto merge = scf::WhileOp::create(builder_, location_, types, starts);
  place(merge, loop);
  mlir::OpBuilder::InsertionGuard guard(builder_);
  mlir::Block *before = builder_.createBlock(&merge.getBefore(), {}, types, places);
  const Truth goesOn = isIn(cursors, [&](const Cursor &cursor, bool isMissing) {
    const auto segment = llvm::find_if(segments, [&](const Segment &one) { return &cursors[one.cursor] == &cursor; });
    if (isMissing || segment == segments.end())
      return Truth::yes();
    const Value position = before->getArgument(segment - segments.begin());
    return Truth::of(compare(arith::CmpIPredicate::ult, position, segment->end));
  });
  scf::ConditionOp::create(builder_, location_, goesOn.value, before->getArguments());
  mlir::Block *after = builder_.createBlock(&merge.getAfter(), {}, types, places);
  const mlir::ValueRange positions = after->getArguments();
  const Values own = ownCoordinates(cursors, segments, positions);
  Value least = own.front();
  for (Value other : llvm::drop_begin(own))
    least = select(compare(arith::CmpIPredicate::ult, other, least), other, least);
  coordinates_[loop.index()] = least;
  Cursors inside = cursors;
  for (auto [k, segment] : llvm::enumerate(segments)) {
    Cursor &cursor = inside[segment.cursor];
    cursor.position = positions[k];
    cursor.isStored = compare(arith::CmpIPredicate::eq, own[k], least);
    ++cursor.levels;
  }
  openDense(loop, cursors, inside);
  // Some segment has the coordinate: where any one will do, the domain has the place.
  const bool isHeld = llvm::all_of(segments, [&](const Segment &segment) {
    return isIn(inside,
                [&](const Cursor &cursor, bool isMissing) {
                  const bool isKnown = !cursor.isStored || cursor.operand == inside[segment.cursor].operand;
                  return isKnown && !isMissing ? Truth::yes() : Truth::no();
                })
        .isYes();
  });
  const Value result = emitInside(loop, inside, isHeld, sum ? positions.back() : Value());
  Values next = advanced(inside, segments);
  if (sum)
    next.push_back(result);
  scf::YieldOp::create(builder_, location_, next);
  return sum ? merge.getResults().back() : Value();
}

/// A loop over all coordinates, in which cursors look for theirs.
Value MergedNest::emitFor(LoopId loop, const Cursors &cursors, llvm::ArrayRef<Segment> segments, Value sum) {
  Values starts;
  for (const Segment &segment : segments)
    starts.push_back(segment.begin);
  if (sum)
    starts.push_back(sum);
  auto all = scf::ForOp::create(builder_, location_, number(0), term_.extents[loop.index()], number(1), starts);
  place(all, loop);
  mlir::OpBuilder::InsertionGuard guard(builder_);
  builder_.setInsertionPointToStart(all.getBody());
  coordinates_[loop.index()] = all.getInductionVar();
  Cursors inside = cursors;
  for (auto [k, segment] : llvm::enumerate(segments)) {
    Cursor &cursor = inside[segment.cursor];
    LevelWalk &level = levelOf(cursor);
    cursor.position = all.getRegionIterArg(k);
    const auto isHere = [&] {
      return Values{compare(arith::CmpIPredicate::eq, level.coordinate(cursor.position), coordinates_[loop.index()])};
    };
    cursor.isStored = choose(compare(arith::CmpIPredicate::ult, cursor.position, segment.end), builder_.getI1Type(),
                             isHere, [&] { return Values{truth(false)}; })[0];
    ++cursor.levels;
  }
  openDense(loop, cursors, inside);
  const Value result = emitInside(loop, inside, false, sum ? Value(all.getRegionIterArgs().back()) : Value());
  Values next = advanced(inside, segments);
  if (sum)
    next.push_back(result);
  if (!next.empty())
    scf::YieldOp::create(builder_, location_, next);
  return sum ? all.getResults().back() : Value();
}

/// The body of a loop, which is left out where the domain has no place. `isHeld`: it has one.
Value MergedNest::emitInside(LoopId loop, Cursors cursors, bool isHeld, Value sum) {
  const LoopId next(loop.index() + 1);
  const auto soFar = [&](const Cursor &cursor, bool isMissing) {
    const Truth isStored = cursor.isStored ? Truth::of(cursor.isStored) : Truth::yes();
    return isMissing ? negation(isStored, builder_, location_) : isStored;
  };
  const Truth holds = isHeld ? Truth::yes() : isIn(cursors, soFar);
  if (!holds.value)
    return emitLoops(next, cursors, sum);
  auto branch = scf::IfOp::create(builder_, location_, sum ? mlir::TypeRange(sum.getType()) : mlir::TypeRange(),
                                  holds.value, /*withElseRegion=*/bool(sum));
  mlir::OpBuilder::InsertionGuard guard(builder_);
  if (!sum) {
    builder_.setInsertionPointToStart(branch.thenBlock());
    emitLoops(next, cursors, {});
    return {};
  }
  builder_.setInsertionPointToEnd(branch.thenBlock());
  scf::YieldOp::create(builder_, location_, emitLoops(next, cursors, sum));
  builder_.setInsertionPointToEnd(branch.elseBlock());
  scf::YieldOp::create(builder_, location_, sum);
  return branch.getResult(0);
}

MergedNest::Values MergedNest::indicesOf(const std::vector<sema::Index> &indices) {
  Values result;
  for (const sema::Index &one : indices)
    result.push_back(sumOf(one, [&](LoopId loop) { return coordinates_[loop.index()]; }));
  return result;
}

/// What the term reads of an operand here: its fill where it is missing.
Value MergedNest::elementOf(OperandId operand, const Cursors &cursors) {
  const Value values = operands_[operand.index()].values;
  if (!values)
    return body_.scalars[operand.index()];
  const auto cursor = llvm::find_if(cursors, [&](const Cursor &one) { return one.operand == operand; });
  if (cursor == cursors.end())
    return memref::LoadOp::create(builder_, location_, values, indicesOf(body_.term.operands[operand].indices));
  const auto load = [&] { return Values{memref::LoadOp::create(builder_, location_, values, cursor->position)}; };
  const Value fill = body_.fills[operand.index()];
  if (!cursor->isStored)
    return load()[0];
  return choose(cursor->isStored, fill.getType(), load, [&] { return Values{fill}; })[0];
}

/// The target's element with the term's value taken in.
Value MergedNest::emitBody(const Cursors &cursors, Value sum) {
  Values values, stored(body_.term.operands.size());
  for (OperandId operand : body_.term.operands.ids())
    values.push_back(elementOf(operand, cursors));
  for (const Cursor &cursor : cursors)
    stored[cursor.operand.index()] = cursor.isStored ? cursor.isStored : truth(true);
  TermBody here = body_;
  here.coordinates = coordinates_;
  return reduced(sum, emitTermValue(here, builder_, location_, values, stored));
}

Value MergedNest::reduced(Value sum, Value value) {
  const sema::ValueType type = sema::sumType(body_.kernel, body_.statement);
  if (body_.identity)
    return combine(builder_, location_, body_.statement.reduction, type, sum, value);
  return Arithmetic(builder_, location_, false).add(type, sum, value);
}

} // namespace

Value buildMergedNest(const MergedTerm &term, Value target, mlir::OpBuilder &builder, mlir::Location location) {
  return MergedNest(term, builder, location).build(target);
}

} // namespace spc::mlirgen
