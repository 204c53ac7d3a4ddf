#include "transforms/util/vector_body.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace spc::transforms {

namespace memref = mlir::memref;
namespace scf = mlir::scf;
namespace vector = mlir::vector;
using mlir::Operation;
using mlir::Value;

bool isElementwise(Operation *op) {
  // Most functions are calls of the C library, for one element each.
  namespace math = mlir::math;
  if (mlir::isa<math::MathDialect>(op->getDialect()) &&
      !mlir::isa<math::AbsFOp, math::SqrtOp, math::FloorOp, math::CeilOp>(op))
    return false;
  return op->hasTrait<mlir::OpTrait::Elementwise>() && op->getNumRegions() == 0;
}

bool isVectorElement(mlir::Type type) {
  return type.isF16() || type.isBF16() || type.isF32() || type.isF64() || type.isInteger(8) || type.isInteger(16) ||
         type.isInteger(32) || type.isInteger(64);
}

unsigned vectorElementBytes(mlir::Type type) {
  return isVectorElement(type) ? type.getIntOrFloatBitWidth() / 8 : 0;
}

std::optional<unsigned> unitDimension(Value buffer) {
  auto strides = mlir::cast<mlir::MemRefType>(buffer.getType()).getStridesAndOffset().first;
  for (unsigned dim = 0; dim < strides.size(); ++dim)
    if (strides[dim] == 1)
      return dim;
  return std::nullopt;
}

bool variesIn(Value index, scf::ForOp loop) {
  if (index == loop.getInductionVar())
    return true;
  Operation *op = index.getDefiningOp();
  return op && op->getBlock() == loop.getBody() && index.getType().isIndex() &&
         llvm::any_of(op->getOperands(), [&](Value operand) { return variesIn(operand, loop); });
}

mlir::Type VectorBody::vectorOf(mlir::Type element) const {
  return lanes_ == 1 ? element : mlir::Type(mlir::VectorType::get({lanes_}, element));
}

Value VectorBody::broadcast(Value value) {
  if (lanes_ == 1 || mlir::isa<mlir::VectorType>(value.getType()))
    return value;
  return vector::BroadcastOp::create(builder_, location_, vectorOf(value.getType()), value);
}

namespace {

/// A view of `buffer` whose last dimension has unit stride, as vector accesses require; permutes `indices` alike.
Value withUnitLast(mlir::OpBuilder &builder, mlir::Location location, Value buffer, unsigned unit,
                   llvm::SmallVectorImpl<Value> &indices) {
  const unsigned rank = indices.size();
  if (unit + 1 == rank)
    return buffer;
  llvm::SmallVector<unsigned> order;
  for (unsigned dim = 0; dim < rank; ++dim)
    if (dim != unit)
      order.push_back(dim);
  order.push_back(unit);
  std::rotate(indices.begin() + unit, indices.begin() + unit + 1, indices.end());
  auto map = mlir::AffineMapAttr::get(mlir::AffineMap::getPermutationMap(order, builder.getContext()));
  return memref::TransposeOp::create(builder, location, buffer, map);
}

} // namespace

Value VectorBody::load(Value buffer, llvm::ArrayRef<Value> at, unsigned unit) {
  llvm::SmallVector<Value> indices(at);
  if (lanes_ == 1)
    return memref::LoadOp::create(builder_, location_, buffer, indices);
  Value view = withUnitLast(builder_, location_, buffer, unit, indices);
  mlir::Type element = mlir::cast<mlir::MemRefType>(buffer.getType()).getElementType();
  return vector::LoadOp::create(builder_, location_, mlir::cast<mlir::VectorType>(vectorOf(element)), view, indices);
}

void VectorBody::store(Value value, Value buffer, llvm::ArrayRef<Value> at, unsigned unit) {
  llvm::SmallVector<Value> indices(at);
  if (lanes_ == 1) {
    memref::StoreOp::create(builder_, location_, value, buffer, indices);
    return;
  }
  Value view = withUnitLast(builder_, location_, buffer, unit, indices);
  vector::StoreOp::create(builder_, location_, broadcast(value), view, indices);
}

llvm::SmallVector<Value> VectorBody::write(const mlir::IRMapping &scalars, Value place, mlir::ValueRange carried,
                                           const Load &load, const Store &store) {
  scalars_ = scalars;
  elements_.clear();
  scalars_.map(loop_.getInductionVar(), place);
  elements_.map(loop_.getRegionIterArgs(), carried);
  for (Operation &op : loop_.getBody()->without_terminator())
    writeOperation(op, load, store);
  llvm::SmallVector<Value> results;
  for (Value result : loop_.getBody()->getTerminator()->getOperands())
    results.push_back(elements_.contains(result) ? elements_.lookup(result)
                                                 : broadcast(scalars_.lookupOrDefault(result)));
  return results;
}

void VectorBody::writeSome(llvm::ArrayRef<Operation *> operations, const mlir::IRMapping &known, Value place) {
  elements_ = known;
  scalars_.map(loop_.getInductionVar(), place);
  for (Operation *op : operations)
    writeOperation(*op, {}, [&](memref::StoreOp store, Value value) { elementStore(store, value); });
}

void VectorBody::writeOperation(Operation &op, const Load &load, const Store &store) {
  const auto vectorFor = [&](Value value) {
    return elements_.contains(value) ? elements_.lookup(value) : broadcast(scalars_.lookupOrDefault(value));
  };
  if (auto stored = mlir::dyn_cast<memref::StoreOp>(op))
    return store(stored, vectorFor(stored.getValue()));
  Value result = op.getResult(0);
  // An index that varies is computed where an access needs it.
  if (result.getType().isIndex() && variesIn(result, loop_))
    return;
  if (auto read = mlir::dyn_cast<memref::LoadOp>(op)) {
    if (Value known = load ? load(read) : Value())
      return elements_.map(result, known);
    if (llvm::any_of(read.getIndices(), [&](Value index) { return variesIn(index, loop_); }))
      return elements_.map(result, elementLoad(read));
  }
  if (llvm::none_of(op.getOperands(), [&](Value operand) { return elements_.contains(operand); })) {
    builder_.clone(op, scalars_);
    return;
  }
  mlir::IRMapping operands;
  for (Value operand : op.getOperands())
    operands.map(operand, vectorFor(operand));
  Operation *clone = builder_.clone(op, operands);
  clone->getResult(0).setType(vectorOf(result.getType()));
  elements_.map(result, clone->getResult(0));
}

Value VectorBody::elementLoad(memref::LoadOp op) {
  llvm::SmallVector<Value> indices;
  for (Value index : op.getIndices())
    indices.push_back(indexOf(index));
  return load(op.getMemRef(), indices, *unitDimension(op.getMemRef()));
}

void VectorBody::elementStore(memref::StoreOp op, Value value) {
  llvm::SmallVector<Value> indices;
  for (Value index : op.getIndices())
    indices.push_back(indexOf(index));
  store(value, op.getMemRef(), indices, *unitDimension(op.getMemRef()));
}

/// `index` at the first lane.
Value VectorBody::indexOf(Value index) {
  if (Value known = scalars_.lookupOrNull(index))
    return known;
  Operation *op = index.getDefiningOp();
  if (!op || op->getBlock() != loop_.getBody())
    return index;
  for (Value operand : op->getOperands())
    scalars_.map(operand, indexOf(operand));
  return builder_.clone(*op, scalars_)->getResult(0);
}

} // namespace spc::transforms
