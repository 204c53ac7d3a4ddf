#include "transforms/passes.h"
#include "transforms/util/body_arguments.h"
#include "transforms/util/carried_values.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"

#include "llvm/ADT/SmallPtrSet.h"

namespace spc::transforms {

#define GEN_PASS_DEF_RESUMEREDUCTIONS
#include "transforms/Passes.h.inc"

namespace {

namespace memref = mlir::memref;
using mlir::Value;

/// Follows a value back through the loops and branches that carry it, to the constants that they start from.
class Starts {
public:
  explicit Starts(mlir::Attribute identity) : identity_(identity) {}

  /// Operands that are the reduction's identity. Any other constant is an addend: the reduction of the identity and it
  /// has folded.
  llvm::SmallVector<mlir::OpOperand *> constants;

  void trace(mlir::OpOperand &place) {
    if (!seen_.insert(&place).second)
      return;
    mlir::Attribute constant;
    if (mlir::matchPattern(place.get(), mlir::m_Constant(&constant))) {
      if (constant == identity_)
        constants.push_back(&place);
    } else if (const std::optional<Origins> origins = originsOf(place.get())) {
      for (mlir::OpOperand *start : origins->starts)
        trace(*start);
    }
  }

private:
  mlir::Attribute identity_;
  llvm::SmallPtrSet<mlir::OpOperand *, 16> seen_;
};

class ResumeReductions : public impl::ResumeReductionsBase<ResumeReductions> {
public:
  void runOnOperation() override {
    if (getOperation().isExternal())
      return;
    mlir::func::FuncOp body = getOperation();
    for (mlir::BlockArgument argument : body.getArguments())
      if (const TensorAttr tensor = dialect::tensorOf(body, argument.getArgNumber()); tensor && tensor.getIdentity())
        for (mlir::Operation *user : llvm::make_early_inc_range(argument.getUsers()))
          if (auto store = mlir::dyn_cast<memref::StoreOp>(user); store && failed(resume(store, tensor.getIdentity())))
            return signalPassFailure();
  }

private:
  mlir::LogicalResult resume(memref::StoreOp store, mlir::Attribute identity);
};

/// Moves the operations that compute a coordinate in front of `place`. Nobody writes the arrays that coordinates are
/// loaded from.
void makeBefore(Value coordinate, mlir::Operation *place) {
  mlir::Operation *op = coordinate.getDefiningOp();
  if (!op || op->getBlock() != place->getBlock() || op->isBeforeInBlock(place))
    return;
  for (Value operand : op->getOperands())
    makeBefore(operand, place);
  op->moveBefore(place);
}

/// Loads the element that `store` overwrites, and lets the loops whose result it stores start from it.
mlir::LogicalResult ResumeReductions::resume(memref::StoreOp store, mlir::Attribute identity) {
  Starts starts(identity);
  starts.trace(store->getOpOperand(0));
  if (starts.constants.empty())
    return mlir::success();
  mlir::Operation *first = store;
  for (mlir::OpOperand *start : starts.constants) {
    mlir::Operation *op = store->getBlock()->findAncestorOpInBlock(*start->getOwner());
    if (!op)
      return store.emitError("a reduction is stored in another block than it is computed in");
    first = op->isBeforeInBlock(first) ? op : first;
  }
  for (Value coordinate : store.getIndices())
    makeBefore(coordinate, first);
  mlir::OpBuilder builder(first);
  const Value before = memref::LoadOp::create(builder, store.getLoc(), store.getMemRef(), store.getIndices());
  for (mlir::OpOperand *start : starts.constants)
    start->set(before);
  return mlir::success();
}

} // namespace
} // namespace spc::transforms
