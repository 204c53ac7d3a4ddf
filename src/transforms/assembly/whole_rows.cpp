#include "transforms/assembly/whole_rows.h"

#include "transforms/util/affine_sums.h"
#include "transforms/util/index_chains.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include <optional>

namespace spc::transforms {

namespace arith = mlir::arith;
namespace memref = mlir::memref;
namespace scf = mlir::scf;
using mlir::ImplicitLocOpBuilder;
using mlir::Value;

namespace {

/// What one term appends to row i: the entries between the pointers of row i + shift, if that is below `bound`.
struct Term {
  AffineSum shift;
  Value bound; ///< null: it always is
  scf::ForOp entries;
};

/// The rows of the run for which a term has entries.
struct Stretch {
  Value begin, end;
};

bool isPlain(mlir::Operation &op) {
  return mlir::isa<memref::LoadOp>(op) || (op.getNumRegions() == 0 && mlir::isMemoryEffectFree(&op));
}

class RowsOfTerms {
public:
  explicit RowsOfTerms(scf::ForOp rows) : rows_(rows) {}

  bool matches();
  /// Requires that the loop matches.
  void rewrite();

private:
  bool collect(mlir::Block &block, Value guard);
  bool collectEntries(scf::IfOp fitting, Value guard);
  bool appendsEach(scf::ForOp entries);
  bool isFixed(Value value) { return rows_.isDefinedOutsideOfLoop(value); }
  std::optional<AffineSum> shiftOf(Value row);
  std::optional<Term> guarded(Value guard);
  Stretch stretchOf(ImplicitLocOpBuilder &ops, const Term &term);
  void append(ImplicitLocOpBuilder &ops, Term term, Stretch stretch);
  Value pointerAt(ImplicitLocOpBuilder &ops, Value pointer, Value row);

  scf::ForOp rows_;
  dialect::EndRowOp end_;
  llvm::SmallVector<Term, 4> terms_;
};

/// What is added to the row's number; nullopt where that is anything but a sum of it and what no row changes.
std::optional<AffineSum> RowsOfTerms::shiftOf(Value row) {
  const Value variable = rows_.getInductionVar();
  const AffineSum sum = affineSum(row);
  AffineSum shift = sum.without(variable);
  const bool isShift =
      sum.coefficient(variable) == 1 && llvm::all_of(shift.terms, [&](auto term) { return isFixed(term.first); });
  return isShift ? std::optional(std::move(shift)) : std::nullopt;
}

/// The term of a condition, which has no entries yet.
std::optional<Term> RowsOfTerms::guarded(Value guard) {
  if (!guard)
    return Term{};
  auto compare = guard.getDefiningOp<arith::CmpIOp>();
  if (!compare || compare.getPredicate() != arith::CmpIPredicate::ult || !isFixed(compare.getRhs()))
    return {};
  std::optional<AffineSum> shift = shiftOf(compare.getLhs());
  return shift ? std::optional(Term{*shift, compare.getRhs(), {}}) : std::nullopt;
}

/// Whether each iteration appends one entry, and does nothing that depends on its row.
bool RowsOfTerms::appendsEach(scf::ForOp entries) {
  int64_t appended = 0;
  for (mlir::Operation &op : entries.getBody()->without_terminator()) {
    auto append = mlir::dyn_cast<dialect::AppendOp>(op);
    if (append ? append.getRun() != end_.getRun() || !append.getReserved() : !isPlain(op))
      return false;
    appended += append ? 1 : 0;
    for (Value operand : op.getOperands())
      if (!isFixed(operand) && !entries->isAncestor(operand.getParentBlock()->getParentOp()))
        return false;
  }
  return appended == 1 && entries.getNumResults() == 0 && mlir::isConstantIntValue(entries.getStep(), 1);
}

/// What a reservation is for.
bool RowsOfTerms::collectEntries(scf::IfOp fitting, Value guard) {
  scf::ForOp entries;
  for (mlir::Operation &op : fitting.thenBlock()->without_terminator()) {
    auto loop = mlir::dyn_cast<scf::ForOp>(op);
    if (loop ? static_cast<bool>(entries) : !isPlain(op))
      return false;
    entries = loop ? loop : entries;
  }
  std::optional<Term> term = guarded(guard);
  if (!term || !entries || !appendsEach(entries))
    return false;
  memref::LoadOp first = loadedIndex(entries.getLowerBound()), last = loadedIndex(entries.getUpperBound());
  if (!first || !last || first.getMemRef() != last.getMemRef() || !isFixed(first.getMemRef()) ||
      first.getIndices().size() != 1)
    return false;
  std::optional<AffineSum> shift = shiftOf(first.getIndices()[0]), next = shiftOf(last.getIndices()[0]);
  if (!shift || !next)
    return false;
  next->constant -= 1;
  if (*next != *shift || (guard && *shift != term->shift))
    return false;
  terms_.push_back({*shift, term->bound, entries});
  return true;
}

/// Collects the terms of a block, which runs under the condition `guard` (null: always).
bool RowsOfTerms::collect(mlir::Block &block, Value guard) {
  for (mlir::Operation &op : block.without_terminator()) {
    auto choice = mlir::dyn_cast<scf::IfOp>(op);
    if (mlir::isa<dialect::RowLengthOp, dialect::JoinRowOp, dialect::ReserveOp>(op) || &op == end_ || isPlain(op))
      continue;
    if (!choice || choice.getNumResults() > 0 || choice.elseBlock())
      return false;
    const bool isFitting = choice.getCondition().getDefiningOp<dialect::ReserveOp>() != nullptr;
    if (isFitting ? !collectEntries(choice, guard) : guard || !collect(*choice.thenBlock(), choice.getCondition()))
      return false;
  }
  return true;
}

bool RowsOfTerms::matches() {
  const auto ends = llvm::to_vector(rows_.getBody()->getOps<dialect::EndRowOp>());
  if (ends.size() != 1 || rows_.getNumResults() > 0 || !mlir::isConstantIntValue(rows_.getStep(), 1))
    return false;
  end_ = ends.front();
  return end_.getCoordinates().size() == 1 && end_.getCoordinates()[0] == rows_.getInductionVar() &&
         collect(*rows_.getBody(), {}) && !terms_.empty();
}

/// Within the bounds of the loop over rows.
Stretch RowsOfTerms::stretchOf(ImplicitLocOpBuilder &ops, const Term &term) {
  const Value first = rows_.getLowerBound(), last = rows_.getUpperBound();
  if (!term.bound)
    return {first, last};
  AffineSum before, behind;
  before.constant = -term.shift.constant;
  for (auto [value, coefficient] : term.shift.terms)
    before.terms.push_back({value, -coefficient});
  behind = before;
  behind.terms.push_back({term.bound, 1});
  const auto clamp = [&](const AffineSum &sum, Value least) -> Value {
    const Value within = arith::MinSIOp::create(ops, emitSum(ops, ops.getLoc(), sum), last);
    return arith::MaxSIOp::create(ops, within, least);
  };
  const Value begin = clamp(before, first);
  return {begin, clamp(behind, begin)};
}

/// The pointer of another row.
Value RowsOfTerms::pointerAt(ImplicitLocOpBuilder &ops, Value pointer, Value row) {
  llvm::SmallVector<mlir::Operation *> chain;
  for (mlir::Operation *op = pointer.getDefiningOp(); !mlir::isa<memref::LoadOp>(op);
       op = op->getOperand(0).getDefiningOp())
    chain.insert(chain.begin(), op);
  Value value = memref::LoadOp::create(ops, loadedIndex(pointer).getMemRef(), row);
  for (mlir::Operation *op : chain) {
    mlir::IRMapping operands;
    operands.map(op->getOperand(0), value);
    value = ops.clone(*op, operands)->getResult(0);
  }
  return value;
}

/// Appends the entries of all rows of a stretch, of which there are some.
void RowsOfTerms::append(ImplicitLocOpBuilder &ops, Term term, Stretch stretch) {
  const Value pointer = term.entries.getLowerBound(), run = end_.getRun();
  const Value shift = emitSum(ops, ops.getLoc(), term.shift);
  const Value row = arith::AddIOp::create(ops, stretch.begin, shift);
  const Value first = pointerAt(ops, pointer, row);
  const Value last = pointerAt(ops, pointer, arith::AddIOp::create(ops, stretch.end, shift));
  const Value length = arith::SubIOp::create(ops, last, first);
  const Value most = arith::MaxSIOp::create(ops, length, arith::ConstantIndexOp::create(ops, 0));
  const Value hasRoom = dialect::ReserveOp::create(ops, ops.getI1Type(), run, most);
  auto fitting = scf::IfOp::create(ops, hasRoom, /*withElseRegion=*/false);
  ImplicitLocOpBuilder inside(ops.getLoc(), fitting.getThenBodyBuilder());
  auto entries = scf::ForOp::create(inside, first, last, term.entries.getStep());
  mlir::IRMapping copies;
  copies.map(term.entries.getInductionVar(), entries.getInductionVar());
  mlir::OpBuilder body = mlir::OpBuilder::atBlockTerminator(entries.getBody());
  for (mlir::Operation &op : term.entries.getBody()->without_terminator())
    body.clone(op, copies);
  const Value count = arith::SubIOp::create(inside, stretch.end, stretch.begin);
  dialect::EndRowsOp::create(inside, run, stretch.begin, count, loadedIndex(pointer).getMemRef(), row);
}

void RowsOfTerms::rewrite() {
  ImplicitLocOpBuilder ops(rows_.getLoc(), rows_);
  Value isWhole = dialect::NotesRowsOp::create(ops, ops.getI1Type(), end_.getRun());
  llvm::SmallVector<Stretch, 4> stretches;
  for (const Term &term : terms_) {
    stretches.push_back(stretchOf(ops, term));
    if (stretches.size() < 2)
      continue;
    const Value isBehind = arith::CmpIOp::create(ops, arith::CmpIPredicate::sle, std::prev(stretches.end(), 2)->end,
                                                 stretches.back().begin);
    isWhole = arith::AndIOp::create(ops, isWhole, isBehind);
  }
  auto forms = scf::IfOp::create(ops, isWhole, /*withElseRegion=*/true);
  ImplicitLocOpBuilder whole(ops.getLoc(), forms.getThenBodyBuilder());
  for (auto [term, stretch] : llvm::zip_equal(terms_, stretches)) {
    const Value isAny = arith::CmpIOp::create(whole, arith::CmpIPredicate::slt, stretch.begin, stretch.end);
    auto some = scf::IfOp::create(whole, isAny, /*withElseRegion=*/false);
    ImplicitLocOpBuilder inside(ops.getLoc(), some.getThenBodyBuilder());
    append(inside, term, stretch);
  }
  rows_->moveBefore(forms.elseBlock()->getTerminator());
}

} // namespace

void appendWholeRows(dialect::OpenRunOp run) {
  const auto type = mlir::cast<dialect::RunType>(run.getRun(0).getType());
  if (!type.appends() || type.getRow() != 1)
    return;
  const auto loops = llvm::to_vector(run.getNests().front().front().getOps<scf::ForOp>());
  if (loops.size() != 1)
    return;
  if (RowsOfTerms rows(loops.front()); rows.matches())
    rows.rewrite();
}

} // namespace spc::transforms
