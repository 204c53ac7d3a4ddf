#include "transforms/passes.h"
#include "transforms/util/body_arguments.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SparseTensor/IR/SparseTensor.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StructuredOpsUtils.h"
#include "mlir/IR/PatternMatch.h"

namespace spc::transforms {

#define GEN_PASS_DEF_LOWERDENSE
#include "transforms/Passes.h.inc"

namespace {

bool isDenseTensor(mlir::Type type) {
  auto tensor = mlir::dyn_cast<mlir::RankedTensorType>(type);
  return tensor && !tensor.getEncoding();
}

/// The buffer type of a dense tensor argument: unit stride in the innermost mode unless it has none, run-time strides
/// elsewhere.
mlir::MemRefType bufferType(mlir::RankedTensorType type, llvm::ArrayRef<int64_t> modes, bool isStrided) {
  if (type.getRank() == 0 || (modes.empty() && !isStrided))
    return mlir::MemRefType::get(type.getShape(), type.getElementType());
  llvm::SmallVector<int64_t> strides(type.getRank(), mlir::ShapedType::kDynamic);
  if (!isStrided)
    strides[modes.back()] = 1;
  auto layout = mlir::StridedLayoutAttr::get(type.getContext(), 0, strides);
  return mlir::MemRefType::get(type.getShape(), type.getElementType(), layout);
}

/// Whether an argument of this type stands for a tensor: a number for one of order 0.
bool describesTensor(mlir::Type type) {
  return mlir::isa<mlir::RankedTensorType, mlir::FloatType, mlir::IntegerType, mlir::ComplexType>(type);
}

class LowerDense : public impl::LowerDenseBase<LowerDense> {
public:
  void runOnOperation() override {
    if (getOperation().isExternal())
      return;
    if (failed(requireTensors(getOperation(), describesTensor)))
      return signalPassFailure();
    buffers_.clear();
    convertArguments();
    llvm::SmallVector<mlir::Operation *> operations;
    for (mlir::Operation &op : getOperation().getBody().front())
      operations.push_back(&op);
    for (mlir::Operation *op : operations)
      if (failed(convert(op)))
        return signalPassFailure();
    for (mlir::Operation *op : llvm::reverse(dead_))
      op->erase();
    dead_.clear();
    if (failed(lowerLoops()))
      return signalPassFailure();
    replaceSizes();
  }

private:
  void convertArguments();
  mlir::LogicalResult convert(mlir::Operation *op);
  mlir::LogicalResult convertLinalg(mlir::linalg::LinalgOp op);
  mlir::LogicalResult lowerLoops();
  void replaceSizes();
  void replaceBy(mlir::Operation *op, mlir::Value buffer) {
    buffers_[op->getResult(0)] = buffer;
    dead_.push_back(op);
  }

  llvm::DenseMap<mlir::Value, mlir::Value> buffers_; ///< dense tensor → the argument that holds its elements
  llvm::SmallVector<mlir::Operation *> dead_;
};

void LowerDense::convertArguments() {
  mlir::func::FuncOp body = getOperation();
  for (mlir::BlockArgument argument : body.getArguments()) {
    if (!isDenseTensor(argument.getType()))
      continue;
    unsigned index = argument.getArgNumber();
    const TensorAttr tensor = dialect::tensorOf(body, index);
    argument.setType(
        bufferType(mlir::cast<mlir::RankedTensorType>(argument.getType()), tensor.getModes(), tensor.getIsStrided()));
    if (!tensor.isDenseProxy())
      dialect::setBind(body, index, fieldOf(body, index, BindKind::Values));
    buffers_[argument] = argument;
  }
  for (unsigned index = 0; index < body.getNumArguments(); ++index)
    if (mlir::isa<mlir::FloatType, mlir::IntegerType, mlir::ComplexType>(body.getArgument(index).getType()))
      dialect::setBind(body, index, fieldOf(body, index, BindKind::Scalar));
  body.setType(mlir::FunctionType::get(&getContext(), body.getBody().getArgumentTypes(), {}));
}

// Arguments are buffers already, which the accessors of operations on tensors do not take for what they are: operands
// are read by number.
mlir::LogicalResult LowerDense::convert(mlir::Operation *op) {
  const bool reads = mlir::isa<mlir::bufferization::ToBufferOp, mlir::tensor::ExtractOp>(op);
  if (reads && !buffers_.contains(op->getOperand(0)))
    return op->emitError("reads a tensor that is no dense argument");
  if (auto toBuffer = mlir::dyn_cast<mlir::bufferization::ToBufferOp>(op)) {
    toBuffer.getResult().replaceAllUsesWith(buffers_.lookup(op->getOperand(0)));
    dead_.push_back(op);
    return mlir::success();
  }
  if (auto toTensor = mlir::dyn_cast<mlir::bufferization::ToTensorOp>(op)) {
    replaceBy(op, toTensor.getBuffer());
    return mlir::success();
  }
  if (auto extract = mlir::dyn_cast<mlir::tensor::ExtractOp>(op)) {
    mlir::OpBuilder builder(op);
    auto load =
        mlir::memref::LoadOp::create(builder, op->getLoc(), buffers_.lookup(op->getOperand(0)), extract.getIndices());
    extract.getResult().replaceAllUsesWith(load.getResult());
    dead_.push_back(op);
    return mlir::success();
  }
  if (auto dim = mlir::dyn_cast<mlir::tensor::DimOp>(op); dim && buffers_.contains(op->getOperand(0))) {
    mlir::OpBuilder builder(op);
    auto size = mlir::memref::DimOp::create(builder, op->getLoc(), buffers_.lookup(op->getOperand(0)), dim.getIndex());
    dim.getResult().replaceAllUsesWith(size.getResult());
    dead_.push_back(op);
    return mlir::success();
  }
  if (auto linalg = mlir::dyn_cast<mlir::linalg::LinalgOp>(op))
    return convertLinalg(linalg);
  if (auto ret = mlir::dyn_cast<mlir::func::ReturnOp>(op))
    ret->setOperands({});
  return mlir::success();
}

mlir::LogicalResult LowerDense::convertLinalg(mlir::linalg::LinalgOp op) {
  if (op->getNumResults() == 0)
    return mlir::success();
  if (op->getNumResults() > 1)
    return op.emitError("a statement with several results");
  llvm::SmallVector<mlir::Value> operands;
  for (mlir::Value operand : op->getOperands()) {
    mlir::Value buffer = buffers_.lookup(operand);
    if (!buffer && mlir::isa<mlir::TensorType>(operand.getType()))
      return op.emitError("sparse operand left by the sparsifier");
    operands.push_back(buffer ? buffer : operand);
  }
  mlir::OpBuilder builder(op);
  mlir::clone(builder, op, mlir::TypeRange(), operands);
  replaceBy(op, buffers_.lookup(op.getDpsInits().front()));
  return mlir::success();
}

/// Turns dense statements into loops in the order of their iteration space. Fills stay whole for the passes that fuse
/// them.
mlir::LogicalResult LowerDense::lowerLoops() {
  llvm::SmallVector<mlir::linalg::LinalgOp> operations;
  getOperation().walk([&](mlir::linalg::LinalgOp op) {
    if (!mlir::isa<mlir::linalg::FillOp>(op.getOperation()))
      operations.push_back(op);
  });
  mlir::IRRewriter rewriter(&getContext());
  for (mlir::linalg::LinalgOp op : operations) {
    rewriter.setInsertionPoint(op);
    const auto loops = mlir::linalg::linalgOpToLoops(rewriter, op);
    if (failed(loops))
      return op.emitError("no loops for a dense statement");
    if (const dialect::PlaceAttr first = dialect::placeOf(op))
      for (auto [depth, loop] : llvm::enumerate(*loops))
        dialect::setPlace(loop, dialect::PlaceAttr::get(&getContext(), first.getNest(), static_cast<int64_t>(depth)));
    rewriter.eraseOp(op);
  }
  return mlir::success();
}

/// Replaces sizes by the arguments of extents, so that equal extents are equal values, whichever tensor is asked.
void LowerDense::replaceSizes() {
  getOperation().walk([&](mlir::Operation *op) {
    mlir::Value source;
    std::optional<int64_t> index;
    if (auto dim = mlir::dyn_cast<mlir::memref::DimOp>(op))
      std::tie(source, index) = std::pair(dim.getSource(), dim.getConstantIndex());
    else if (auto size = mlir::dyn_cast<mlir::tensor::DimOp>(op))
      std::tie(source, index) = std::pair(size->getOperand(0), size.getConstantIndex());
    else if (auto level = mlir::dyn_cast<mlir::sparse_tensor::LvlOp>(op))
      std::tie(source, index) = std::pair(level.getSource(), level.getConstantLvlIndex());
    auto argument = mlir::dyn_cast_or_null<mlir::BlockArgument>(source);
    if (!argument || !index || argument.getOwner() != &getOperation().getBody().front() ||
        !dimExtent(getOperation(), argument.getArgNumber(), static_cast<unsigned>(*index)))
      return;
    op->getResult(0).replaceAllUsesWith(sizeArgument(getOperation(), argument.getArgNumber(), *index));
    op->erase();
  });
}

} // namespace
} // namespace spc::transforms
