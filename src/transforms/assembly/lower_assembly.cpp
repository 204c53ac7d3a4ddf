#include "transforms/assembly/conditional_entries.h"
#include "transforms/assembly/neighbouring_keys.h"
#include "transforms/assembly/run_writer.h"
#include "transforms/assembly/whole_rows.h"
#include "transforms/passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/DialectConversion.h"
#include "mlir/Transforms/Passes.h"

namespace spc::transforms {

#define GEN_PASS_DEF_LOWERASSEMBLY
#include "transforms/Passes.h.inc"

namespace {

namespace scf = mlir::scf;
using dialect::RunForm;
using dialect::RunType;
using mlir::ConversionPatternRewriter;
using mlir::ImplicitLocOpBuilder;
using mlir::LogicalResult;
using mlir::OpConversionPattern;
using mlir::Value;

/// Runs become the pointers that RunWriter works with, sums the address of their flag.
class RunTypes : public mlir::TypeConverter {
public:
  RunTypes() {
    addConversion([](mlir::Type type) { return type; });
    addConversion([](dialect::SumType type) -> mlir::Type { return pointer(type); });
    addConversion([](RunType type, llvm::SmallVectorImpl<mlir::Type> &parts) {
      parts.append(RunWriter::partCount(type.getForm()), pointer(type));
      return mlir::success();
    });
  }

private:
  static mlir::Type pointer(mlir::Type type) { return mlir::LLVM::LLVMPointerType::get(type.getContext()); }
};

/// The value that an operand which is no run became, or null where it is left out.
Value single(mlir::ValueRange values) {
  return values.empty() ? Value() : values.front();
}

template <typename Op, typename Adaptor> RunWriter writerOf(Op op, Adaptor adaptor) {
  return RunWriter(mlir::cast<RunType>(op.getRun().getType()), adaptor.getRun());
}

/// Begins the run and branches on what the runtime gives: nothing, or for workspaces one of two kinds, or a plan.
struct LowerOpenRun : OpConversionPattern<dialect::OpenRunOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(dialect::OpenRunOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder ops(op.getLoc(), rewriter);
    RunWriter run(ops, mlir::cast<RunType>(op.getRun(0).getType()));
    const Value hasRun = run.begin(ops, single(adaptor.getAssembly()), single(adaptor.getChunk()), op.getNumber());
    auto nest = scf::IfOp::create(ops, hasRun, /*withElseRegion=*/false);
    mlir::Block *place = nest.thenBlock();
    // Whichever nest is not the last one is chosen where the runtime says so.
    for (unsigned number = 0; number + 1 < op.getNests().size(); ++number) {
      ImplicitLocOpBuilder within(op.getLoc(), rewriter);
      within.setInsertionPoint(place->getTerminator());
      const Value isThis = number == 0 ? run.isDense(within) : run.isHash(within);
      auto choice = scf::IfOp::create(within, isThis, /*withElseRegion=*/true);
      enter(op, number, run, choice.thenBlock(), rewriter);
      place = choice.elseBlock();
    }
    enter(op, static_cast<unsigned>(op.getNests().size() - 1), run, place, rewriter);
    rewriter.eraseOp(op);
    return mlir::success();
  }

private:
  /// Moves a nest in front of the end of `place`.
  void enter(dialect::OpenRunOp op, unsigned number, RunWriter &run, mlir::Block *place,
             ConversionPatternRewriter &rewriter) const {
    mlir::Region &region = op.getNests()[number];
    const RunForm form = mlir::cast<RunType>(op.getRun(number).getType()).getForm();
    ImplicitLocOpBuilder ops(op.getLoc(), rewriter);
    ops.setInsertionPoint(place->getTerminator());
    RunWriter nest = run.enter(ops, form);
    mlir::FailureOr<mlir::Block *> block = rewriter.convertRegionTypes(&region, *getTypeConverter());
    assert(mlir::succeeded(block) && "every run is so many pointers");
    mlir::Operation *close = (*block)->getTerminator();
    ops.setInsertionPoint(close);
    nest.end(ops);
    rewriter.eraseOp(close);
    rewriter.inlineBlockBefore(*block, place->getTerminator(), nest.parts());
  }
};

/// What the operands of an operation became: several values each, as runs do.
template <typename Op> using Lowered = typename Op::template GenericAdaptor<llvm::ArrayRef<mlir::ValueRange>>;

// How each operation within a run is lowered, at `ops`: what takes the place of its results.

llvm::SmallVector<Value> lower(dialect::ReserveOp op, Lowered<dialect::ReserveOp> to, ImplicitLocOpBuilder &ops) {
  return {writerOf(op, to).reserve(ops, toInt(ops, single(to.getMost())))};
}

llvm::SmallVector<Value> lower(dialect::AppendOp op, Lowered<dialect::AppendOp> to, ImplicitLocOpBuilder &ops) {
  writerOf(op, to).append(ops, toInt(ops, single(to.getKey())), single(to.getValue()), op.getReserved());
  return {};
}

llvm::SmallVector<Value> lower(dialect::AppendIfOp op, Lowered<dialect::AppendIfOp> to, ImplicitLocOpBuilder &ops) {
  writerOf(op, to).appendIf(ops, single(to.getCondition()), toInt(ops, single(to.getKey())), single(to.getValue()));
  return {};
}

llvm::SmallVector<Value> lower(dialect::LocateOp op, Lowered<dialect::LocateOp> to, ImplicitLocOpBuilder &ops) {
  RunWriter run = writerOf(op, to);
  const mlir::Attribute identity = op.getIdentityAttr();
  const Value key = toInt(ops, single(to.getKey()));
  // A new element is 0: whether it is one shows only before it is located.
  Value old = op.getOld() && identity ? run.peek(ops, key, identity) : Value();
  const Value slot = run.locate(ops, key);
  if (op.getOld() && !identity)
    old = run.loadSlot(ops, slot, op.getOld().getType());
  llvm::SmallVector<Value> results{mlir::arith::IndexCastOp::create(ops, ops.getIndexType(), slot)};
  if (old)
    results.push_back(old);
  return results;
}

llvm::SmallVector<Value> lower(dialect::AccumulateOp op, Lowered<dialect::AccumulateOp> to, ImplicitLocOpBuilder &ops) {
  const Value key = toInt(ops, single(to.getKey())), slot = toInt(ops, single(to.getSlot()));
  writerOf(op, to).storeSlot(ops, key, slot, single(to.getValue()));
  return {};
}

llvm::SmallVector<Value> lower(dialect::RowLengthOp op, Lowered<dialect::RowLengthOp> to, ImplicitLocOpBuilder &ops) {
  const Value length = writerOf(op, to).rowLength(ops);
  return {mlir::arith::IndexCastOp::create(ops, ops.getIndexType(), length)};
}

llvm::SmallVector<Value> lower(dialect::JoinRowOp op, Lowered<dialect::JoinRowOp> to, ImplicitLocOpBuilder &ops) {
  writerOf(op, to).joinRow(ops, toInt(ops, single(to.getBefore())));
  return {};
}

llvm::SmallVector<Value> lower(dialect::SortRowOp op, Lowered<dialect::SortRowOp> to, ImplicitLocOpBuilder &ops) {
  writerOf(op, to).sortRow(ops);
  return {};
}

llvm::SmallVector<Value> lower(dialect::OpenSumOp op, Lowered<dialect::OpenSumOp> to, ImplicitLocOpBuilder &ops) {
  llvm::SmallVector<Value> results{RunWriter::makeFlag(ops)};
  if (op.getStart()) {
    const Value key = toInt(ops, single(to.getKey()));
    results.push_back(writerOf(op, to).peek(ops, key, op.getIdentityAttr()));
  }
  return results;
}

llvm::SmallVector<Value> lower(dialect::NoteAddendOp, Lowered<dialect::NoteAddendOp> to, ImplicitLocOpBuilder &ops) {
  RunWriter::raise(ops, single(to.getSum()));
  return {};
}

llvm::SmallVector<Value> lower(dialect::CloseSumOp op, Lowered<dialect::CloseSumOp> to, ImplicitLocOpBuilder &ops) {
  const Value key = toInt(ops, single(to.getKey())), value = single(to.getValue());
  const Value isEntry = RunWriter::isRaised(ops, single(to.getSum()));
  auto entry = scf::IfOp::create(ops, isEntry, /*withElseRegion=*/false);
  ImplicitLocOpBuilder inside(op.getLoc(), entry.getThenBodyBuilder(ops.getListener()));
  RunWriter run = writerOf(op, to);
  if (op.getRun().getType().appends())
    run.append(inside, key, value, op.getReserved());
  else
    run.storeSlot(inside, key, run.locate(inside, key), value);
  return {};
}

llvm::SmallVector<Value> lower(dialect::BeginRowOp op, Lowered<dialect::BeginRowOp> to, ImplicitLocOpBuilder &ops) {
  if (op.getRun().getType().getForm() != RunForm::Place)
    return {};
  const auto coordinates = to.getCoordinates();
  writerOf(op, to).beginRow(ops, coordinates.empty() ? Value() : single(coordinates.front()), op.getIdentityAttr());
  return {};
}

llvm::SmallVector<Value> lower(dialect::EndRowOp op, Lowered<dialect::EndRowOp> to, ImplicitLocOpBuilder &ops) {
  llvm::SmallVector<Value> coordinates;
  for (const mlir::ValueRange coordinate : to.getCoordinates())
    coordinates.push_back(single(coordinate));
  writerOf(op, to).endRow(ops, coordinates);
  return {};
}

llvm::SmallVector<Value> lower(dialect::NotesRowsOp op, Lowered<dialect::NotesRowsOp> to, ImplicitLocOpBuilder &ops) {
  return {writerOf(op, to).notesRows(ops)};
}

llvm::SmallVector<Value> lower(dialect::EndRowsOp op, Lowered<dialect::EndRowsOp> to, ImplicitLocOpBuilder &ops) {
  const Value first = toInt(ops, single(to.getFirst()));
  writerOf(op, to).endRows(ops, first, single(to.getCount()), single(to.getPointers()), single(to.getRow()));
  return {};
}

template <typename Op> struct LowerWithinRun : OpConversionPattern<Op> {
  using OpConversionPattern<Op>::OpConversionPattern;

  LogicalResult matchAndRewrite(Op op, Lowered<Op> adaptor, ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder ops(op.getLoc(), rewriter);
    rewriter.replaceOp(op, lower(op, adaptor, ops));
    return mlir::success();
  }
};

/// Gives a run with a workspace a nest for each kind of workspace. Returns what takes the run's place.
dialect::OpenRunOp splitByWorkspace(dialect::OpenRunOp op) {
  const auto type = mlir::cast<RunType>(op.getRun(0).getType());
  if (type.getForm() != RunForm::Workspace)
    return op;
  mlir::OpBuilder builder(op);
  llvm::SmallVector<RunType> forms = {type.in(RunForm::Dense), type.in(RunForm::Hash)};
  if (op.getPlanned())
    forms.push_back(type.in(type.getValue() ? RunForm::Place : RunForm::Record));
  auto split = dialect::OpenRunOp::create(builder, op.getLoc(), op.getAssembly(), op.getChunk(), op.getNumber(),
                                          op.getPlanned(), forms);
  for (auto [form, nest] : llvm::zip(forms, split.getNests())) {
    nest.getBlocks().clear();
    mlir::IRMapping copies;
    op.getNests().front().cloneInto(&nest, copies);
    nest.getArgument(0).setType(form);
  }
  op.erase();
  return split;
}

class LowerAssembly : public impl::LowerAssemblyBase<LowerAssembly> {
public:
  using LowerAssemblyBase::LowerAssemblyBase;

  void runOnOperation() override {
    for (auto body : getOperation().getOps<mlir::func::FuncOp>())
      if (mlir::failed(lowerRuns(body)))
        return signalPassFailure();
  }

private:
  LogicalResult lowerRuns(mlir::func::FuncOp body);
  LogicalResult cleanUp(mlir::func::FuncOp body);
};

LogicalResult LowerAssembly::lowerRuns(mlir::func::FuncOp body) {
  llvm::SmallVector<dialect::OpenRunOp> runs;
  body.walk([&](dialect::OpenRunOp run) { runs.push_back(run); });
  if (runs.empty())
    return mlir::success();
  for (dialect::OpenRunOp run : runs) {
    const dialect::OpenRunOp split = splitByWorkspace(run);
    if (!hoist)
      continue;
    accumulateNeighbours(split);
    appendWholeRows(split);
    appendWithoutBranches(split);
  }
  const RunTypes types;
  mlir::ConversionTarget target(getContext());
  target.addIllegalDialect<dialect::SpcDialect>();
  target.addLegalOp<dialect::FindRowOp, dialect::TakePositionsOp, dialect::GivePositionsOp>();
  target.markUnknownOpDynamicallyLegal([](mlir::Operation *) { return true; });
  mlir::RewritePatternSet patterns(&getContext());
  patterns
      .add<LowerOpenRun, LowerWithinRun<dialect::ReserveOp>, LowerWithinRun<dialect::AppendOp>,
           LowerWithinRun<dialect::LocateOp>, LowerWithinRun<dialect::AccumulateOp>, LowerWithinRun<dialect::OpenSumOp>,
           LowerWithinRun<dialect::NoteAddendOp>, LowerWithinRun<dialect::CloseSumOp>,
           LowerWithinRun<dialect::RowLengthOp>, LowerWithinRun<dialect::JoinRowOp>,
           LowerWithinRun<dialect::BeginRowOp>, LowerWithinRun<dialect::EndRowOp>, LowerWithinRun<dialect::NotesRowsOp>,
           LowerWithinRun<dialect::EndRowsOp>, LowerWithinRun<dialect::SortRowOp>, LowerWithinRun<dialect::AppendIfOp>>(
          types, &getContext());
  if (mlir::failed(mlir::applyPartialConversion(body, target, std::move(patterns))))
    return mlir::failure();
  return cleanUp(body);
}

/// What runs become has common subexpressions and invariants, which loops were rid of before.
LogicalResult LowerAssembly::cleanUp(mlir::func::FuncOp body) {
  mlir::OpPassManager passes(mlir::func::FuncOp::getOperationName());
  passes.addPass(mlir::createCSEPass());
  if (hoist) {
    passes.addPass(mlir::createLoopInvariantCodeMotionPass());
    passes.addPass(mlir::createCSEPass());
  }
  return runPipeline(passes, body);
}

} // namespace
} // namespace spc::transforms
