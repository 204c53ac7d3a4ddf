#include "transforms/passes.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/TypeSwitch.h"

namespace spc::transforms {

#define GEN_PASS_DEF_CALLLIBM
#include "transforms/Passes.h.inc"

namespace {

namespace LLVM = mlir::LLVM;
namespace math = mlir::math;

/// The function on doubles that an operation becomes a call of; empty where LLVM has an intrinsic as exact.
llvm::StringRef libmName(mlir::Operation *op) {
  return llvm::TypeSwitch<mlir::Operation *, llvm::StringRef>(op)
      .Case([](math::CbrtOp) { return "cbrt"; })
      .Case([](math::ExpM1Op) { return "expm1"; })
      .Case([](math::Log1pOp) { return "log1p"; })
      .Case([](math::TanOp) { return "tan"; })
      .Case([](math::SinhOp) { return "sinh"; })
      .Case([](math::CoshOp) { return "cosh"; })
      .Case([](math::TanhOp) { return "tanh"; })
      .Case([](math::AsinOp) { return "asin"; })
      .Case([](math::AcosOp) { return "acos"; })
      .Case([](math::AtanOp) { return "atan"; })
      .Case([](math::AsinhOp) { return "asinh"; })
      .Case([](math::AcoshOp) { return "acosh"; })
      .Case([](math::AtanhOp) { return "atanh"; })
      .Case([](math::ErfOp) { return "erf"; })
      .Case([](math::Atan2Op) { return "atan2"; })
      .Default(llvm::StringRef());
}

class CallLibm : public impl::CallLibmBase<CallLibm> {
public:
  void runOnOperation() override {
    getOperation().walk([&](mlir::Operation *op) {
      if (const llvm::StringRef name = libmName(op); !name.empty())
        call(op, name);
    });
  }

private:
  void call(mlir::Operation *op, llvm::StringRef name) {
    const mlir::Type type = op->getResult(0).getType();
    LLVM::LLVMFuncOp function = declare(name.str() + (type.isF32() ? "f" : ""), type, op->getNumOperands());
    mlir::OpBuilder builder(op);
    auto call = LLVM::CallOp::create(builder, op->getLoc(), function, op->getOperands());
    op->replaceAllUsesWith(call->getResults());
    op->erase();
  }

  LLVM::LLVMFuncOp declare(const std::string &name, mlir::Type type, unsigned arguments) {
    if (auto known = getOperation().lookupSymbol<LLVM::LLVMFuncOp>(name))
      return known;
    mlir::OpBuilder builder(getOperation().getBodyRegion());
    const llvm::SmallVector<mlir::Type> inputs(arguments, type);
    auto function =
        LLVM::LLVMFuncOp::create(builder, getOperation().getLoc(), name, LLVM::LLVMFunctionType::get(type, inputs));
    // errno is not looked at.
    const auto none = LLVM::ModRefInfo::NoModRef;
    function.setMemoryEffectsAttr(builder.getAttr<LLVM::MemoryEffectsAttr>(none, none, none, none, none, none));
    function.setNoUnwind(true);
    function.setWillReturn(true);
    return function;
  }
};

} // namespace
} // namespace spc::transforms
