#include "dialect/dialect.h"
#include "dialect/runtime_types.h"
#include "transforms/passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

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
    getOperation().walk([](dialect::BeginTrialOp op) {
      mlir::OpBuilder builder(op);
      Value usual = arith::ExtUIOp::create(builder, op.getLoc(), builder.getI64Type(), op.getUsual());
      auto call = dialect::callRuntime(builder, op.getLoc(), functions::trial_begin, {op.getTrial(), usual});
      op.getPiece().replaceAllUsesWith(call.getResult());
      op.erase();
    });
    getOperation().walk([](dialect::EndTrialOp op) {
      mlir::OpBuilder builder(op);
      Value work = arith::IndexCastOp::create(builder, op.getLoc(), builder.getI64Type(), op.getWork());
      dialect::callRuntime(builder, op.getLoc(), functions::trial_end, {op.getTrial(), op.getPiece(), work});
      op.erase();
    });
  }
};

} // namespace
} // namespace spc::transforms
