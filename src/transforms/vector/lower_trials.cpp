#include "dialect/dialect.h"
#include "dialect/runtime_types.h"
#include "transforms/passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace spc::transforms {

#define GEN_PASS_DEF_LOWERTRIALS
#include "transforms/Passes.h.inc"

namespace {

namespace arith = mlir::arith;
namespace functions = runtime::functions;
using mlir::Value;

class LowerTrials : public impl::LowerTrialsBase<LowerTrials> {
public:
  void runOnOperation() override {
    getOperation().walk([&](dialect::BeginTrialOp op) {
      mlir::OpBuilder builder(op);
      Value usual = arith::ExtUIOp::create(builder, op.getLoc(), builder.getI64Type(), op.getUsual());
      op.getPiece().replaceAllUsesWith(call(op, functions::trial_begin, {op.getTrial(), usual}).getResult());
      op.erase();
    });
    getOperation().walk([&](dialect::EndTrialOp op) {
      mlir::OpBuilder builder(op);
      Value work = arith::IndexCastOp::create(builder, op.getLoc(), builder.getI64Type(), op.getWork());
      call(op, functions::trial_end, {op.getTrial(), op.getPiece(), work});
      op.erase();
    });
  }

private:
  mlir::LLVM::CallOp call(mlir::Operation *op, const runtime::Function &function, mlir::ValueRange arguments) {
    mlir::OpBuilder builder(op);
    return mlir::LLVM::CallOp::create(
        builder, op->getLoc(), dialect::declareRuntime(getOperation(), function, getOperation().getLoc()), arguments);
  }
};

} // namespace
} // namespace spc::transforms
