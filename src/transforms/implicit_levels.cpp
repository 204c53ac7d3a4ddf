#include "transforms/implicit_levels.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace spc::transforms {

namespace arith = mlir::arith;
namespace memref = mlir::memref;
namespace scf = mlir::scf;
using mlir::Value;

namespace {

Value number(mlir::OpBuilder &builder, mlir::Location location, int64_t value) {
  return arith::ConstantIndexOp::create(builder, location, value);
}

Value add(mlir::OpBuilder &builder, mlir::Location location, Value a, Value b) {
  return arith::AddIOp::create(builder, location, a, b);
}

Value multiply(mlir::OpBuilder &builder, mlir::Location location, Value a, Value b) {
  return arith::MulIOp::create(builder, location, a, b);
}

/// The value with which the loop that defines `position` starts; null where no loop does.
Value firstOf(Value position) {
  auto argument = mlir::dyn_cast<mlir::BlockArgument>(position);
  if (!argument)
    return {};
  mlir::Operation *loop = argument.getOwner()->getParentOp();
  if (auto forOp = mlir::dyn_cast<scf::ForOp>(loop))
    return argument == forOp.getInductionVar() ? forOp.getLowerBound() : Value();
  auto whileOp = mlir::dyn_cast<scf::WhileOp>(loop);
  if (!whileOp)
    return {};
  if (argument.getOwner() == whileOp.getAfterBody()) {
    argument = mlir::dyn_cast<mlir::BlockArgument>(whileOp.getConditionOp().getArgs()[argument.getArgNumber()]);
    if (!argument || argument.getOwner() != whileOp.getBeforeBody())
      return {};
  }
  return whileOp.getInits()[argument.getArgNumber()];
}

/// The load behind `index_cast(extui(load))`, or null.
memref::LoadOp loadBehind(Value index) {
  while (mlir::Operation *op = index ? index.getDefiningOp() : nullptr) {
    if (auto load = mlir::dyn_cast<memref::LoadOp>(op))
      return load;
    if (!mlir::isa<arith::IndexCastOp, arith::IndexCastUIOp, arith::ExtUIOp>(op))
      return {};
    index = op->getOperand(0);
  }
  return {};
}

llvm::SmallVector<memref::LoadOp> loadsOf(Value array) {
  llvm::SmallVector<memref::LoadOp> loads;
  for (mlir::Operation *user : array.getUsers())
    if (auto load = mlir::dyn_cast<memref::LoadOp>(user))
      loads.push_back(load);
  return loads;
}

} // namespace

mlir::LogicalResult replaceIndexChain(memref::LoadOp load, Value index) {
  for (mlir::Operation *user : llvm::make_early_inc_range(load->getUsers())) {
    llvm::SmallVector<mlir::Operation *> casts{user};
    const bool isWidened = mlir::isa<arith::ExtUIOp>(user);
    if (isWidened)
      casts.assign(user->getUsers().begin(), user->getUsers().end());
    for (mlir::Operation *cast : casts) {
      if (!mlir::isa<arith::IndexCastOp, arith::IndexCastUIOp>(cast))
        return cast->emitError("a stored index used other than as an index");
      cast->getResult(0).replaceAllUsesWith(index);
      cast->erase();
    }
    if (isWidened)
      user->erase();
  }
  load.erase();
  return mlir::success();
}

void signExtend(Value array) {
  for (memref::LoadOp load : loadsOf(array))
    for (mlir::Operation *user : llvm::make_early_inc_range(load->getUsers()))
      if (auto widened = mlir::dyn_cast<arith::ExtUIOp>(user)) {
        mlir::OpBuilder builder(widened);
        Value extended = arith::ExtSIOp::create(builder, widened.getLoc(), widened.getType(), load.getResult());
        widened.replaceAllUsesWith(extended);
        widened.erase();
      }
}

Value ImplicitLevel::extent(llvm::StringRef key) {
  auto name = keys_.getAs<mlir::StringAttr>(key);
  const std::string bind = "size(" + name.getValue().str() + ")";
  return boundArgument(body_, bind, mlir::IndexType::get(body_.getContext()));
}

/// constant + slope * at + size * extent.
Value ImplicitLevel::form(mlir::OpBuilder &builder, mlir::Location location, llvm::StringRef key, Value at) {
  llvm::ArrayRef<int64_t> terms = keys_.getAs<mlir::DenseI64ArrayAttr>(key).asArrayRef();
  Value sum = number(builder, location, terms[0]);
  if (terms[1] != 0)
    sum = add(builder, location, sum, multiply(builder, location, number(builder, location, terms[1]), at));
  if (terms[2] != 0)
    sum = add(builder, location, sum, multiply(builder, location, number(builder, location, terms[2]), extent("of")));
  return sum;
}

/// The sum of the closed form over the parents 0 … count - 1.
Value ImplicitLevel::closedSum(mlir::OpBuilder &builder, mlir::Location location, Value count) {
  llvm::ArrayRef<int64_t> terms = keys_.getAs<mlir::DenseI64ArrayAttr>("closed").asArrayRef();
  Value each = number(builder, location, terms[0]);
  if (terms[2] != 0)
    each = add(builder, location, each, multiply(builder, location, number(builder, location, terms[2]), extent("of")));
  Value sum = multiply(builder, location, each, count);
  if (terms[1] == 0)
    return sum;
  Value before = add(builder, location, count, number(builder, location, -1));
  Value twice = multiply(builder, location, count, before);
  Value pairs = arith::ShRSIOp::create(builder, location, twice, number(builder, location, 1));
  return add(builder, location, sum, multiply(builder, location, number(builder, location, terms[1]), pairs));
}

Value ImplicitLevel::position(mlir::OpBuilder &builder, mlir::Location location, Value parent) {
  if (mlir::Attribute width = keys_.get("fixed")) {
    Value factor;
    if (auto bind = mlir::dyn_cast<mlir::StringAttr>(width))
      factor = boundArgument(body_, bind.getValue(), mlir::IndexType::get(body_.getContext()));
    else
      factor = number(builder, location, mlir::cast<mlir::IntegerAttr>(width).getInt());
    return multiply(builder, location, parent, factor);
  }
  if (level_ < 2)
    return closedSum(builder, location, parent);
  // Below other levels the parents' coordinates run through their extent again and again.
  Value parents = extent("parents");
  Value batch = arith::DivUIOp::create(builder, location, parent, parents);
  Value rest = arith::RemUIOp::create(builder, location, parent, parents);
  Value whole = multiply(builder, location, batch, closedSum(builder, location, parents));
  return add(builder, location, whole, closedSum(builder, location, rest));
}

Value ImplicitLevel::start(mlir::OpBuilder &builder, mlir::Location location, Value parent) {
  if (!has("start"))
    return number(builder, location, 0);
  Value at = parent;
  if (level_ >= 2)
    at = arith::RemUIOp::create(builder, location, parent, extent("parents"));
  return form(builder, location, "start", at);
}

mlir::LogicalResult ImplicitLevel::lowerPositions(Value positions) {
  for (memref::LoadOp load : loadsOf(positions)) {
    mlir::OpBuilder builder(load);
    Value index = position(builder, load.getLoc(), load.getIndices().front());
    if (failed(replaceIndexChain(load, index)))
      return mlir::failure();
  }
  return mlir::success();
}

mlir::LogicalResult ImplicitLevel::lowerCoordinates(Value coordinates) {
  for (memref::LoadOp load : loadsOf(coordinates)) {
    Value entry = load.getIndices().front();
    Value first = firstOf(entry);
    memref::LoadOp segment = loadBehind(first);
    if (!segment)
      return load.emitError("a coordinate whose segment's start is not known");
    mlir::OpBuilder builder(load);
    // first - start is the same for the whole segment; LLVM moves it out of the loop.
    Value shift = arith::SubIOp::create(builder, load.getLoc(), first,
                                        start(builder, load.getLoc(), segment.getIndices().front()));
    Value coordinate = arith::SubIOp::create(builder, load.getLoc(), entry, shift);
    if (failed(replaceIndexChain(load, coordinate)))
      return mlir::failure();
  }
  return mlir::success();
}

mlir::LogicalResult ImplicitLevel::interleave(Value coordinates, Value entries) {
  llvm::ArrayRef<int64_t> layout = keys_.getAs<mlir::DenseI64ArrayAttr>("interleaved").asArrayRef();
  for (memref::LoadOp load : loadsOf(coordinates)) {
    mlir::OpBuilder builder(load);
    Value scaled =
        multiply(builder, load.getLoc(), load.getIndices().front(), number(builder, load.getLoc(), layout[0]));
    Value at = add(builder, load.getLoc(), scaled, number(builder, load.getLoc(), layout[1]));
    auto replacement = memref::LoadOp::create(builder, load.getLoc(), entries, at);
    load.replaceAllUsesWith(replacement.getResult());
    load.erase();
  }
  return mlir::success();
}

} // namespace spc::transforms
