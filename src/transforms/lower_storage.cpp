#include "transforms/body_arguments.h"
#include "transforms/passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SparseTensor/IR/SparseTensor.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace spc::transforms {

#define GEN_PASS_DEF_LOWERSTORAGE
#include "transforms/Passes.h.inc"

namespace {

namespace sparse = mlir::sparse_tensor;

class LowerStorage : public impl::LowerStorageBase<LowerStorage> {
public:
  void runOnOperation() override {
    mlir::func::FuncOp body = getOperation();
    for (unsigned index = body.getNumArguments(); index-- > 0;) {
      auto type = mlir::dyn_cast<mlir::RankedTensorType>(body.getArgument(index).getType());
      if (!type || !type.getEncoding())
        continue;
      if (failed(lowerQueries(index, body.getArgument(index), sparse::getSparseTensorEncoding(type))))
        return signalPassFailure();
      eraseArgument(body, index);
    }
  }

private:
  mlir::LogicalResult lowerQueries(unsigned argument, mlir::Value tensor, sparse::SparseTensorEncodingAttr encoding);
  mlir::LogicalResult lowerQuery(unsigned argument, mlir::Operation *query, sparse::SparseTensorEncodingAttr encoding);
  mlir::LogicalResult lowerRootBounds(unsigned argument, sparse::ToPositionsOp positions);
  mlir::Value size(unsigned argument, mlir::Value dimOrLevel, sparse::SparseTensorEncodingAttr encoding);

  std::string bind(unsigned argument, const llvm::Twine &field) {
    return (argumentString(getOperation(), argument, kName) + "." + field).str();
  }
};

/// `encoding` is the argument's own, whose levels stay the same behind reinterpret_map.
mlir::LogicalResult LowerStorage::lowerQueries(unsigned argument, mlir::Value tensor,
                                               sparse::SparseTensorEncodingAttr encoding) {
  for (mlir::Operation *query : llvm::make_early_inc_range(tensor.getUsers())) {
    if (auto reinterpreted = mlir::dyn_cast<sparse::ReinterpretMapOp>(query)) {
      if (failed(lowerQueries(argument, reinterpreted.getResult(), encoding)))
        return mlir::failure();
    } else if (failed(lowerQuery(argument, query, encoding))) {
      return mlir::failure();
    }
    query->erase();
  }
  return mlir::success();
}

mlir::LogicalResult LowerStorage::lowerQuery(unsigned argument, mlir::Operation *query,
                                             sparse::SparseTensorEncodingAttr encoding) {
  mlir::func::FuncOp body = getOperation();
  auto replaceByArray = [&](const llvm::Twine &field) {
    mlir::Value result = query->getResult(0);
    result.replaceAllUsesWith(boundArgument(body, bind(argument, field), result.getType()));
    return mlir::success();
  };
  if (auto positions = mlir::dyn_cast<sparse::ToPositionsOp>(query)) {
    if (positions.getLevel() == 0)
      return lowerRootBounds(argument, positions);
    return replaceByArray("pointers_" + llvm::Twine(positions.getLevel()));
  }
  if (auto coordinates = mlir::dyn_cast<sparse::ToCoordinatesOp>(query))
    return replaceByArray("indices_" + llvm::Twine(coordinates.getLevel()));
  if (mlir::isa<sparse::ToValuesOp>(query))
    return replaceByArray("values");
  mlir::Value result;
  if (auto level = mlir::dyn_cast<sparse::LvlOp>(query))
    result = size(argument, level.getIndex(), encoding);
  else if (auto dim = mlir::dyn_cast<mlir::tensor::DimOp>(query))
    result = size(argument, dim.getIndex(),
                  sparse::getSparseTensorEncoding(dim.getSource().getType()) == encoding ? nullptr : encoding);
  if (!result)
    return query->emitError("storage query that has no field in the calling convention");
  query->getResult(0).replaceAllUsesWith(result);
  return mlir::success();
}

/// The extent of a level, or of a dimension where `encoding` is null.
mlir::Value LowerStorage::size(unsigned argument, mlir::Value dimOrLevel, sparse::SparseTensorEncodingAttr encoding) {
  auto constant = dimOrLevel.getDefiningOp<mlir::arith::ConstantIndexOp>();
  if (!constant)
    return {};
  unsigned dim = constant.value();
  if (encoding)
    dim = encoding.getDimToLvl().getDimPosition(dim);
  return sizeArgument(getOperation(), argument, dim);
}

/// A compressed root is one segment: positions[0] is 0, positions[1] the entry count.
mlir::LogicalResult LowerStorage::lowerRootBounds(unsigned argument, sparse::ToPositionsOp positions) {
  mlir::func::FuncOp body = getOperation();
  auto indexType = mlir::IndexType::get(&getContext());
  for (mlir::Operation *user : llvm::make_early_inc_range(positions->getUsers())) {
    auto load = mlir::dyn_cast<mlir::memref::LoadOp>(user);
    auto which = load ? load.getIndices().front().getDefiningOp<mlir::arith::ConstantIndexOp>() : nullptr;
    if (!which || which.value() > 1)
      return user->emitError("a compressed root's positions read other than as its two bounds");
    mlir::OpBuilder builder(load);
    mlir::Value bound = which.value() == 0 ? mlir::arith::ConstantIndexOp::create(builder, load.getLoc(), 0).getResult()
                                           : mlir::Value(boundArgument(body, bind(argument, "count_0"), indexType));
    // The whole chain load → extui → index_cast is replaced: a leftover round trip through i32 would truncate.
    mlir::Operation *chain = load;
    if (auto widened = mlir::dyn_cast<mlir::arith::ExtUIOp>(*chain->getUsers().begin()))
      chain = widened;
    for (mlir::Operation *cast : llvm::make_early_inc_range(chain->getUsers())) {
      if (!mlir::isa<mlir::arith::IndexCastOp, mlir::arith::IndexCastUIOp>(cast))
        return cast->emitError("a compressed root's bound used other than as an index");
      cast->getResult(0).replaceAllUsesWith(bound);
      cast->erase();
    }
    if (chain != load)
      chain->erase();
    load.erase();
  }
  return mlir::success();
}

} // namespace
} // namespace spc::transforms
