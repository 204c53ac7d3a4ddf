#include "dialect/attributes.h"
#include "transforms/passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

namespace spc::transforms {

#define GEN_PASS_DEF_TAKESINGLES
#include "transforms/Passes.h.inc"

namespace {

namespace arith = mlir::arith;
namespace scf = mlir::scf;
using mlir::Value;

bool isPositiveZero(mlir::Attribute number) {
  if (auto parts = mlir::dyn_cast<mlir::ArrayAttr>(number))
    return llvm::all_of(parts, isPositiveZero);
  const auto value = mlir::dyn_cast<mlir::FloatAttr>(number);
  return value && value.getValue().isPosZero();
}

/// What an addition adds to `sum`; null for anything else.
Value addedTo(Value sum, Value value) {
  mlir::Operation *made = value.getDefiningOp();
  if (!mlir::isa_and_present<arith::AddFOp, mlir::complex::AddOp>(made))
    return {};
  const Value left = made->getOperand(0), right = made->getOperand(1);
  return left == sum ? right : right == sum ? left : Value();
}

class TakeSingles : public impl::TakeSinglesBase<TakeSingles> {
public:
  void runOnOperation() override {
    getOperation().walk([](scf::ForOp loop) {
      if (const dialect::LoopAttr planned = dialect::plannedLoopOf(loop); planned && planned.getIsOnce())
        takeSingles(loop);
    });
  }

private:
  static void takeSingles(scf::ForOp loop) {
    for (auto [start, sum, yielded] :
         llvm::zip(loop.getInitArgs(), loop.getRegionIterArgs(), loop.getYieldedValuesMutable().value())) {
      mlir::Attribute number;
      const Value added = addedTo(sum, yielded.get());
      if (added && mlir::matchPattern(start, mlir::m_Constant(&number)) && isPositiveZero(number))
        yielded.set(added);
    }
  }
};

} // namespace
} // namespace spc::transforms
