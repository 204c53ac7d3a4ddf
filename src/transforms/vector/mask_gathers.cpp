#include "dialect/attributes.h"
#include "transforms/passes.h"
#include "transforms/util/body_arguments.h"
#include "transforms/util/loop_hints.h"
#include "transforms/util/reductions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace spc::transforms {

#define GEN_PASS_DEF_MASKGATHERS
#include "transforms/Passes.h.inc"

namespace {

namespace arith = mlir::arith;
namespace memref = mlir::memref;
namespace scf = mlir::scf;
namespace vector = mlir::vector;
using mlir::Operation;
using mlir::Value;

constexpr int64_t kLanes = 8; ///< of f64 a register's, of f32 half of one's: longer vectors cost short rows more

/// Entries from which a call's branches are more than a processor learns from the calls before it.
constexpr int64_t kManyEntries = int64_t{1} << 17;

/// Entries of a row that pay for a mask whether or not its end is foreseen.
constexpr int64_t kLongSegment = 6;

/// How a value in the body of a loop depends on the iteration.
enum class Kind {
  Uniform,  ///< is the same in all
  Position, ///< the loop's variable, and something that is the same in all
  Varying
};

/// The load that a bound of a loop was cast from; null where it is none.
memref::LoadOp loadOf(Value bound) {
  while (bound.getDefiningOp<arith::IndexCastOp>() || bound.getDefiningOp<arith::IndexCastUIOp>() ||
         bound.getDefiningOp<arith::ExtUIOp>())
    bound = bound.getDefiningOp()->getOperand(0);
  return bound.getDefiningOp<memref::LoadOp>();
}

/// Whether a value counts a loop that begins at `begin`, or a part of such a loop.
bool countsFrom(Value value, Value begin) {
  auto argument = mlir::dyn_cast<mlir::BlockArgument>(value);
  auto loop = argument ? mlir::dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp()) : scf::ForOp();
  return loop && value == loop.getInductionVar() &&
         (loop.getLowerBound() == begin || countsFrom(loop.getLowerBound(), begin));
}

/// The entries of all rows of the body, of its other chunks too, where `loop` is over those of one row; else null.
Value entriesOfRows(mlir::ImplicitLocOpBuilder &ops, scf::ForOp loop) {
  auto body = loop->getParentOfType<mlir::func::FuncOp>();
  const dialect::ChunksAttr chunks = dialect::chunksOf(body);
  memref::LoadOp first = loadOf(loop.getLowerBound()), last = loadOf(loop.getUpperBound());
  if (!chunks || !first || !last || first.getMemRef() != last.getMemRef() || first.getIndices().size() != 1 ||
      !mlir::isa<mlir::BlockArgument>(first.getMemRef()))
    return {};
  const BindAttr items = chunks.getItems();
  Value begin = dialect::argumentWith(body, items.as(BindKind::Begin)), count = dialect::argumentWith(body, items);
  if (!begin || !count || !countsFrom(first.getIndices().front(), begin))
    return {};
  const auto pointer = [&](Value row) -> Value {
    Value loaded = memref::LoadOp::create(ops, first.getMemRef(), mlir::ValueRange(row));
    return loaded.getType().isIndex() ? loaded : arith::IndexCastUIOp::create(ops, ops.getIndexType(), loaded);
  };
  return arith::SubIOp::create(ops, pointer(count), pointer(arith::ConstantIndexOp::create(ops, 0)));
}

/// One loop, and what is known of the values in its body.
class MaskedLoop {
public:
  explicit MaskedLoop(scf::ForOp loop) : loop_(loop) {}

  /// Whether the loop carries sums alone, and gathers, and each of its operations has a form on vectors.
  bool isPossible();

  /// Puts a masked loop in the place of the loop, which is left for short segments where few entries are in all.
  void rewrite();

private:
  bool classify(Operation &op);
  bool classifyLoad(memref::LoadOp load);
  Kind kindOf(Value value) const;
  Value vectorOf(mlir::ImplicitLocOpBuilder &ops, Value value);
  void write(mlir::ImplicitLocOpBuilder &ops, Operation &op, Value mask);
  llvm::SmallVector<Value> writeMasked(mlir::ImplicitLocOpBuilder &ops);
  Value writeLoad(mlir::ImplicitLocOpBuilder &ops, memref::LoadOp load, Value mask);

  scf::ForOp loop_;
  llvm::DenseMap<Value, Kind> kinds_;
  llvm::DenseMap<Value, Value> vectors_; ///< of varying values
  mlir::IRMapping scalars_;              ///< of the other ones
  bool gathers_ = false;
};

bool isLane(mlir::Type type) {
  return type.isIndex() || type.isF32() || type.isF64() || type.isInteger(32) || type.isInteger(64);
}

mlir::VectorType vectorTypeOf(mlir::Type type) {
  return mlir::VectorType::get({kLanes}, type);
}

Kind MaskedLoop::kindOf(Value value) const {
  const auto known = kinds_.find(value);
  return known == kinds_.end() ? Kind::Uniform : known->second;
}

bool MaskedLoop::classifyLoad(memref::LoadOp load) {
  if (load.getIndices().empty() || !loop_.isDefinedOutsideOfLoop(load.getMemRef()) ||
      llvm::any_of(load.getIndices().drop_back(), [&](Value index) { return kindOf(index) != Kind::Uniform; }))
    return false;
  const Kind last = kindOf(load.getIndices().back());
  if (last == Kind::Uniform)
    return true;
  llvm::SmallVector<int64_t> strides;
  int64_t offset = 0;
  if (mlir::failed(load.getMemRefType().getStridesAndOffset(strides, offset)) || strides.back() != 1)
    return false;
  gathers_ = gathers_ || last == Kind::Varying;
  kinds_[load.getResult()] = Kind::Varying;
  return true;
}

/// Notes the kind of an operation's result. False where the operation has no form on vectors.
bool MaskedLoop::classify(Operation &op) {
  if (op.getNumResults() != 1 || op.getNumRegions() != 0)
    return false;
  if (auto load = mlir::dyn_cast<memref::LoadOp>(op))
    return isLane(load.getType()) && classifyLoad(load);
  if (!mlir::isMemoryEffectFree(&op))
    return false;
  Kind kind = Kind::Uniform;
  unsigned positions = 0;
  for (Value operand : op.getOperands()) {
    positions += kindOf(operand) == Kind::Position;
    kind = std::max(kind, kindOf(operand));
  }
  if (kind == Kind::Uniform)
    return true;
  if (positions > 0) { // a sum of one, or of one and what is the same in all iterations
    kinds_[op.getResult(0)] = Kind::Position;
    return kind == Kind::Position && positions == 1 && mlir::isa<arith::AddIOp>(op);
  }
  kinds_[op.getResult(0)] = Kind::Varying;
  return mlir::isa<arith::ArithDialect>(op.getDialect()) && mlir::OpTrait::hasElementwiseMappableTraits(&op) &&
         isLane(op.getResult(0).getType()) && llvm::all_of(op.getOperandTypes(), isLane);
}

bool MaskedLoop::isPossible() {
  if (!mlir::isConstantIntValue(loop_.getStep(), 1) || mlir::isConstantIntValue(loop_.getLowerBound(), 0) ||
      isKeptAsItIs(loop_) || !carriesSums(loop_))
    return false;
  for (unsigned number = 0; number < loop_.getNumResults(); ++number) {
    const std::optional<Addition> sum = matchCarriedSum(loop_, number);
    if (!sum || sum->isSubtracted || !isLane(loop_.getResult(number).getType()) ||
        loop_.getResult(number).getType().isIndex())
      return false;
  }
  for (Value carried : loop_.getRegionIterArgs())
    kinds_[carried] = Kind::Varying;
  kinds_[loop_.getInductionVar()] = Kind::Position;
  return llvm::all_of(loop_.getBody()->without_terminator(), [&](Operation &op) { return classify(op); }) && gathers_;
}

/// All lanes: of a value that is the same in all iterations, copies.
Value MaskedLoop::vectorOf(mlir::ImplicitLocOpBuilder &ops, Value value) {
  if (Value known = vectors_.lookup(value))
    return known;
  return vector::BroadcastOp::create(ops, vectorTypeOf(value.getType()), scalars_.lookupOrDefault(value));
}

/// Lanes that the mask excludes are zero, and read nothing.
Value MaskedLoop::writeLoad(mlir::ImplicitLocOpBuilder &ops, memref::LoadOp load, Value mask) {
  const mlir::VectorType type = vectorTypeOf(load.getType());
  Value none = arith::ConstantOp::create(ops, type, ops.getZeroAttr(type));
  llvm::SmallVector<Value> indices;
  for (Value index : load.getIndices().drop_back())
    indices.push_back(scalars_.lookupOrDefault(index));
  const Value last = load.getIndices().back();
  if (kindOf(last) == Kind::Position) {
    indices.push_back(scalars_.lookupOrDefault(last));
    return vector::MaskedLoadOp::create(ops, type, load.getMemRef(), indices, mask, none);
  }
  indices.push_back(arith::ConstantIndexOp::create(ops, 0));
  return vector::GatherOp::create(ops, type, load.getMemRef(), indices, vectorOf(ops, last), mask, none);
}

void MaskedLoop::write(mlir::ImplicitLocOpBuilder &ops, Operation &op, Value mask) {
  if (kindOf(op.getResult(0)) != Kind::Varying) {
    ops.clone(op, scalars_);
    return;
  }
  if (auto load = mlir::dyn_cast<memref::LoadOp>(op)) {
    vectors_[load.getResult()] = writeLoad(ops, load, mask);
    return;
  }
  llvm::SmallVector<Value> operands;
  for (Value operand : op.getOperands())
    operands.push_back(vectorOf(ops, operand));
  mlir::OpBuilder &builder = ops;
  vectors_[op.getResult(0)] = builder
                                  .create(op.getLoc(), op.getName().getIdentifier(), operands,
                                          vectorTypeOf(op.getResult(0).getType()), op.getAttrs())
                                  ->getResult(0);
}

/// The loop on vectors, and what its sums come to.
llvm::SmallVector<Value> MaskedLoop::writeMasked(mlir::ImplicitLocOpBuilder &ops) {
  llvm::SmallVector<Value> zeros;
  for (mlir::Type type : loop_.getResultTypes())
    zeros.push_back(arith::ConstantOp::create(ops, vectorTypeOf(type), ops.getZeroAttr(vectorTypeOf(type))));
  const auto numbers = llvm::to_vector(llvm::seq<int64_t>(kLanes));
  Value lanes = arith::ConstantOp::create(
      ops, mlir::DenseElementsAttr::get(vectorTypeOf(ops.getIndexType()), llvm::ArrayRef<int64_t>(numbers)));
  Value step = arith::ConstantIndexOp::create(ops, kLanes);
  auto masked = scf::ForOp::create(ops, loop_.getLowerBound(), loop_.getUpperBound(), step, zeros);
  masked->setDiscardableAttrs(loop_->getDiscardableAttrDictionary());
  keepLoopAsItIs(masked);
  masked.getBody()->clear();
  ops.setInsertionPointToEnd(masked.getBody());
  Value left = arith::SubIOp::create(ops, loop_.getUpperBound(), masked.getInductionVar());
  Value mask = arith::CmpIOp::create(ops, arith::CmpIPredicate::slt, lanes,
                                     vector::BroadcastOp::create(ops, lanes.getType(), left));
  scalars_.map(loop_.getInductionVar(), masked.getInductionVar());
  for (auto [before, now] : llvm::zip_equal(loop_.getRegionIterArgs(), masked.getRegionIterArgs()))
    vectors_[before] = now;
  for (Operation &op : loop_.getBody()->without_terminator())
    write(ops, op, mask);
  llvm::SmallVector<Value> next;
  for (auto [carried, sum] :
       llvm::zip_equal(masked.getRegionIterArgs(), loop_.getBody()->getTerminator()->getOperands()))
    next.push_back(arith::SelectOp::create(ops, mask, vectorOf(ops, sum), carried));
  scf::YieldOp::create(ops, next);
  ops.setInsertionPointAfter(masked);
  llvm::SmallVector<Value> sums;
  for (auto [sum, init] : llvm::zip_equal(masked.getResults(), loop_.getInitArgs()))
    sums.push_back(vector::ReductionOp::create(ops, vector::CombiningKind::ADD, sum, init));
  return sums;
}

void MaskedLoop::rewrite() {
  mlir::OpBuilder builder(loop_);
  mlir::ImplicitLocOpBuilder ops(loop_.getLoc(), builder);
  Value entries = entriesOfRows(ops, loop_);
  if (!entries) {
    loop_.replaceAllUsesWith(writeMasked(ops));
    loop_.erase();
    return;
  }
  Value length = arith::SubIOp::create(ops, loop_.getUpperBound(), loop_.getLowerBound());
  const auto reaches = [&](Value count, int64_t least) -> Value {
    return arith::CmpIOp::create(ops, arith::CmpIPredicate::sge, count, arith::ConstantIndexOp::create(ops, least));
  };
  Value pays = arith::OrIOp::create(ops, reaches(entries, kManyEntries), reaches(length, kLongSegment));
  auto choice = scf::IfOp::create(ops, loop_.getResultTypes(), pays, /*withElseRegion=*/true);
  ops.setInsertionPointToEnd(choice.thenBlock());
  scf::YieldOp::create(ops, writeMasked(ops));
  loop_.replaceAllUsesWith(choice.getResults());
  ops.setInsertionPointToEnd(choice.elseBlock());
  auto yield = scf::YieldOp::create(ops, loop_.getResults());
  loop_->moveBefore(yield);
  keepLoopAsItIs(loop_);
}

class MaskGathers : public impl::MaskGathersBase<MaskGathers> {
public:
  void runOnOperation() override {
    if (dialect::scheduleOf(getOperation()).getUnroll())
      return;
    llvm::SmallVector<scf::ForOp> loops;
    getOperation().walk([&](scf::ForOp loop) { loops.push_back(loop); });
    for (scf::ForOp loop : loops)
      if (MaskedLoop masked(loop); masked.isPossible())
        masked.rewrite();
  }
};

} // namespace
} // namespace spc::transforms
