#include "transforms/storage/bounded_indices.h"

#include "transforms/util/access.h"
#include "transforms/util/body_arguments.h"
#include "transforms/util/index_chains.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SparseTensor/IR/SparseTensor.h"
#include "mlir/IR/Matchers.h"

namespace spc::transforms {

namespace memref = mlir::memref;
namespace sparse = mlir::sparse_tensor;
using mlir::Value;

namespace {

bool isDone(mlir::Operation *access, int64_t dim) {
  return llvm::is_contained(dialect::clippedDimsOf(access), dim);
}

/// The sparse argument that `array` is a query of, and the level that its elements belong to. Positions belong to the
/// level whose entries they delimit, values to a level after the last one.
std::optional<std::pair<mlir::BlockArgument, unsigned>> arrayOwner(mlir::Operation *array) {
  if (auto positions = mlir::dyn_cast_or_null<sparse::ToPositionsOp>(array))
    return std::pair(mlir::cast<mlir::BlockArgument>(positions.getTensor()), unsigned(positions.getLevel()));
  if (auto values = mlir::dyn_cast_or_null<sparse::ToValuesOp>(array)) {
    auto tensor = mlir::cast<mlir::BlockArgument>(values.getTensor());
    return std::pair(tensor, unsigned(sparse::getSparseTensorEncoding(tensor.getType()).getLvlRank()));
  }
  return std::nullopt;
}

bool isFactor(Value factor, int64_t constant, Value value) {
  return mlir::ShapedType::isDynamic(constant) ? factor == value : mlir::isConstantIntValue(factor, constant);
}

} // namespace

/// The root coordinate in a position below nothing but dense levels, ((root * size_1) + coordinate_1) * size_2 + ...;
/// null where the sparsifier has linearised it in another way.
Value BoundedIndices::rootIndex(unsigned argument, unsigned level, Value position) {
  auto shape = mlir::cast<mlir::RankedTensorType>(body_.getArgument(argument).getType()).getShape();
  while (position && --level > 0) {
    Value size = mlir::ShapedType::isDynamic(shape[level]) ? sizeArgument(body_, argument, level) : Value();
    auto sum = position.getDefiningOp<mlir::arith::AddIOp>();
    Value parent;
    for (Value addend : sum ? sum.getOperands() : mlir::ValueRange())
      if (auto product = addend.getDefiningOp<mlir::arith::MulIOp>()) {
        if (isFactor(product.getRhs(), shape[level], size))
          parent = product.getLhs();
        else if (isFactor(product.getLhs(), shape[level], size))
          parent = product.getRhs();
      }
    position = parent;
  }
  return position;
}

mlir::FailureOr<BoundedIndices::Indices> BoundedIndices::sumsOfRoot(mlir::Operation *access, mlir::Operation *array,
                                                                    Value index) {
  const auto owner = arrayOwner(array);
  if (!owner || isDone(access, 0))
    return Indices();
  const auto [tensor, level] = *owner;
  auto encoding = sparse::getSparseTensorEncoding(tensor.getType());
  for (unsigned above = 0; above < level; ++above)
    if (!encoding.isDenseLvl(above))
      return Indices();
  if (level == 0)
    return Indices();
  Value parent = predecessor(index);
  Value root =
      rootIndex(tensor.getArgNumber(), level, parent && mlir::isa<sparse::ToPositionsOp>(array) ? parent : index);
  if (!root)
    return access->emitError("a position below dense levels that is not linear in their coordinates");
  AffineSum sum = affineSum(root);
  if (sum.isBare())
    return Indices();
  return Indices{{access, 0, sum, sizeArgument(body_, tensor.getArgNumber(), 0)}};
}

mlir::FailureOr<BoundedIndices::Indices>
BoundedIndices::sumsOfBuffer(mlir::Operation *access, mlir::BlockArgument buffer, mlir::ValueRange indices) {
  Indices found;
  const bool isOurs = buffer.getOwner()->getParentOp() == body_;
  if (!isOurs || indices.empty() || !dimExtent(body_, buffer.getArgNumber(), static_cast<unsigned>(indices.size() - 1)))
    return found;
  for (auto [dim, index] : llvm::enumerate(indices)) {
    AffineSum sum = affineSum(index);
    if (!sum.isBare() && !isDone(access, dim))
      found.push_back({access, int64_t(dim), sum, sizeArgument(body_, buffer.getArgNumber(), dim)});
  }
  return found;
}

mlir::FailureOr<BoundedIndices::Indices> BoundedIndices::sumsOf(mlir::Operation *op) {
  std::optional<Access> access = accessOf(op);
  if (!access)
    return Indices();
  if (auto buffer = mlir::dyn_cast<mlir::BlockArgument>(access->buffer))
    return sumsOfBuffer(op, buffer, access->indices);
  return sumsOfRoot(op, access->buffer.getDefiningOp(), access->indices.front());
}

mlir::FailureOr<std::optional<BoundedIndex>> BoundedIndices::firstIn(mlir::Operation *nest) {
  mlir::FailureOr<std::optional<BoundedIndex>> result = std::optional<BoundedIndex>();
  nest->walk<mlir::WalkOrder::PreOrder>([&](mlir::Operation *op) {
    mlir::FailureOr<Indices> sums = sumsOf(op);
    if (failed(sums))
      result = mlir::failure();
    else if (!sums->empty())
      result = std::optional(sums->front());
    else
      return mlir::WalkResult::advance();
    return mlir::WalkResult::interrupt();
  });
  return result;
}

mlir::Operation *BoundedIndices::followingNest() {
  mlir::Operation *next = done_ ? done_->getNextNode() : nullptr;
  for (mlir::Block *block = done_ ? done_->getBlock()->getNextNode() : &body_.front(); block && !next;
       block = block->getNextNode())
    next = block->empty() ? nullptr : &block->front();
  return next;
}

mlir::FailureOr<std::optional<BoundedIndex>> BoundedIndices::next() {
  while (mlir::Operation *nest = followingNest()) {
    mlir::FailureOr<std::optional<BoundedIndex>> found = firstIn(nest);
    if (failed(found) || *found)
      return found;
    done_ = nest;
  }
  return std::optional<BoundedIndex>();
}

void BoundedIndices::mark(const BoundedIndex &bounded, mlir::Operation *scope) {
  scope->walk([&](mlir::Operation *op) {
    mlir::FailureOr<Indices> sums = sumsOf(op);
    for (const BoundedIndex &other : succeeded(sums) ? *sums : Indices())
      if (other.extent == bounded.extent && other.sum == bounded.sum)
        dialect::addClippedDim(op, other.dim);
  });
}

void BoundedIndices::forgetMarks() {
  body_.walk([](mlir::Operation *op) { dialect::removeClippedDims(op); });
}

bool isNonNegative(Value value) {
  mlir::APInt number;
  if (mlir::matchPattern(value, mlir::m_ConstantInt(&number)))
    return number.isNonNegative();
  if (mlir::scf::ForOp loop = loopOf(value))
    return isNonNegative(loop.getLowerBound());
  if (auto choice = value.getDefiningOp<mlir::arith::SelectOp>())
    return isNonNegative(choice.getTrueValue()) && isNonNegative(choice.getFalseValue());
  memref::LoadOp load = loadedIndex(value);
  auto coordinates = load ? load.getMemRef().getDefiningOp<sparse::ToCoordinatesOp>() : sparse::ToCoordinatesOp();
  if (!coordinates)
    return false;
  auto tensor = mlir::dyn_cast<mlir::BlockArgument>(coordinates.getTensor());
  auto body = tensor ? mlir::dyn_cast<mlir::func::FuncOp>(tensor.getOwner()->getParentOp()) : mlir::func::FuncOp();
  if (!body)
    return false;
  const TensorAttr described = dialect::tensorOf(body, tensor.getArgNumber());
  return described && !described.getLevel(coordinates.getLevel()).getIsSigned();
}

bool isNonNegative(const AffineSum &sum) {
  return sum.constant >= 0 &&
         llvm::all_of(sum.terms, [](auto term) { return term.second >= 0 && isNonNegative(term.first); });
}

} // namespace spc::transforms
