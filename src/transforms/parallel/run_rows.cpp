#include "transforms/parallel/run_rows.h"

#include "dialect/dialect.h"
#include "transforms/util/body_arguments.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

namespace spc::transforms {

namespace arith = mlir::arith;
namespace scf = mlir::scf;
using mlir::Value;

namespace {

/// The outermost loops of one run: one of all rows or of a root, or those that walk several roots, a merge and then the
/// rest of each.
class RunLoops {
public:
  RunLoops(mlir::func::FuncOp body, dialect::OpenRunOp run) : body_(body), run_(run) {}

  /// Whether these are what cutRuns() asks for.
  bool find();
  ExtentAttr rows() const { return rows_; }
  bool isOverAllRows() const { return single_ && !single_->isRoot(); }
  mlir::StringRef root() const { return roots_.front().getValue(); }
  llvm::ArrayRef<mlir::Operation *> loops() const { return loops_; }
  void cut(Value begin, Value end);

private:
  BindAttr fieldOfRoot(mlir::StringAttr root, BindKind kind) {
    return BindAttr::get(body_.getContext(), kind, root, 0);
  }
  mlir::BlockArgument limitOf(mlir::StringAttr root) {
    return dialect::argumentWith(body_, fieldOfRoot(root, BindKind::Count));
  }
  mlir::BlockArgument indicesOf(mlir::StringAttr root) {
    return dialect::argumentWith(body_, fieldOfRoot(root, BindKind::Indices));
  }
  void findStarts(mlir::Operation *loop);

  mlir::func::FuncOp body_;
  dialect::OpenRunOp run_;
  ExtentAttr rows_;
  llvm::ArrayRef<mlir::StringAttr> roots_;
  llvm::SmallVector<mlir::Operation *> loops_;
  std::optional<RowLoop> single_;
  llvm::SmallVector<std::pair<mlir::OpOperand *, Value>> starts_; ///< zeros, and how far the walks go that start there
};

bool RunLoops::find() {
  for (mlir::Operation &op : run_.getNests().front().front()) {
    const dialect::PlaceAttr place = dialect::placeOf(&op);
    if (place && place.getNest() == static_cast<int64_t>(run_.getNumber()) && place.getLoop() == 0)
      loops_.push_back(&op);
  }
  const dialect::LoopAttr planned = loops_.empty() ? dialect::LoopAttr() : dialect::plannedLoopOf(loops_.front());
  if (!planned || !planned.getIsRow() || !planned.getIsDivided())
    return false;
  rows_ = planned.getExtent();
  roots_ = planned.getLists();
  if (loops_.size() == 1)
    single_ = rowLoopOf(body_, loops_.front(), classifyRows(body_, loops_.front()));
  if (single_)
    return single_->rows == rows_;
  llvm::for_each(loops_, [&](mlir::Operation *loop) { findStarts(loop); });
  return !starts_.empty() && llvm::all_of(roots_, [&](mlir::StringAttr root) {
    const mlir::BlockArgument indices = indicesOf(root);
    return indices && limitOf(root) && dialect::ascendingExtentOf(body_, indices.getArgNumber()) == rows_;
  });
}

/// Notes where a loop begins with a root's first position: `for p from 0 to count`, or
/// `while (p, q = 0; p < count of one && q < count of the other)`. The second test is within the loop where rows of the
/// first root alone go on.
void RunLoops::findStarts(mlir::Operation *loop) {
  const auto note = [&](mlir::OpOperand &start, Value limit) {
    if (mlir::isConstantIntValue(start.get(), 0))
      starts_.emplace_back(&start, limit);
  };
  if (auto rest = mlir::dyn_cast<scf::ForOp>(loop))
    return note(rest.getLowerBoundMutable(), rest.getUpperBound());
  auto merge = mlir::cast<scf::WhileOp>(loop);
  const auto noteTests = [&](Value position, mlir::OpOperand &start) {
    for (mlir::Operation *user : position.getUsers())
      if (auto test = mlir::dyn_cast<arith::CmpIOp>(user); test && test.getLhs() == position)
        note(start, test.getRhs());
  };
  for (auto [position, start] : llvm::zip_equal(merge.getBeforeArguments(), loop->getOpOperands()))
    noteTests(position, start);
  for (auto [passed, position] : llvm::zip_equal(merge.getConditionOp().getArgs(), merge.getAfterArguments()))
    if (const auto argument = mlir::dyn_cast<mlir::BlockArgument>(passed);
        argument && argument.getOwner() == merge.getBeforeBody())
      noteTests(position, loop->getOpOperand(argument.getArgNumber()));
}

void RunLoops::cut(Value begin, Value end) {
  if (single_)
    return single_->isRoot() ? setRows(*single_, begin, end) : setBounds(*single_, begin, end);
  mlir::OpBuilder builder(run_);
  for (const mlir::StringAttr root : roots_) {
    mlir::BlockArgument limit = limitOf(root);
    const Value first = locateRow(builder, run_.getLoc(), indicesOf(root), limit, begin);
    const Value last = locateRow(builder, run_.getLoc(), indicesOf(root), limit, end);
    for (auto [start, until] : starts_)
      if (until == limit)
        start->set(first);
    endAt(run_, limit, last);
  }
}

} // namespace

std::optional<RunRows> cutRuns(mlir::func::FuncOp body) {
  llvm::SmallVector<RunLoops, 0> runs;
  RunRows all;
  for (dialect::OpenRunOp run : body.getOps<dialect::OpenRunOp>()) {
    RunLoops loops(body, run);
    if (!loops.find() || (all.rows && all.rows != loops.rows()))
      return std::nullopt;
    all.rows = loops.rows();
    runs.push_back(std::move(loops));
  }
  if (runs.empty())
    return std::nullopt;
  const bool isOverAllRows = llvm::any_of(runs, [](const RunLoops &loops) { return loops.isOverAllRows(); });
  if (!isOverAllRows)
    all.root = runs.front().root().str();
  for (const RunLoops &loops : llvm::reverse(runs))
    if (loops.isOverAllRows() == isOverAllRows)
      llvm::append_range(all.loops, loops.loops());
  const auto items = BindAttr::get(all.rows);
  const Value begin = boundNumber(body, items.as(BindKind::Begin)), end = boundNumber(body, items.as(BindKind::End));
  for (RunLoops &loops : runs)
    loops.cut(begin, end);
  return all;
}

} // namespace spc::transforms
