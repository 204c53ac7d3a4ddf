#include "transforms/passes.h"

#include "mlir/Conversion/ComplexToStandard/ComplexToStandard.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

namespace spc::transforms {

#define GEN_PASS_DEF_SPLITCOMPLEXSUMS
#include "transforms/Passes.h.inc"

namespace {

namespace complex = mlir::complex;
namespace scf = mlir::scf;
using mlir::Value;
using Values = llvm::SmallVector<Value>;

/// The values with both parts in place of each complex one.
Values partsOf(mlir::ImplicitLocOpBuilder &ops, mlir::ValueRange values) {
  Values parts;
  for (Value value : values) {
    if (!mlir::isa<mlir::ComplexType>(value.getType())) {
      parts.push_back(value);
      continue;
    }
    parts.push_back(complex::ReOp::create(ops, value));
    parts.push_back(complex::ImOp::create(ops, value));
  }
  return parts;
}

/// The opposite: values of the types of `originals`, whose parts are given.
Values join(mlir::ImplicitLocOpBuilder &ops, mlir::ValueRange originals, mlir::ValueRange parts) {
  Values values;
  for (Value original : originals) {
    const bool isComplex = mlir::isa<mlir::ComplexType>(original.getType());
    values.push_back(isComplex ? complex::CreateOp::create(ops, original.getType(), parts[0], parts[1]).getResult()
                               : parts[0]);
    parts = parts.drop_front(isComplex ? 2 : 1);
  }
  return values;
}

class SplitComplexSums : public impl::SplitComplexSumsBase<SplitComplexSums> {
public:
  void runOnOperation() override {
    llvm::SmallVector<scf::ForOp> loops;
    getOperation().walk([&](scf::ForOp loop) {
      if (llvm::any_of(loop.getResultTypes(), llvm::IsaPred<mlir::ComplexType>))
        loops.push_back(loop);
    });
    if (loops.empty())
      return;
    for (scf::ForOp loop : loops)
      split(loop);
    mlir::OpPassManager arithmetic(mlir::func::FuncOp::getOperationName());
    arithmetic.addPass(mlir::createConvertComplexToStandardPass());
    arithmetic.addPass(mlir::createCanonicalizerPass());
    if (mlir::failed(runPipeline(arithmetic, getOperation())))
      signalPassFailure();
  }

private:
  static void split(scf::ForOp loop);
};

void SplitComplexSums::split(scf::ForOp loop) {
  mlir::OpBuilder builder(loop);
  mlir::ImplicitLocOpBuilder ops(loop.getLoc(), builder);
  auto clone = scf::ForOp::create(ops, loop.getLowerBound(), loop.getUpperBound(), loop.getStep(),
                                  partsOf(ops, loop.getInitArgs()));
  clone->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  mlir::Block *body = clone.getBody();
  body->clear();
  ops.setInsertionPointToEnd(body);
  const Values carried = join(ops, loop.getRegionIterArgs(), clone.getRegionIterArgs());
  loop.getInductionVar().replaceAllUsesWith(clone.getInductionVar());
  for (auto [original, value] : llvm::zip_equal(loop.getRegionIterArgs(), carried))
    original.replaceAllUsesWith(value);
  body->getOperations().splice(body->end(), loop.getBody()->getOperations());
  mlir::Operation *yield = body->getTerminator();
  ops.setInsertionPoint(yield);
  scf::YieldOp::create(ops, partsOf(ops, yield->getOperands()));
  yield->erase();
  ops.setInsertionPointAfter(clone);
  loop.replaceAllUsesWith(join(ops, loop.getResults(), clone.getResults()));
  loop.erase();
}

} // namespace
} // namespace spc::transforms
