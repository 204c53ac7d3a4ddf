#include "mlirgen/planned_sums.h"

#include "dialect/attributes.h"
#include "mlirgen/arithmetic.h"
#include "mlirgen/walked_tensor.h"
#include "sema/two_phases.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <limits>

namespace spc::mlirgen {
namespace {

constexpr int64_t kBlockRows = 128;

namespace arith = mlir::arith;
namespace memref = mlir::memref;
namespace scf = mlir::scf;
using dialect::BindAttr;
using dialect::BindKind;
using sema::OperandId;

/// The dense operands with dimensions that a part of a term reads.
llvm::SmallVector<OperandId> denseOperandsOf(const TermBody &body, const sema::Expr &part) {
  llvm::SmallVector<OperandId> found;
  const auto visit = [&](const auto &self, const sema::Expr &expr) -> void {
    if (const auto *use = std::get_if<sema::Use>(&expr.node)) {
      const sema::Operand &operand = body.term.operands[use->operand];
      if (!operand.indices.empty() && body.kernel.tensors[operand.tensor].format.isDense() &&
          !llvm::is_contained(found, use->operand))
        found.push_back(use->operand);
    }
    if (const auto *negate = std::get_if<sema::Negate>(&expr.node))
      self(self, *negate->operand);
    if (const auto *binary = std::get_if<sema::Binary>(&expr.node)) {
      self(self, *binary->left);
      self(self, *binary->right);
    }
    if (const auto *call = std::get_if<sema::Call>(&expr.node))
      for (const sema::ExprPtr &argument : call->arguments)
        self(self, *argument);
  };
  visit(visit, part);
  return found;
}

class PlannedSums : LoopEmitter {
public:
  PlannedSums(const MergedTerm &term, mlir::func::FuncOp function, mlir::OpBuilder &builder, mlir::Location location)
      : LoopEmitter(builder, location), term_(term), body_(term.body), function_(function) {}

  void build(Value target, Value places);

private:
  /// What an addend is to the target's element.
  enum class Step { Set, Added, Subtracted };

  const sema::Tensor &tensorOf(OperandId operand) const {
    return body_.kernel.tensors[body_.term.operands[operand].tensor];
  }
  bool isMatrix() const { return body_.term.loops.size() > 1; }
  static Value startOf(const WalkedTensor &tensor, Value row) { return tensor.levels.back()->begin(row); }
  /// From an operand's entries to the target's, where it has all of them. It may be a slice of rows, and so may that.
  Value distanceOf(const WalkedTensor &tensor) {
    return subtract(startOf(target_, number(0)), startOf(tensor, number(0)));
  }
  void chooseRows();
  void emitTogether(const std::vector<sema::Summand> &addends);
  void emitBlocks(const std::vector<sema::Summand> &addends);
  void fill();
  void emitAddend(const sema::Summand &addend, Step step, Value base);
  void emitEntries(const sema::Expr &expr, OperandId operand, Step step, Value begin, Value end, Value offset);
  void emitLoop(const sema::Expr &expr, OperandId operand, Step step, Value begin, Value end,
                llvm::function_ref<Value(Value)> placeOf);
  Value isSet(int64_t operand);
  bool usesRows(const sema::Expr &expr) const;
  Value valueOf(const sema::Expr &expr, OperandId operand, Value position);
  Value indexOf(const sema::Index &index);

  const MergedTerm &term_;
  const TermBody &body_;
  mlir::func::FuncOp function_;
  llvm::SmallVector<WalkedTensor, 0> operands_;
  WalkedTensor target_;
  Value places_;
  Value first_, last_; ///< the rows of the chunk
  Value row_, column_; ///< where loops are; null where they are not told
};

/// Rows are cut anywhere: each of their entries is one of the target's rows. Of a vector there is one.
void PlannedSums::chooseRows() {
  first_ = number(0);
  last_ = number(1);
  if (!isMatrix())
    return;
  mlir::MLIRContext *context = builder_.getContext();
  const std::string &extent = body_.kernel.extents[body_.term.loops.front().extent].name;
  const auto rows = BindAttr::get(dialect::ExtentAttr::get(context, extent));
  first_ = dialect::addArgument(function_, rows.as(BindKind::Begin), builder_.getIndexType());
  last_ = dialect::addArgument(function_, rows.as(BindKind::End), builder_.getIndexType());
  llvm::SmallVector<mlir::StringAttr> tensors;
  tensors.push_back(builder_.getStringAttr(body_.kernel.tensors[body_.statement.target].name));
  for (OperandId operand : body_.term.operands.ids())
    if (term_.tensors[operand.index()] && !tensorOf(operand).format.isDense())
      tensors.push_back(builder_.getStringAttr(tensorOf(operand).name));
  const auto schedule = dialect::scheduleOf(function_);
  const std::optional<int64_t> work = schedule.isSerial() ? std::numeric_limits<int64_t>::max() : schedule.getChunk();
  dialect::setChunks(function_, dialect::ChunksAttr::get(context, rows, "", tensors, {}, "", /*zeroed=*/false, work));
}

void PlannedSums::build(Value target, Value places) {
  operands_ = walkedOperands(term_, builder_, location_);
  target_ =
      walkedTensor(target, body_.kernel.tensors[body_.statement.target].format, term_.extents, builder_, location_);
  places_ = places;
  chooseRows();
  const std::vector<sema::Summand> addends = sema::summandsOf(body_.term);
  if (llvm::any_of(addends, [&](const sema::Summand &addend) { return usesRows(*addend.expr); }))
    return emitBlocks(addends);
  Value all = isSet(0);
  for (size_t k = 1; k < addends.size(); ++k)
    all = arith::AndIOp::create(builder_, location_, all, isSet(static_cast<int64_t>(k)));
  auto branch = scf::IfOp::create(builder_, location_, all, /*withElseRegion=*/true);
  const mlir::OpBuilder::InsertionGuard guard(builder_);
  builder_.setInsertionPoint(branch.thenBlock()->getTerminator());
  emitTogether(addends);
  builder_.setInsertionPoint(branch.elseBlock()->getTerminator());
  emitBlocks(addends);
}

/// One loop over the target's entries, all of which each operand has.
void PlannedSums::emitTogether(const std::vector<sema::Summand> &addends) {
  const Value begin = startOf(target_, first_), end = startOf(target_, last_);
  Values distances;
  for (const sema::Summand &addend : addends) {
    const OperandId operand = sema::sparseOperandOf(body_.kernel, body_.term, *addend.expr);
    distances.push_back(distanceOf(operands_[operand.index()]));
  }
  auto entries = scf::ForOp::create(builder_, location_, begin, end, number(1));
  const mlir::OpBuilder::InsertionGuard guard(builder_);
  builder_.setInsertionPointToStart(entries.getBody());
  const sema::ValueType type = sema::sumType(body_.kernel, body_.statement);
  Arithmetic arithmetic(builder_, location_, false);
  Value sum;
  for (auto [addend, distance] : llvm::zip(addends, distances)) {
    const OperandId operand = sema::sparseOperandOf(body_.kernel, body_.term, *addend.expr);
    const Value value = valueOf(*addend.expr, operand, subtract(entries.getInductionVar(), distance));
    sum = !sum ? value : addend.isSubtracted ? arithmetic.subtract(type, sum, value) : arithmetic.add(type, sum, value);
  }
  memref::StoreOp::create(builder_, location_, sum, target_.values, entries.getInductionVar());
}

/// A loop for each addend. What one has written the next one reads: blocks of rows stay in the cache between them.
void PlannedSums::emitBlocks(const std::vector<sema::Summand> &addends) {
  auto blocks = scf::ForOp::create(builder_, location_, first_, last_, number(kBlockRows));
  const mlir::OpBuilder::InsertionGuard guard(builder_);
  builder_.setInsertionPointToStart(blocks.getBody());
  first_ = blocks.getInductionVar();
  last_ = arith::MinSIOp::create(builder_, location_, add(first_, number(kBlockRows)), last_);
  fill();
  const Value rows = isMatrix() ? term_.extents.front() : number(1);
  Value base = number(static_cast<int64_t>(addends.size()));
  Step step = Step::Set;
  for (const sema::Summand &addend : addends) {
    emitAddend(addend, addend.isSubtracted ? Step::Subtracted : step, base);
    const WalkedTensor &tensor = operands_[sema::sparseOperandOf(body_.kernel, body_.term, *addend.expr).index()];
    base = add(base, subtract(startOf(tensor, rows), startOf(tensor, number(0))));
    step = Step::Added;
  }
}

/// Entries that the first addend lacks begin with what adding leaves any number as it is, be it a zero with a sign.
void PlannedSums::fill() {
  Arithmetic arithmetic(builder_, location_, false);
  const sema::ValueType type = sema::sumType(body_.kernel, body_.statement);
  Value start = arithmetic.constant(type, 0);
  if (sema::isFloat(type) || sema::isComplex(type))
    start = arithmetic.negate(type, start);
  const Value begin = startOf(target_, first_), end = startOf(target_, last_);
  // There are none where the first addend has all.
  const Value last = arith::SelectOp::create(builder_, location_, isSet(0), begin, end);
  auto all = scf::ForOp::create(builder_, location_, begin, last, number(1));
  const mlir::OpBuilder::InsertionGuard guard(builder_);
  builder_.setInsertionPointToStart(all.getBody());
  memref::StoreOp::create(builder_, location_, start, target_.values, all.getInductionVar());
}

/// Whether a dense operand of an addend, or a value of an index, depends on the row.
bool PlannedSums::usesRows(const sema::Expr &expr) const {
  const auto isIn = [&](const sema::Expr &part) { return usesRows(part); };
  const auto hasRow = [&](const sema::Index &index) { return isMatrix() && index.has(sema::LoopId(0)); };
  if (const auto *use = std::get_if<sema::Use>(&expr.node))
    return tensorOf(use->operand).format.isDense() && llvm::any_of(body_.term.operands[use->operand].indices, hasRow);
  if (const auto *index = std::get_if<sema::IndexValue>(&expr.node))
    return hasRow(index->index);
  if (const auto *negate = std::get_if<sema::Negate>(&expr.node))
    return isIn(*negate->operand);
  if (const auto *binary = std::get_if<sema::Binary>(&expr.node))
    return isIn(*binary->left) || isIn(*binary->right);
  const auto *call = std::get_if<sema::Call>(&expr.node);
  return call && llvm::any_of(call->arguments, [&](const sema::ExprPtr &argument) { return isIn(*argument); });
}

/// A loop over all entries of the rows; or one over the rows, where an addend asks for them.
void PlannedSums::emitAddend(const sema::Summand &addend, Step step, Value base) {
  const OperandId operand = sema::sparseOperandOf(body_.kernel, body_.term, *addend.expr);
  const WalkedTensor &tensor = operands_[operand.index()];
  const Value offset = subtract(base, startOf(tensor, number(0)));
  if (!usesRows(*addend.expr))
    return emitEntries(*addend.expr, operand, step, startOf(tensor, first_), startOf(tensor, last_), offset);
  auto rows = scf::ForOp::create(builder_, location_, first_, last_, number(1));
  const mlir::OpBuilder::InsertionGuard guard(builder_);
  builder_.setInsertionPointToStart(rows.getBody());
  row_ = rows.getInductionVar();
  emitEntries(*addend.expr, operand, step, startOf(tensor, row_), startOf(tensor, add(row_, number(1))), offset);
  row_ = {};
}

/// Whether an operand has all of the target's entries.
Value PlannedSums::isSet(int64_t operand) {
  const Value flag = memref::LoadOp::create(builder_, location_, places_, number(operand));
  const Value none = arith::ConstantOp::create(builder_, location_, builder_.getI32IntegerAttr(0));
  return arith::CmpIOp::create(builder_, location_, arith::CmpIPredicate::ne, flag, none);
}

/// Entries of which not all addends have all go to their places.
void PlannedSums::emitEntries(const sema::Expr &expr, OperandId operand, Step step, Value begin, Value end,
                              Value offset) {
  const auto placeOf = [&](Value position) { return loadIndex(places_, add(position, offset)); };
  emitLoop(expr, operand, step, begin, end, placeOf);
}

void PlannedSums::emitLoop(const sema::Expr &expr, OperandId operand, Step step, Value begin, Value end,
                           llvm::function_ref<Value(Value)> placeOf) {
  const sema::ValueType type = sema::sumType(body_.kernel, body_.statement);
  auto entries = scf::ForOp::create(builder_, location_, begin, end, number(1));
  const mlir::OpBuilder::InsertionGuard guard(builder_);
  builder_.setInsertionPointToStart(entries.getBody());
  const Value position = entries.getInductionVar(), place = placeOf(position);
  Value value = valueOf(expr, operand, position);
  Arithmetic arithmetic(builder_, location_, false);
  if (step != Step::Set) {
    const Value old = memref::LoadOp::create(builder_, location_, target_.values, place);
    value = step == Step::Added ? arithmetic.add(type, old, value) : arithmetic.subtract(type, old, value);
  }
  memref::StoreOp::create(builder_, location_, value, target_.values, place);
}

Value PlannedSums::indexOf(const sema::Index &index) {
  return sumOf(index, [&](sema::LoopId loop) { return isMatrix() && loop.index() == 0 ? row_ : column_; });
}

/// An addend at an entry of its operand. Operands of other addends are not read.
Value PlannedSums::valueOf(const sema::Expr &expr, OperandId operand, Value position) {
  column_ = operands_[operand.index()].levels.back()->coordinate(position);
  Values values(body_.term.operands.size());
  for (OperandId other : body_.term.operands.ids()) {
    const Value array = operands_[other.index()].values;
    if (!array)
      values[other.index()] = body_.scalars[other.index()];
    else if (other == operand)
      values[other.index()] = memref::LoadOp::create(builder_, location_, array, position);
  }
  const auto load = [&](OperandId dense) {
    Values indices;
    for (const sema::Index &index : body_.term.operands[dense].indices)
      indices.push_back(indexOf(index));
    return memref::LoadOp::create(builder_, location_, operands_[dense.index()].values, indices).getResult();
  };
  for (OperandId dense : denseOperandsOf(body_, expr))
    values[dense.index()] = load(dense);
  TermBody here = body_;
  const Values coordinates = isMatrix() ? Values{row_ ? row_ : number(0), column_} : Values{column_};
  here.coordinates = coordinates;
  return emitPart(here, builder_, location_, values, expr);
}

} // namespace

void buildPlannedSums(const MergedTerm &term, mlir::func::FuncOp function, Value target, Value places,
                      mlir::OpBuilder &builder, mlir::Location location) {
  PlannedSums(term, function, builder, location).build(target, places);
}

} // namespace spc::mlirgen
