#include "mlirgen/planned_merge.h"

#include "mlirgen/arithmetic.h"
#include "mlirgen/walked_tensor.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace spc::mlirgen {
namespace {

namespace arith = mlir::arith;
namespace memref = mlir::memref;
namespace scf = mlir::scf;
using sema::OperandId;

class PlannedMerge : LoopEmitter {
public:
  PlannedMerge(const MergedTerm &term, mlir::OpBuilder &builder, mlir::Location location)
      : LoopEmitter(builder, location), term_(term), body_(term.body) {}

  void build(Value target, Value masks);

private:
  const format::Format &formatOf(OperandId operand) const {
    return body_.kernel.tensors[body_.term.operands[operand].tensor].format;
  }
  sema::ValueType typeOf(OperandId operand) const {
    return body_.kernel.tensors[body_.term.operands[operand].tensor].type;
  }
  void emitRows(size_t loop, Value row);
  void emitEntries(Value row);
  void emitEntry(Value position, mlir::ValueRange cursors, Values &next);
  Values indicesOf(const std::vector<sema::Index> &indices);

  const MergedTerm &term_;
  const TermBody &body_;
  llvm::SmallVector<WalkedTensor, 0> operands_;
  WalkedTensor target_;
  Value masks_;
  Value unknownZero_;
  llvm::SmallVector<OperandId> sparse_;
  Values coordinates_; ///< by loop that is open
};

void PlannedMerge::build(Value target, Value masks) {
  operands_ = walkedOperands(term_, builder_, location_);
  for (OperandId operand : body_.term.operands.ids())
    if (!operands_[operand.index()].levels.empty())
      sparse_.push_back(operand);
  target_ =
      walkedTensor(target, body_.kernel.tensors[body_.statement.target].format, term_.extents, builder_, location_);
  masks_ = masks;
  const Value first = memref::LoadOp::create(builder_, location_, masks_, number(0));
  unknownZero_ = arith::ExtUIOp::create(builder_, location_, builder_.getI64Type(), first);
  emitRows(0, number(0));
}

/// The loops over dense levels from `loop` on, below position `row` of the one above.
void PlannedMerge::emitRows(size_t loop, Value row) {
  if (loop + 1 == body_.term.loops.size())
    return emitEntries(row);
  auto all = scf::ForOp::create(builder_, location_, number(0), term_.extents[loop], number(1));
  const mlir::OpBuilder::InsertionGuard guard(builder_);
  builder_.setInsertionPointToStart(all.getBody());
  coordinates_.push_back(all.getInductionVar());
  emitRows(loop + 1, target_.levels[loop]->locate(row, all.getInductionVar()).position);
  coordinates_.pop_back();
}

/// The loop over a row's entries, which carries where each sparse operand has its next one.
void PlannedMerge::emitEntries(Value row) {
  const PositionRange range = target_.levels.back()->range(row);
  Values starts;
  for (OperandId operand : sparse_)
    starts.push_back(operands_[operand.index()].levels.back()->begin(row));
  auto entries = scf::ForOp::create(builder_, location_, range.begin, range.end, number(1), starts);
  const mlir::OpBuilder::InsertionGuard guard(builder_);
  builder_.setInsertionPointToStart(entries.getBody());
  Values next;
  emitEntry(entries.getInductionVar(), entries.getRegionIterArgs(), next);
  scf::YieldOp::create(builder_, location_, next);
}

PlannedMerge::Values PlannedMerge::indicesOf(const std::vector<sema::Index> &indices) {
  Values result;
  for (const sema::Index &index : indices)
    result.push_back(sumOf(index, [&](sema::LoopId loop) { return coordinates_[loop.index()]; }));
  return result;
}

/// An operand that has no entry here reads its first one, which the entry of the kernel sees to, and takes its fill.
void PlannedMerge::emitEntry(Value position, mlir::ValueRange cursors, Values &next) {
  coordinates_.push_back(target_.levels.back()->coordinate(position));
  const Value mask = memref::LoadOp::create(builder_, location_, masks_, add(position, number(1)));
  const mlir::Type byte = mask.getType();
  Values values(body_.term.operands.size()), stored(body_.term.operands.size());
  for (OperandId operand : body_.term.operands.ids()) {
    const Value array = operands_[operand.index()].values;
    if (!array)
      values[operand.index()] = body_.scalars[operand.index()];
    else if (formatOf(operand).isDense())
      values[operand.index()] =
          memref::LoadOp::create(builder_, location_, array, indicesOf(body_.term.operands[operand].indices));
  }
  for (auto [bit, operand] : llvm::enumerate(sparse_)) {
    const Value one = arith::ConstantOp::create(builder_, location_, builder_.getIntegerAttr(byte, int64_t{1} << bit));
    const Value zero = arith::ConstantOp::create(builder_, location_, builder_.getIntegerAttr(byte, 0));
    const Value own = arith::AndIOp::create(builder_, location_, mask, one);
    const Value has = arith::CmpIOp::create(builder_, location_, arith::CmpIPredicate::ne, own, zero);
    const Value at = select(has, cursors[bit], number(0));
    const Value value = memref::LoadOp::create(builder_, location_, operands_[operand.index()].values, at);
    Value fill = body_.fills[operand.index()];
    if (!fill)
      fill = Arithmetic(builder_, location_, false).constant(typeOf(operand), 0);
    // A factor of a term without a domain counts where it is stored, whatever it is elsewhere; an integer may divide.
    const bool isRead = !body_.term.domain && sema::isFloat(typeOf(operand));
    values[operand.index()] = isRead ? value : selectWithoutBranch(builder_, location_, has, value, fill, unknownZero_);
    stored[operand.index()] = has;
    next.push_back(add(cursors[bit], arith::IndexCastUIOp::create(builder_, location_, builder_.getIndexType(), has)));
  }
  TermBody here = body_;
  here.coordinates = coordinates_;
  here.unknownZero = unknownZero_;
  const Value value = emitTermValue(here, builder_, location_, values, stored);
  memref::StoreOp::create(builder_, location_, value, target_.values, position);
  coordinates_.pop_back();
}

} // namespace

void buildPlannedMerge(const MergedTerm &term, Value target, Value masks, mlir::OpBuilder &builder,
                       mlir::Location location) {
  PlannedMerge(term, builder, location).build(target, masks);
}

} // namespace spc::mlirgen
