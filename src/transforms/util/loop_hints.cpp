#include "transforms/util/loop_hints.h"

#include "runtime/contract.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace spc::transforms {

namespace LLVM = mlir::LLVM;

/// The name of the property of LLVM's branches from which loop metadata are made. Each lowering hands an attribute of
/// that name on, from scf.for to the branch back to the loop's head.
static constexpr llvm::StringLiteral kHint = "loop_annotation";

/// The attribute of a loop whose products are rounded before they are added.
static constexpr llvm::StringLiteral kProductsApart = "products_apart";

/// Sets the hint of a loop that is not to be unrolled.
static void setHint(mlir::scf::ForOp loop, LLVM::LoopVectorizeAttr vectorize, LLVM::LoopInterleaveAttr interleave) {
  mlir::MLIRContext *context = loop.getContext();
  const auto isOff = mlir::BoolAttr::get(context, true);
  auto unroll = LLVM::LoopUnrollAttr::get(context, isOff, {}, {}, {}, {}, {}, {});
  loop->setAttr(kHint, LLVM::LoopAnnotationAttr::get(context, {}, vectorize, interleave, unroll, {}, {}, {}, {}, {}, {},
                                                     {}, {}, {}, {}, {}));
}

void keepProductsApart(mlir::scf::ForOp loop) {
  loop->setAttr(kProductsApart, mlir::UnitAttr::get(loop.getContext()));
}

bool isKeptApart(mlir::Operation *op) {
  auto loop = op->getParentOfType<mlir::scf::ForOp>();
  return loop && loop->hasAttr(kProductsApart);
}

void keepLoopAsItIs(mlir::scf::ForOp loop) {
  mlir::MLIRContext *context = loop.getContext();
  const auto isOff = mlir::BoolAttr::get(context, true);
  setHint(loop, LLVM::LoopVectorizeAttr::get(context, isOff, {}, {}, {}, {}, {}, {}), {});
}

void vectoriseWhole(mlir::scf::ForOp loop, int64_t vectors) {
  mlir::MLIRContext *context = loop.getContext();
  const auto together = mlir::IntegerAttr::get(mlir::IntegerType::get(context, 32), vectors);
  setHint(loop, {}, LLVM::LoopInterleaveAttr::get(context, together));
}

bool isKeptAsItIs(mlir::scf::ForOp loop) {
  const auto hint = loop->getAttrOfType<LLVM::LoopAnnotationAttr>(kHint);
  return hint && hint.getVectorize();
}

void keepScalarsApart(mlir::func::FuncOp body) {
  mlir::Builder builder(body.getContext());
  body->setAttr("passthrough", builder.getStrArrayAttr({runtime::kPairedFunction}));
}

} // namespace spc::transforms
