#include "transforms/parallel/run_rows.h"

#include "dialect/dialect.h"
#include "transforms/util/body_arguments.h"
#include "transforms/util/index_chains.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace spc::transforms {

namespace arith = mlir::arith;
namespace memref = mlir::memref;
namespace scf = mlir::scf;
using mlir::Value;

namespace {

/// A root that loops of a run walk together with others.
struct MergedRoot {
  BindAttr items;
  mlir::BlockArgument limit;   ///< the number of its positions
  mlir::BlockArgument indices; ///< its coordinates
};

/// The outermost loops of one run.
class RunLoops {
public:
  RunLoops(mlir::func::FuncOp body, dialect::OpenRunOp run) : body_(body), run_(run) {}

  /// Whether they are what cutRuns() asks for.
  bool find();
  ExtentAttr rows() const { return rows_; }
  bool isOverAllRows() const { return single_ && !single_->isRoot(); }
  mlir::StringRef root() const { return single_ ? single_->items.getSymbol() : roots_.front().items.getSymbol(); }
  llvm::ArrayRef<mlir::Operation *> loops() const { return loops_; }
  void cut(Value begin, Value end);

private:
  bool collect();
  bool findSingle();
  bool findMerge();
  bool isPart(scf::ForOp loop);
  bool isPart(scf::WhileOp loop);
  bool addRoot(Value position, Value limit, Value start);
  bool isListed(Value row);
  bool isListedAt(Value row);
  bool sharesExtent(ExtentAttr extent);

  mlir::func::FuncOp body_;
  dialect::OpenRunOp run_;
  ExtentAttr rows_;
  llvm::SmallVector<mlir::Operation *> loops_;
  llvm::SmallVector<dialect::EndRowOp> ends_;
  std::optional<RowLoop> single_;
  llvm::SmallVector<MergedRoot> roots_;
  llvm::SmallDenseMap<Value, unsigned> rootOf_;                      ///< of a position that a loop walks
  llvm::SmallVector<std::pair<mlir::OpOperand *, unsigned>> starts_; ///< zeros, and the roots whose walks start there
};

/// The loops that do something for the run, each at the top of its nest.
bool RunLoops::collect() {
  for (mlir::Operation &op : run_.getNests().front().front().without_terminator()) {
    bool isRun = false;
    op.walk([&](mlir::Operation *inner) {
      if (auto end = mlir::dyn_cast<dialect::EndRowOp>(inner))
        ends_.push_back(end);
      isRun |=
          llvm::any_of(inner->getOperandTypes(), [](mlir::Type type) { return mlir::isa<dialect::RunType>(type); });
    });
    if (isRun && !mlir::isa<scf::ForOp, scf::WhileOp>(op))
      return false;
    if (isRun)
      loops_.push_back(&op);
  }
  return !loops_.empty() && llvm::none_of(ends_, [](dialect::EndRowOp end) { return end.getCoordinates().empty(); });
}

bool RunLoops::find() {
  return collect() && (findSingle() || findMerge());
}

bool RunLoops::sharesExtent(ExtentAttr extent) {
  if (!extent || (rows_ && rows_ != extent))
    return false;
  rows_ = extent;
  return true;
}

/// Whether one loop goes through the rows, and each row is the coordinate that it is at.
bool RunLoops::findSingle() {
  const dialect::RowLoopAttr is = loops_.size() == 1 ? classifyRows(body_, loops_.front()) : dialect::RowLoopAttr();
  if (!is || loops_.front()->getNumResults() > (is.getKind() == dialect::RowLoopKind::Segments ? 2U : 0U))
    return false;
  std::optional<RowLoop> rows = rowLoopOf(body_, loops_.front(), is);
  const auto isOwn = [&](dialect::EndRowOp end) {
    const Value row = end.getCoordinates().front();
    if (!rows->isRoot())
      return row == rows->item;
    memref::LoadOp load = loadedIndex(row);
    return load && load.getMemRef() == rows->indices && load.getIndices().front() == rows->item;
  };
  if (!rows || !sharesExtent(is.getRows()) || !llvm::all_of(ends_, isOwn))
    return false;
  single_ = rows;
  return true;
}

/// Whether the loops walk several roots: a merge, and then the rest of each.
bool RunLoops::findMerge() {
  const auto isLoopOfMerge = [&](mlir::Operation *op) {
    auto loop = mlir::dyn_cast<scf::ForOp>(op);
    return loop ? isPart(loop) : isPart(mlir::cast<scf::WhileOp>(op));
  };
  return llvm::all_of(loops_, isLoopOfMerge) &&
         llvm::all_of(ends_, [&](dialect::EndRowOp end) { return isListed(end.getCoordinates().front()); });
}

/// `for p from start to count`
bool RunLoops::isPart(scf::ForOp loop) {
  return loop.getNumResults() == 0 && mlir::isConstantIntValue(loop.getStep(), 1) &&
         addRoot(loop.getInductionVar(), loop.getUpperBound(), loop.getLowerBound()) &&
         (starts_.push_back({&loop.getLowerBoundMutable(), rootOf_[loop.getInductionVar()]}), true);
}

/// `while (p, q = starts; p < count of one && q < count of the other)`
bool RunLoops::isPart(scf::WhileOp loop) {
  llvm::SmallVector<Value> open{loop.getConditionOp().getCondition()};
  llvm::SmallDenseMap<Value, Value> limits;
  while (!open.empty()) {
    const Value condition = open.pop_back_val();
    if (auto both = condition.getDefiningOp<arith::AndIOp>()) {
      open.append({both.getLhs(), both.getRhs()});
      continue;
    }
    auto test = condition.getDefiningOp<arith::CmpIOp>();
    if (!test || test.getPredicate() != arith::CmpIPredicate::ult)
      return false;
    limits[test.getLhs()] = test.getRhs();
  }
  mlir::Block *before = loop.getBeforeBody(), *after = loop.getAfterBody();
  if (!llvm::equal(loop.getConditionOp().getArgs(), before->getArguments()))
    return false;
  for (auto [k, position] : llvm::enumerate(before->getArguments())) {
    const Value limit = limits.lookup(position);
    if (!limit || !addRoot(after->getArgument(static_cast<unsigned>(k)), limit, loop.getInits()[k]))
      return false;
    starts_.push_back(
        {&loop->getOpOperand(static_cast<unsigned>(k)), rootOf_[after->getArgument(static_cast<unsigned>(k))]});
  }
  return true;
}

/// Notes that a loop walks a root's positions, up to all of them, from 0 or where another one of the loops has stopped.
bool RunLoops::addRoot(Value position, Value limit, Value start) {
  const BindAttr items = dialect::bindOf(body_, limit);
  if (!items || items.getKind() != BindKind::Count)
    return false;
  const mlir::BlockArgument indices = dialect::argumentWith(body_, items.as(BindKind::Indices));
  if (!indices || !sharesExtent(dialect::ascendingExtentOf(body_, indices.getArgNumber())))
    return false;
  if (!mlir::isConstantIntValue(start, 0) && !llvm::is_contained(loops_, start.getDefiningOp()))
    return false;
  auto known = llvm::find_if(roots_, [&](const MergedRoot &root) { return root.items == items; });
  rootOf_[position] = static_cast<unsigned>(known - roots_.begin());
  if (known == roots_.end())
    roots_.push_back({items, mlir::cast<mlir::BlockArgument>(limit), indices});
  return true;
}

/// Whether a row is the coordinate where a root is, or the least of several.
bool RunLoops::isListed(Value row) {
  if (auto choice = row.getDefiningOp<arith::SelectOp>())
    return isListed(choice.getTrueValue()) && isListed(choice.getFalseValue());
  if (auto least = row.getDefiningOp<arith::MinUIOp>())
    return isListed(least.getLhs()) && isListed(least.getRhs());
  memref::LoadOp load = loadedIndex(row);
  const auto root = load ? rootOf_.find(load.getIndices().front()) : rootOf_.end();
  return root != rootOf_.end() && load.getMemRef() == roots_[root->second].indices;
}

void RunLoops::cut(Value begin, Value end) {
  if (single_)
    return single_->isRoot() ? setRows(*single_, begin, end) : setBounds(*single_, begin, end);
  mlir::OpBuilder builder(run_);
  llvm::SmallVector<Value> firsts;
  for (const MergedRoot &root : roots_) {
    firsts.push_back(locateRow(builder, run_.getLoc(), root.indices, root.limit, begin));
    const Value last = locateRow(builder, run_.getLoc(), root.indices, root.limit, end);
    mlir::BlockArgument limit = root.limit;
    limit.replaceUsesWithIf(last, [&](mlir::OpOperand &use) { return run_->isProperAncestor(use.getOwner()); });
  }
  for (auto [start, root] : starts_)
    if (mlir::isConstantIntValue(start->get(), 0))
      start->set(firsts[root]);
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
