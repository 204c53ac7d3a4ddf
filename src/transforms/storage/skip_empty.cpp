#include "transforms/passes.h"
#include "transforms/util/body_arguments.h"
#include "transforms/util/skipped_nests.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace spc::transforms {

#define GEN_PASS_DEF_SKIPEMPTY
#include "transforms/Passes.h.inc"

namespace {

namespace arith = mlir::arith;
namespace scf = mlir::scf;
using mlir::Value;

class SkipEmpty : public impl::SkipEmptyBase<SkipEmpty> {
public:
  void runOnOperation() override {
    llvm::SmallVector<mlir::Operation *> outermost;
    getOperation().walk<mlir::WalkOrder::PreOrder>([&](mlir::Operation *op) {
      if (!skippedNest(getOperation(), op))
        return mlir::WalkResult::advance();
      outermost.push_back(op);
      return mlir::WalkResult::skip();
    });
    for (mlir::Operation *op : outermost)
      skip(op);
  }

private:
  /// Whether the extents leave a nest some addends, worked out at the beginning of the body.
  Value hasAddends(dialect::NestAttr nest) {
    mlir::OpBuilder builder = mlir::OpBuilder::atBlockBegin(&getOperation().getBody().front());
    const mlir::Location location = getOperation().getLoc();
    const Value zero = arith::ConstantIndexOp::create(builder, location, 0);
    Value all;
    for (const ExtentAttr extent : nest.getEmptyWith()) {
      const Value size = boundNumber(getOperation(), BindAttr::get(extent));
      const Value some = arith::CmpIOp::create(builder, location, arith::CmpIPredicate::ne, size, zero);
      all = all ? arith::AndIOp::create(builder, location, all, some).getResult() : some;
    }
    return all;
  }

  static Value zeroOf(mlir::OpBuilder &builder, mlir::Location location, mlir::Type type) {
    const auto complex = mlir::dyn_cast<mlir::ComplexType>(type);
    const mlir::TypedAttr part = builder.getZeroAttr(complex ? complex.getElementType() : type);
    return complex ? mlir::complex::ConstantOp::create(builder, location, type, builder.getArrayAttr({part, part}))
                         .getResult()
                   : arith::ConstantOp::create(builder, location, part).getResult();
  }

  void skip(mlir::Operation *op) {
    const dialect::NestAttr nest = skippedNest(getOperation(), op);
    const Value some = hasAddends(nest);
    if (nest.getIsSet()) {
      op->walk([&](mlir::memref::StoreOp store) {
        mlir::OpBuilder builder(store);
        const Value value = store.getValue(), zero = zeroOf(builder, store.getLoc(), value.getType());
        store.getValueMutable().assign(arith::SelectOp::create(builder, store.getLoc(), some, value, zero).getResult());
      });
      return;
    }
    mlir::OpBuilder builder(op);
    if (auto loop = mlir::dyn_cast<scf::ForOp>(op))
      return loop.setUpperBound(
          arith::SelectOp::create(builder, op->getLoc(), some, loop.getUpperBound(), loop.getLowerBound()));
    auto loop = mlir::cast<scf::WhileOp>(op);
    scf::ConditionOp condition = loop.getConditionOp();
    builder.setInsertionPoint(condition);
    condition.getConditionMutable().assign(
        arith::AndIOp::create(builder, op->getLoc(), condition.getCondition(), some));
  }
};

} // namespace
} // namespace spc::transforms
