#include "dialect/dialect.h"
#include "transforms/passes.h"
#include "transforms/storage/level_functions.h"
#include "transforms/util/affine_sums.h"
#include "transforms/util/body_arguments.h"
#include "transforms/util/index_chains.h"
#include "transforms/util/loop_hints.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SparseTensor/IR/SparseTensor.h"

namespace spc::transforms {

#define GEN_PASS_DEF_LOWERSTORAGE
#include "transforms/Passes.h.inc"

namespace {

namespace memref = mlir::memref;
namespace scf = mlir::scf;
namespace sparse = mlir::sparse_tensor;

llvm::SmallVector<memref::LoadOp> loadsOf(mlir::Value array) {
  llvm::SmallVector<memref::LoadOp> loads;
  for (mlir::Operation *user : array.getUsers())
    if (auto load = mlir::dyn_cast<memref::LoadOp>(user))
      loads.push_back(load);
  return loads;
}

/// The value with which a loop starts what it carries as `value`; null where no loop carries it.
mlir::Value initialValue(mlir::Value value) {
  if (scf::ForOp loop = loopOf(value))
    return loop.getLowerBound();
  if (auto loop = value.getDefiningOp<scf::WhileOp>())
    return loop.getConditionOp().getArgs()[mlir::cast<mlir::OpResult>(value).getResultNumber()];
  auto argument = mlir::dyn_cast<mlir::BlockArgument>(value);
  auto loop = argument ? mlir::dyn_cast<scf::WhileOp>(argument.getOwner()->getParentOp()) : scf::WhileOp();
  if (!loop)
    return {};
  const unsigned number = argument.getArgNumber();
  return argument.getOwner() == loop.getBeforeBody() ? loop.getInits()[number]
                                                     : loop.getConditionOp().getArgs()[number];
}

/// Asks LLVM to vectorise a short loop as a whole, in as many vectors at once as cover it. Without the hint LLVM
/// unrolls the loop first and then vectorises across the rows around it, gathering values that are contiguous here.
void vectoriseRow(scf::ForOp loop, int64_t count) {
  constexpr int64_t kVectorBits = 256, kMaxVectors = 4;
  unsigned bits = 0;
  bool isInnermost = true;
  loop.getBody()->walk([&](mlir::Operation *op) {
    isInnermost &= !mlir::isa<mlir::LoopLikeOpInterface>(op);
    if (auto load = mlir::dyn_cast<memref::LoadOp>(op); load && load.getType().isFloat())
      bits = std::max(bits, load.getType().getIntOrFloatBitWidth());
  });
  const int64_t vectors = std::min<int64_t>(kMaxVectors, count * bits / kVectorBits);
  if (!isInnermost || vectors < 2)
    return;
  vectoriseWhole(loop, vectors);
}

class LowerStorage : public impl::LowerStorageBase<LowerStorage> {
public:
  void runOnOperation() override {
    if (getOperation().isExternal())
      return;
    if (failed(requireTensors(getOperation(), isSparseTensor)))
      return signalPassFailure();
    mlir::func::FuncOp body = getOperation();
    for (unsigned index = body.getNumArguments(); index-- > 0;) {
      if (!sparse::getSparseTensorEncoding(body.getArgument(index).getType()))
        continue;
      if (failed(lowerQueries(index)) || failed(eraseArgument(body, index)))
        return signalPassFailure();
    }
  }

private:
  mlir::LogicalResult lowerQueries(unsigned argument);
  mlir::LogicalResult lowerPositions(unsigned argument, sparse::ToPositionsOp positions);
  mlir::LogicalResult lowerPosition(unsigned argument, unsigned level, memref::LoadOp load);
  void findParent(unsigned argument, memref::LoadOp load, mlir::Value parent, bool atEnd);
  mlir::LogicalResult lowerCoordinates(unsigned argument, sparse::ToCoordinatesOp coordinates);
  mlir::LogicalResult computeCoordinate(unsigned number, const LevelFunctions &level, memref::LoadOp load);
  void deinterleave(unsigned argument, LevelAttr level, memref::LoadOp load);
  void replaceSegments();
  mlir::BlockArgument array(unsigned argument, BindKind kind, mlir::Type type, int64_t level = -1) {
    return boundArgument(getOperation(), fieldOf(getOperation(), argument, kind, level), type);
  }

  /// Parents' positions by level and value. One value may start segments of two levels: a width of 1 folds to the
  /// parent itself.
  using Parents = llvm::DenseMap<std::pair<unsigned, mlir::Value>, mlir::Value>;
  Parents parents_; ///< first position of a segment → the parent's position
  Parents ends_;    ///< end of a segment, where it is computed → the parent's position
};

/// Lowers positions first: computed coordinates start from them.
mlir::LogicalResult LowerStorage::lowerQueries(unsigned argument) {
  mlir::Value tensor = getOperation().getArgument(argument);
  llvm::SmallVector<mlir::Operation *> queries(tensor.getUsers().begin(), tensor.getUsers().end());
  llvm::stable_sort(queries, [](mlir::Operation *a, mlir::Operation *b) {
    return mlir::isa<sparse::ToPositionsOp>(a) && !mlir::isa<sparse::ToPositionsOp>(b);
  });
  parents_.clear();
  ends_.clear();
  for (mlir::Operation *query : queries) {
    mlir::LogicalResult result = mlir::success();
    if (auto positions = mlir::dyn_cast<sparse::ToPositionsOp>(query))
      result = lowerPositions(argument, positions);
    else if (auto coordinates = mlir::dyn_cast<sparse::ToCoordinatesOp>(query))
      result = lowerCoordinates(argument, coordinates);
    else if (auto values = mlir::dyn_cast<sparse::ToValuesOp>(query))
      values.getResult().replaceAllUsesWith(array(argument, BindKind::Values, values.getType()));
    else
      result = query->emitError("storage query that has no field in the calling convention");
    if (failed(result))
      return mlir::failure();
    query->erase();
  }
  replaceSegments();
  return mlir::success();
}

/// Records on loops over computed positions that they run over segments: that segments of different parents are
/// disjoint can no longer be seen. Segments of constant length are counted from 0, so that their loops unroll: LLVM
/// would have to prove that start + length does not wrap.
void LowerStorage::replaceSegments() {
  getOperation().walk([&](scf::ForOp loop) {
    const bool isSegment = llvm::any_of(ends_, [&](const auto &end) {
      const auto [level, value] = end.first;
      return value == loop.getUpperBound() && parents_.lookup({level, loop.getLowerBound()}) == end.second;
    });
    if (!isSegment)
      return;
    dialect::markSegment(loop);
    AffineSum start = affineSum(loop.getLowerBound()), end = affineSum(loop.getUpperBound());
    if (start.terms != end.terms || start.terms.empty())
      return;
    mlir::Location location = loop.getLoc();
    mlir::OpBuilder builder = mlir::OpBuilder::atBlockBegin(loop.getBody());
    auto position = mlir::arith::AddIOp::create(builder, location, loop.getLowerBound(), loop.getInductionVar());
    loop.getInductionVar().replaceAllUsesExcept(position, position);
    builder.setInsertionPoint(loop);
    loop.setLowerBound(mlir::arith::ConstantIndexOp::create(builder, location, 0));
    loop.setUpperBound(mlir::arith::ConstantIndexOp::create(builder, location, end.constant - start.constant));
    vectoriseRow(loop, end.constant - start.constant);
  });
}

mlir::LogicalResult LowerStorage::lowerPositions(unsigned argument, sparse::ToPositionsOp positions) {
  const unsigned level = positions.getLevel();
  for (memref::LoadOp load : loadsOf(positions.getResult()))
    if (failed(lowerPosition(argument, level, load)))
      return mlir::failure();
  if (positions->use_empty())
    return mlir::success();
  if (level == 0 || dialect::tensorOf(getOperation(), argument).getLevel(level).computesPositions())
    return positions.emitError("positions that no array has used other than by loads");
  positions.getResult().replaceAllUsesWith(array(argument, BindKind::Pointers, positions.getResult().getType(), level));
  return mlir::success();
}

/// Notes which parent's segment starts at a loaded position, and computes that position where there is no array. A
/// compressed root is one segment: position 0 is 0, position 1 the entry count, or the width.
mlir::LogicalResult LowerStorage::lowerPosition(unsigned argument, unsigned level, memref::LoadOp load) {
  LevelFunctions storage(getOperation(), argument, level);
  mlir::OpBuilder builder(load);
  mlir::Value parent = load.getIndices().front(), before = predecessor(parent);
  bool atEnd = before != nullptr;
  if (atEnd)
    parent = before;
  if (level == 0) {
    atEnd = mlir::isConstantIntValue(parent, 1);
    if (!atEnd && !mlir::isConstantIntValue(parent, 0))
      return load.emitError("a compressed root's positions read other than as its two bounds");
    parent = mlir::arith::ConstantIndexOp::create(builder, load.getLoc(), 0);
  }
  if (level > 0 && !storage.level().computesPositions()) {
    if (level == 1 && dialect::tensorOf(getOperation(), argument).getLevel(0).getIsFound())
      findParent(argument, load, parent, atEnd);
    auto starts = indexUses(load);
    for (mlir::Value start : succeeded(starts) && !atEnd ? *starts : llvm::SmallVector<mlir::Value>())
      parents_[{level, start}] = parent;
    return starts;
  }
  mlir::Value position;
  if (storage.level().computesPositions())
    position = storage.position(builder, load.getLoc(), parent, atEnd);
  else
    position = atEnd ? boundNumber(getOperation(), fieldOf(getOperation(), argument, BindKind::Count, 0)) : parent;
  (atEnd ? ends_ : parents_)[{level, position}] = parent;
  return replaceChain(load, position);
}

/// Makes a load of positions below a root whose rows are looked up be at the parent's position. Both ends of a segment
/// are loaded by one lookup.
void LowerStorage::findParent(unsigned argument, memref::LoadOp load, mlir::Value parent, bool atEnd) {
  mlir::OpBuilder builder(load);
  const mlir::Value table = array(argument, BindKind::Rows, mlir::LLVM::LLVMPointerType::get(builder.getContext()));
  dialect::FindRowOp found;
  for (mlir::Operation *user : table.getUsers())
    if (auto other = mlir::dyn_cast<dialect::FindRowOp>(user);
        other && other.getCoordinate() == parent && other->getBlock() == load->getBlock())
      found = other;
  if (!found)
    found = dialect::FindRowOp::create(builder, load.getLoc(), builder.getIndexType(), table, parent);
  else if (load->isBeforeInBlock(found))
    found->moveBefore(load);
  mlir::Value position = found.getPosition();
  if (atEnd)
    position = mlir::arith::AddIOp::create(builder, load.getLoc(), position,
                                           mlir::arith::ConstantIndexOp::create(builder, load.getLoc(), 1));
  load.getIndicesMutable().assign(position);
}

/// Coordinates of 32 bits are never negative, but vectors gather by signed numbers of 32 bits alone: twice as many at
/// once as by 64 bits.
void extendSigned(memref::LoadOp load) {
  if (!load.getType().isInteger(32))
    return;
  for (mlir::Operation *user : llvm::make_early_inc_range(load.getResult().getUsers()))
    if (auto extension = mlir::dyn_cast<mlir::arith::ExtUIOp>(user)) {
      mlir::OpBuilder builder(extension);
      extension.replaceAllUsesWith(
          mlir::arith::ExtSIOp::create(builder, extension.getLoc(), extension.getType(), load).getResult());
      extension.erase();
    }
}

mlir::LogicalResult LowerStorage::lowerCoordinates(unsigned argument, sparse::ToCoordinatesOp coordinates) {
  const unsigned level = coordinates.getLevel();
  const LevelFunctions storage(getOperation(), argument, level);
  const LevelAttr known = storage.level();
  for (memref::LoadOp load : loadsOf(coordinates.getResult())) {
    if (known.getIsSigned() && failed(makeSigned(load)))
      return mlir::failure();
    extendSigned(load);
    if (known.getIsImplicit() && failed(computeCoordinate(level, storage, load)))
      return mlir::failure();
    if (known.isInterleaved())
      deinterleave(argument, known, load);
  }
  if (coordinates->use_empty())
    return mlir::success();
  if (known.getIsImplicit() || known.isInterleaved())
    return coordinates.emitError("coordinates that no array has used other than by loads");
  mlir::func::FuncOp body = getOperation();
  const ExtentAttr extent = dimExtent(body, argument, level);
  mlir::BlockArgument indices = array(argument, BindKind::Indices, coordinates.getResult().getType(), level);
  if (level == 0 && !known.getIsUnordered() && !known.getIsSigned() && extent)
    dialect::setAscendingExtent(body, indices.getArgNumber(), extent);
  coordinates.getResult().replaceAllUsesWith(indices);
  return mlir::success();
}

mlir::LogicalResult LowerStorage::computeCoordinate(unsigned number, const LevelFunctions &level, memref::LoadOp load) {
  mlir::Value position = load.getIndices().front(), segment = position;
  while (segment && !parents_.contains({number, segment}))
    segment = initialValue(segment);
  if (!segment)
    return load.emitError("a coordinate is read at a position that no loop over its segment defines");
  mlir::OpBuilder builder(load);
  mlir::Value parent = parents_.lookup({number, segment});
  mlir::Value coordinate = level.coordinate(builder, load.getLoc(), position, segment, parent);
  auto replaced = indexUses(load);
  if (failed(replaced))
    return mlir::failure();
  // Where a tensor is read twice, a coordinate of one access may be a parent, or with a single entry for each parent
  // the first position, of the other's.
  for (auto *known : {&parents_, &ends_}) {
    const auto updated = [&](mlir::Value value) { return llvm::is_contained(*replaced, value) ? coordinate : value; };
    Parents renamed;
    for (const auto &[place, above] : *known)
      renamed[{place.first, updated(place.second)}] = updated(above);
    *known = std::move(renamed);
  }
  return replaceChain(load, coordinate);
}

/// Reads a coordinate from the array of structs.
void LowerStorage::deinterleave(unsigned argument, LevelAttr level, memref::LoadOp load) {
  mlir::OpBuilder builder(load);
  mlir::Value entries = array(argument, BindKind::Entries, load.getMemRefType());
  AffineSum place{level.getField(), {{load.getIndices().front(), level.getFields()}}};
  mlir::Value index = emitSum(builder, load.getLoc(), place);
  auto read = memref::LoadOp::create(builder, load.getLoc(), entries, index);
  load.replaceAllUsesWith(read.getResult());
  load.erase();
}

} // namespace
} // namespace spc::transforms
