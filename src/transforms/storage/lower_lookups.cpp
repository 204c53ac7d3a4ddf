#include "dialect/dialect.h"
#include "dialect/runtime_types.h"
#include "transforms/passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace spc::transforms {

#define GEN_PASS_DEF_LOWERLOOKUPS
#include "transforms/Passes.h.inc"

namespace {

namespace arith = mlir::arith;
namespace LLVM = mlir::LLVM;
namespace scf = mlir::scf;
namespace functions = runtime::functions;
using mlir::Value;

class LowerLookups : public impl::LowerLookupsBase<LowerLookups> {
public:
  void runOnOperation() override {
    getOperation().walk(lower);
    getOperation().walk([](dialect::TakePositionsOp op) {
      mlir::OpBuilder builder(op);
      auto call = dialect::callRuntime(builder, op.getLoc(), functions::take_positions, {op.getMemory()});
      op.getArray().replaceAllUsesWith(call.getResult());
      op.erase();
    });
    getOperation().walk([](dialect::GivePositionsOp op) {
      mlir::OpBuilder builder(op);
      dialect::callRuntime(builder, op.getLoc(), functions::give_positions, {op.getMemory(), op.getArray()});
      op.erase();
    });
  }

private:
  static void lower(dialect::FindRowOp op) {
    mlir::OpBuilder builder(op);
    const mlir::Location where = op.getLoc();
    const Value null = LLVM::ZeroOp::create(builder, where, op.getTable().getType());
    const Value isListed = LLVM::ICmpOp::create(builder, where, LLVM::ICmpPredicate::ne, op.getTable(), null);
    const Value key = arith::IndexCastOp::create(builder, where, builder.getI64Type(), op.getCoordinate());
    LLVM::LLVMFuncOp function =
        dialect::declareRuntime(op->getParentOfType<mlir::ModuleOp>(), functions::find_row, where);
    const auto find = [&](mlir::OpBuilder &inside, mlir::Location) {
      auto call = LLVM::CallOp::create(inside, where, function, mlir::ValueRange{op.getTable(), key});
      call.setMemoryEffectsAttr(readsMemory(inside.getContext()));
      call.setWillReturn(true);
      const Value position = arith::IndexCastOp::create(inside, where, inside.getIndexType(), call.getResult());
      scf::YieldOp::create(inside, where, position);
    };
    const auto take = [&](mlir::OpBuilder &inside, mlir::Location) {
      scf::YieldOp::create(inside, where, op.getCoordinate());
    };
    op.getPosition().replaceAllUsesWith(scf::IfOp::create(builder, where, isListed, find, take).getResult(0));
    op.erase();
  }

  /// A lookup changes nothing, so that what loops load stays in registers across it.
  static LLVM::MemoryEffectsAttr readsMemory(mlir::MLIRContext *context) {
    const auto reads = LLVM::ModRefInfo::Ref;
    return LLVM::MemoryEffectsAttr::get(context, {reads, reads, reads});
  }
};

} // namespace
} // namespace spc::transforms
