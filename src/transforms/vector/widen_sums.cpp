#include "transforms/passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace spc::transforms {

#define GEN_PASS_DEF_WIDENSUMS
#include "transforms/Passes.h.inc"

namespace {

namespace arith = mlir::arith;
namespace scf = mlir::scf;
using mlir::Value;

/// Whether the emulation of arithmetic on half floats made a conversion, not the source or the type of a target. An
/// addend that it extends is in its target's type, to which the source does not round it: sema adds up apart what is.
template <typename Conversion> bool isEmulated(Conversion op) {
  return op && arith::bitEnumContainsAll(op.getFastmath().value_or(arith::FastMathFlags::none),
                                         arith::FastMathFlags::contract);
}

mlir::Type likeF32(mlir::Type type) {
  const mlir::Type element = mlir::Float32Type::get(type.getContext());
  auto vector = mlir::dyn_cast<mlir::VectorType>(type);
  return vector ? mlir::Type(vector.clone(element)) : element;
}

bool isHalf(mlir::Type type) {
  const mlir::Type element = mlir::getElementTypeOrSelf(type);
  return element.isF16() || element.isBF16();
}

/// The single floats that `value` is rounded from, or null.
Value roundedFrom(Value value) {
  auto truncation = value.getDefiningOp<arith::TruncFOp>();
  return isEmulated(truncation) && truncation.getIn().getType() == likeF32(value.getType()) ? truncation.getIn()
                                                                                            : Value();
}

class WidenSums : public impl::WidenSumsBase<WidenSums> {
public:
  void runOnOperation() override {
    // Inner loops and branches first: what they hand on may be what an outer one carries.
    getOperation().walk([&](mlir::Operation *op) {
      if (auto loop = mlir::dyn_cast<scf::ForOp>(op))
        widen(loop);
      else if (auto choice = mlir::dyn_cast<scf::IfOp>(op))
        widen(choice);
    });
    getOperation().walk([](arith::ExtFOp extension) {
      auto truncation = extension.getIn().getDefiningOp<arith::TruncFOp>();
      if (truncation && isEmulated(extension) && truncation.getIn().getType() == extension.getType())
        extension.replaceAllUsesWith(truncation.getIn());
    });
  }

private:
  void widen(scf::ForOp loop);
  void widen(scf::IfOp choice);
  static Value extended(mlir::OpBuilder &builder, Value value);
  static void widenResult(mlir::OpResult result);
};

Value WidenSums::extended(mlir::OpBuilder &builder, Value value) {
  if (Value wide = roundedFrom(value))
    return wide;
  auto extension = arith::ExtFOp::create(builder, value.getLoc(), likeF32(value.getType()), value);
  extension.setFastmath(arith::FastMathFlags::contract);
  return extension;
}

/// Gives a result the wide type: who uses it gets it rounded.
void WidenSums::widenResult(mlir::OpResult result) {
  const mlir::Type narrow = result.getType();
  mlir::OpBuilder builder(result.getContext());
  builder.setInsertionPointAfter(result.getOwner());
  result.setType(likeF32(narrow));
  auto truncation = arith::TruncFOp::create(builder, result.getLoc(), narrow, result);
  truncation.setFastmath(arith::FastMathFlags::contract);
  result.replaceAllUsesExcept(truncation.getResult(), truncation);
}

void WidenSums::widen(scf::ForOp loop) {
  for (auto [number, carried] : llvm::enumerate(loop.getRegionIterArgs())) {
    mlir::OpOperand &yielded = loop.getBody()->getTerminator()->getOpOperand(static_cast<unsigned>(number));
    const mlir::Type wide = likeF32(carried.getType());
    const bool isExtended = llvm::all_of(carried.getUsers(), [&](mlir::Operation *user) {
      auto extension = mlir::dyn_cast<arith::ExtFOp>(user);
      return isEmulated(extension) && extension.getType() == wide;
    });
    if (!isHalf(carried.getType()) || !isExtended || !roundedFrom(yielded.get()))
      continue;
    mlir::OpBuilder builder(loop);
    mlir::OpOperand &init = loop.getInitArgsMutable()[number];
    init.set(extended(builder, init.get()));
    yielded.set(roundedFrom(yielded.get()));
    carried.setType(wide);
    for (mlir::Operation *user : llvm::make_early_inc_range(carried.getUsers())) {
      user->replaceAllUsesWith(mlir::ValueRange(carried));
      user->erase();
    }
    widenResult(loop->getResult(static_cast<unsigned>(number)));
  }
}

void WidenSums::widen(scf::IfOp choice) {
  for (mlir::OpResult result : choice->getResults()) {
    const unsigned number = result.getResultNumber();
    mlir::OpOperand &then = choice.thenYield()->getOpOperand(number);
    mlir::OpOperand &otherwise = choice.elseYield()->getOpOperand(number);
    if (!isHalf(result.getType()) || (!roundedFrom(then.get()) && !roundedFrom(otherwise.get())))
      continue;
    for (mlir::OpOperand *yielded : {&then, &otherwise}) {
      mlir::OpBuilder builder(yielded->getOwner());
      yielded->set(extended(builder, yielded->get()));
    }
    widenResult(result);
  }
}

} // namespace
} // namespace spc::transforms
