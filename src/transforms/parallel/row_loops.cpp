#include "transforms/parallel/row_loops.h"

#include "transforms/util/body_arguments.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

namespace spc::transforms {

namespace arith = mlir::arith;
namespace memref = mlir::memref;
namespace scf = mlir::scf;
using dialect::RowLoopAttr;
using dialect::RowLoopKind;

namespace {

/// What a loop over the positions of a root is, by the argument `limit` that holds their number; null where that is no
/// such number.
RowLoopAttr overRoot(mlir::func::FuncOp body, RowLoopKind kind, mlir::Value limit) {
  const BindAttr items = dialect::bindOf(body, limit);
  if (!items || items.getKind() != BindKind::Count)
    return {};
  const mlir::BlockArgument indices = dialect::argumentWith(body, items.as(BindKind::Indices));
  if (!indices && kind == RowLoopKind::Segments)
    return {};
  const auto rows = indices ? dialect::ascendingExtentOf(body, indices.getArgNumber()) : ExtentAttr();
  return RowLoopAttr::get(body.getContext(), kind, items, rows);
}

RowLoopAttr classify(mlir::func::FuncOp body, scf::ForOp loop) {
  if (!mlir::isConstantIntValue(loop.getLowerBound(), 0) || !mlir::isConstantIntValue(loop.getStep(), 1))
    return {};
  if (const ExtentAttr rows = extentOf(body, loop))
    return RowLoopAttr::get(body.getContext(), RowLoopKind::Rows, BindAttr::get(rows), rows);
  return overRoot(body, RowLoopKind::Positions, loop.getUpperBound());
}

/// `while (p = 0, last = the end of the first segment; p < count) { …; p = last, last = … }`: what a loop over the rows
/// that one root lists is where these repeat.
RowLoopAttr classify(mlir::func::FuncOp body, scf::WhileOp loop) {
  const dialect::LoopAttr planned = dialect::plannedLoopOf(loop);
  if (!planned || planned.getLists().size() != 1 || planned.getIsBeyond() || loop.getInits().size() != 2)
    return {};
  const auto count = BindAttr::get(body.getContext(), BindKind::Count, planned.getLists().front(), 0);
  return overRoot(body, RowLoopKind::Segments, dialect::argumentWith(body, count));
}

} // namespace

mlir::Value locateRow(mlir::OpBuilder &builder, mlir::Location location, mlir::Value indices, mlir::Value limit,
                      mlir::Value row) {
  const mlir::Type index = builder.getIndexType();
  const auto constant = [&](int64_t number) { return arith::ConstantIndexOp::create(builder, location, number); };
  mlir::Value zero = constant(0), one = constant(1);
  const auto test = [&](mlir::OpBuilder &inner, mlir::Location at, mlir::ValueRange range) {
    mlir::Value open = arith::CmpIOp::create(inner, at, arith::CmpIPredicate::ult, range[0], range[1]);
    scf::ConditionOp::create(inner, at, open, range);
  };
  const auto halve = [&](mlir::OpBuilder &inner, mlir::Location at, mlir::ValueRange range) {
    mlir::Value sum = arith::AddIOp::create(inner, at, range[0], range[1]);
    mlir::Value middle = arith::ShRUIOp::create(inner, at, sum, one);
    mlir::Value loaded = memref::LoadOp::create(inner, at, indices, middle);
    mlir::Value coordinate = arith::IndexCastUIOp::create(inner, at, index, loaded);
    mlir::Value isBefore = arith::CmpIOp::create(inner, at, arith::CmpIPredicate::ult, coordinate, row);
    mlir::Value next = arith::AddIOp::create(inner, at, middle, one);
    mlir::Value first = arith::SelectOp::create(inner, at, isBefore, next, range[0]);
    mlir::Value last = arith::SelectOp::create(inner, at, isBefore, range[1], middle);
    scf::YieldOp::create(inner, at, mlir::ValueRange{first, last});
  };
  return scf::WhileOp::create(builder, location, mlir::TypeRange{index, index}, mlir::ValueRange{zero, limit}, test,
                              halve)
      .getResult(0);
}

ExtentAttr extentOf(mlir::func::FuncOp body, scf::ForOp loop) {
  const BindAttr bind = dialect::bindOf(body, loop.getUpperBound());
  const bool isWhole = mlir::isConstantIntValue(loop.getLowerBound(), 0) && mlir::isConstantIntValue(loop.getStep(), 1);
  return isWhole && bind && bind.getKind() == BindKind::Size ? bind.getExtent() : ExtentAttr();
}

void narrowBounds(scf::ForOp loop, mlir::Value begin, mlir::Value end) {
  mlir::OpBuilder builder(loop);
  loop.setLowerBound(arith::MaxSIOp::create(builder, loop.getLoc(), loop.getLowerBound(), begin));
  loop.setUpperBound(arith::MinSIOp::create(builder, loop.getLoc(), loop.getUpperBound(), end));
}

void recordRowLoops(mlir::func::FuncOp body) {
  for (mlir::Operation &op : body.getBody().front())
    if (const RowLoopAttr is = classifyRows(body, &op))
      dialect::setRowLoop(&op, is);
}

RowLoopAttr classifyRows(mlir::func::FuncOp body, mlir::Operation *op) {
  if (auto loop = mlir::dyn_cast<scf::ForOp>(op))
    return classify(body, loop);
  auto segments = mlir::dyn_cast<scf::WhileOp>(op);
  return segments ? classify(body, segments) : RowLoopAttr();
}

std::optional<RowLoop> rowLoopOf(mlir::func::FuncOp body, mlir::Operation *op) {
  return rowLoopOf(body, op, dialect::rowLoopOf(op));
}

std::optional<RowLoop> rowLoopOf(mlir::func::FuncOp body, mlir::Operation *op, RowLoopAttr is) {
  if (!is)
    return std::nullopt;
  RowLoop rows{};
  rows.kind = is.getKind();
  rows.loop = op;
  rows.items = is.getItems();
  rows.rows = is.getRows();
  rows.limit = dialect::argumentWith(body, rows.items);
  if (rows.isRoot())
    rows.indices = dialect::argumentWith(body, rows.items.as(BindKind::Indices));
  if (rows.isRoot() && (!rows.limit || (rows.rows && !rows.indices)))
    return std::nullopt;
  if (auto loop = mlir::dyn_cast<scf::ForOp>(op)) {
    rows.item = loop.getInductionVar();
    return rows;
  }
  auto segments = mlir::dyn_cast<scf::WhileOp>(op);
  if (!segments || segments.getInits().size() != 2 || segments.getAfterArguments().size() != 2 || !rows.indices ||
      !segments.getInits()[1].getDefiningOp<scf::WhileOp>())
    return std::nullopt;
  rows.item = segments.getAfterArguments()[0];
  rows.last = segments.getAfterArguments()[1];
  rows.firstSegment = segments.getInits()[1].getDefiningOp<scf::WhileOp>();
  return rows;
}

namespace {

/// Makes a loop over segments start at position `begin` in place of 0, and the search for the end of the first segment,
/// which loads that segment's coordinate there. Other uses of the constant are no positions of the root.
void startSegmentsAt(const RowLoop &rows, mlir::Value begin) {
  scf::WhileOp search = rows.firstSegment;
  mlir::Value first = search.getInits()[0];
  search->setOperand(0, begin);
  rows.loop->setOperand(0, begin);
  search.walk([&](memref::LoadOp load) {
    if (load.getMemRef() == rows.indices && load.getIndices().front() == first)
      load.setOperand(1, begin);
  });
}

/// Whether a loop goes from a list's first position to `limit`, the number of its positions.
bool walksAll(mlir::Operation *op, mlir::Value limit) {
  if (auto loop = mlir::dyn_cast<scf::ForOp>(op))
    return loop.getUpperBound() == limit && mlir::isConstantIntValue(loop.getLowerBound(), 0);
  auto loop = mlir::dyn_cast<scf::WhileOp>(op);
  return loop && llvm::any_of(llvm::zip_equal(loop.getBeforeArguments(), loop.getInits()), [&](auto pair) {
           auto [position, start] = pair;
           return mlir::isConstantIntValue(start, 0) && llvm::any_of(position.getUsers(), [&](mlir::Operation *user) {
                    auto test = mlir::dyn_cast<arith::CmpIOp>(user);
                    return test && test.getLhs() == position && test.getRhs() == limit;
                  });
         });
}

} // namespace

void endAt(mlir::Operation *within, mlir::BlockArgument limit, mlir::Value end) {
  llvm::SmallVector<mlir::Operation *> others; // loops that come to the list anew
  within->walk<mlir::WalkOrder::PreOrder>([&](mlir::Operation *op) {
    if (op == within || !walksAll(op, limit))
      return mlir::WalkResult::advance();
    others.push_back(op);
    return mlir::WalkResult::skip();
  });
  limit.replaceUsesWithIf(end, [&](mlir::OpOperand &use) {
    return within->isProperAncestor(use.getOwner()) &&
           llvm::none_of(others, [&](mlir::Operation *other) { return other->isAncestor(use.getOwner()); });
  });
}

void setBounds(const RowLoop &rows, mlir::Value begin, mlir::Value end) {
  if (auto loop = mlir::dyn_cast<scf::ForOp>(rows.loop)) {
    loop.setLowerBound(begin);
    loop.setUpperBound(end);
    return;
  }
  startSegmentsAt(rows, begin);
  endAt(rows.firstSegment, rows.limit, end);
  endAt(rows.loop, rows.limit, end);
}

void setRows(const RowLoop &rows, mlir::Value begin, mlir::Value end) {
  scf::WhileOp search = rows.firstSegment;
  mlir::OpBuilder builder(search ? search.getOperation() : rows.loop);
  const auto locate = [&](mlir::Value row) {
    return locateRow(builder, rows.loop->getLoc(), rows.indices, rows.limit, row);
  };
  mlir::Value first = locate(begin), last = locate(end);
  setBounds(rows, first, last);
}

} // namespace spc::transforms
