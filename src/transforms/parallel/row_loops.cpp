#include "transforms/parallel/row_loops.h"

#include "transforms/util/affine_sums.h"
#include "transforms/util/body_arguments.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace spc::transforms {

namespace arith = mlir::arith;
namespace memref = mlir::memref;
namespace scf = mlir::scf;

namespace {

/// Sets what is known of a root from the argument that holds its number of entries; false where `limit` is not one.
bool describeRoot(mlir::func::FuncOp body, mlir::Value limit, RowLoop &rows) {
  rows.items = dialect::bindOf(body, limit);
  if (!rows.items || rows.items.getKind() != BindKind::Count)
    return false;
  rows.limit = mlir::cast<mlir::BlockArgument>(limit);
  rows.indices = dialect::argumentWith(body, rows.items.as(BindKind::Indices));
  if (rows.indices)
    rows.rows = body.getArgAttrOfType<ExtentAttr>(rows.indices.getArgNumber(), kAscends);
  return true;
}

std::optional<RowLoop> matchFor(mlir::func::FuncOp body, scf::ForOp loop) {
  if (!isConstant(loop.getLowerBound(), 0) || !isConstant(loop.getStep(), 1))
    return std::nullopt;
  RowLoop rows{RowLoop::Kind::Rows, loop, {}, loop.getInductionVar(), {}, {}, {}, {}, extentOf(body, loop)};
  if (rows.rows) {
    rows.items = BindAttr::get(rows.rows);
    rows.limit = mlir::cast<mlir::BlockArgument>(loop.getUpperBound());
    return rows;
  }
  rows.kind = RowLoop::Kind::Positions;
  return describeRoot(body, loop.getUpperBound(), rows) ? std::optional(rows) : std::nullopt;
}

/// `while (p = 0, last = the end of the first segment; p < count) { …; p = last, last = … }`
std::optional<RowLoop> matchWhile(mlir::func::FuncOp body, scf::WhileOp loop) {
  if (loop.getInits().size() != 2 || !isConstant(loop.getInits()[0], 0))
    return std::nullopt;
  auto test = loop.getConditionOp().getCondition().getDefiningOp<arith::CmpIOp>();
  auto first = loop.getInits()[1].getDefiningOp<scf::WhileOp>();
  mlir::Block *before = loop.getBeforeBody(), *after = loop.getAfterBody();
  if (!test || test.getPredicate() != arith::CmpIPredicate::ult || test.getLhs() != before->getArgument(0) ||
      !llvm::equal(loop.getConditionOp().getArgs(), before->getArguments()) ||
      loop.getYieldOp().getOperand(0) != after->getArgument(1) || !first || first.getInits().size() != 1 ||
      !isConstant(first.getInits()[0], 0))
    return std::nullopt;
  RowLoop rows{RowLoop::Kind::Segments, loop, first, after->getArgument(0), after->getArgument(1), {}, {}, {}, {}};
  return describeRoot(body, test.getRhs(), rows) && rows.indices ? std::optional(rows) : std::nullopt;
}

/// The first position from which on the coordinates are `row` or more.
mlir::Value locate(mlir::OpBuilder &builder, const RowLoop &rows, mlir::Value row) {
  const mlir::Location location = rows.loop->getLoc();
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
    mlir::Value loaded = memref::LoadOp::create(inner, at, rows.indices, middle);
    mlir::Value coordinate = arith::IndexCastUIOp::create(inner, at, index, loaded);
    mlir::Value isBefore = arith::CmpIOp::create(inner, at, arith::CmpIPredicate::ult, coordinate, row);
    mlir::Value next = arith::AddIOp::create(inner, at, middle, one);
    mlir::Value first = arith::SelectOp::create(inner, at, isBefore, next, range[0]);
    mlir::Value last = arith::SelectOp::create(inner, at, isBefore, range[1], middle);
    scf::YieldOp::create(inner, at, mlir::ValueRange{first, last});
  };
  return scf::WhileOp::create(builder, location, mlir::TypeRange{index, index}, mlir::ValueRange{zero, rows.limit},
                              test, halve)
      .getResult(0);
}

} // namespace

ExtentAttr extentOf(mlir::func::FuncOp body, scf::ForOp loop) {
  const BindAttr bind = dialect::bindOf(body, loop.getUpperBound());
  const bool isWhole = isConstant(loop.getLowerBound(), 0) && isConstant(loop.getStep(), 1);
  return isWhole && bind && bind.getKind() == BindKind::Size ? bind.getExtent() : ExtentAttr();
}

std::optional<RowLoop> matchRowLoop(mlir::func::FuncOp body, mlir::Operation *op) {
  if (auto loop = mlir::dyn_cast<scf::ForOp>(op))
    return matchFor(body, loop);
  auto loop = mlir::dyn_cast<scf::WhileOp>(op);
  return loop ? matchWhile(body, loop) : std::nullopt;
}

void setBounds(const RowLoop &rows, mlir::Value begin, mlir::Value end) {
  if (auto loop = mlir::dyn_cast<scf::ForOp>(rows.loop)) {
    loop.setLowerBound(begin);
    loop.setUpperBound(end);
    return;
  }
  scf::WhileOp search = rows.firstSegment;
  // A constant 0 elsewhere in the loops is no position of the root.
  mlir::Value first = search.getInits()[0];
  search->setOperand(0, begin);
  rows.loop->setOperand(0, begin);
  search.walk([&](memref::LoadOp load) {
    if (load.getMemRef() == rows.indices && load.getIndices().front() == first)
      load.setOperand(1, begin);
  });
  mlir::BlockArgument limit = rows.limit;
  limit.replaceUsesWithIf(end, [&](mlir::OpOperand &use) {
    return search->isProperAncestor(use.getOwner()) || rows.loop->isProperAncestor(use.getOwner());
  });
}

void setRows(const RowLoop &rows, mlir::Value begin, mlir::Value end) {
  scf::WhileOp search = rows.firstSegment;
  mlir::OpBuilder builder(search ? search.getOperation() : rows.loop);
  mlir::Value first = locate(builder, rows, begin), last = locate(builder, rows, end);
  setBounds(rows, first, last);
}

} // namespace spc::transforms
