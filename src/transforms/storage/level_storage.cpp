#include "transforms/storage/level_storage.h"

#include "transforms/util/body_arguments.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace spc::transforms {

namespace arith = mlir::arith;
using mlir::Location;
using mlir::OpBuilder;
using mlir::Value;

namespace {

/// Integer arithmetic on indices that folds constants.
class IndexMath {
public:
  IndexMath(OpBuilder &builder, Location location) : builder_(builder), location_(location) {}

  Value constant(int64_t number) { return arith::ConstantIndexOp::create(builder_, location_, number); }
  Value add(Value a, Value b) { return builder_.createOrFold<arith::AddIOp>(location_, a, b); }
  Value subtract(Value a, Value b) { return builder_.createOrFold<arith::SubIOp>(location_, a, b); }
  Value multiply(Value a, Value b) { return builder_.createOrFold<arith::MulIOp>(location_, a, b); }
  Value multiply(Value a, int64_t b) { return multiply(a, constant(b)); }
  Value divide(Value a, Value b) { return builder_.createOrFold<arith::DivUIOp>(location_, a, b); }

private:
  OpBuilder &builder_;
  Location location_;
};

} // namespace

LevelStorage::LevelStorage(mlir::func::FuncOp body, unsigned argument, unsigned level)
    : body_(body), level_(level), keys_(levelKeys(body, argument, level)) {}

std::optional<std::pair<int64_t, int64_t>> LevelStorage::interleaved() const {
  auto numbers = keys_.getAs<mlir::DenseI64ArrayAttr>("interleaved");
  if (!numbers)
    return std::nullopt;
  return std::pair(numbers[0], numbers[1]);
}

std::optional<LevelStorage::Form> LevelStorage::form(llvm::StringRef key) const {
  auto numbers = keys_.getAs<mlir::DenseI64ArrayAttr>(key);
  if (!numbers)
    return std::nullopt;
  return Form{numbers[0], numbers[1], numbers[2]};
}

Value LevelStorage::extent(llvm::StringRef key) const {
  return boundNumber(body_, BindAttr::get(keys_.getAs<ExtentAttr>(key)));
}

/// The sparsifier linearises a dense parent's position as batch * extent + coordinate. That sum is taken apart here; a
/// position of another shape is divided.
LevelStorage::Parent LevelStorage::split(OpBuilder &builder, Location location, Value parent) const {
  if (level_ <= 1)
    return {Value(), parent};
  Value count = extent("parents");
  auto batchOf = [&](Value value) -> Value {
    auto product = value.getDefiningOp<arith::MulIOp>();
    if (product && product.getRhs() == count)
      return product.getLhs();
    return product && product.getLhs() == count ? product.getRhs() : Value();
  };
  if (auto sum = parent.getDefiningOp<arith::AddIOp>()) {
    if (Value batch = batchOf(sum.getLhs()))
      return {batch, sum.getRhs()};
    if (Value batch = batchOf(sum.getRhs()))
      return {batch, sum.getLhs()};
  }
  IndexMath math(builder, location);
  Value batch = math.divide(parent, count);
  return {batch, math.subtract(parent, math.multiply(batch, count))};
}

Value LevelStorage::evaluate(OpBuilder &builder, Location location, const Form &form, Value at) const {
  IndexMath math(builder, location);
  Value total = math.constant(form.constant);
  if (form.size != 0)
    total = math.add(math.multiply(extent("of"), form.size), total);
  return form.slope == 0 ? total : math.add(total, math.multiply(at, form.slope));
}

/// The sum of the form over the coordinates below `end`: end * f(0) + slope * end * (end - 1) / 2.
Value LevelStorage::sumBelow(OpBuilder &builder, Location location, const Form &form, Value end) const {
  IndexMath math(builder, location);
  Value total = math.multiply(end, evaluate(builder, location, {form.constant, 0, form.size}, end));
  if (form.slope == 0)
    return total;
  Value pairs = math.divide(math.multiply(end, math.subtract(end, math.constant(1))), math.constant(2));
  return math.add(total, math.multiply(pairs, form.slope));
}

Value LevelStorage::position(OpBuilder &builder, Location location, Value parent, bool atEnd) const {
  IndexMath math(builder, location);
  if (mlir::Attribute fixed = keys_.get("fixed")) {
    Value width;
    if (auto number = mlir::dyn_cast<mlir::IntegerAttr>(fixed))
      width = math.constant(number.getInt());
    else
      width = boundNumber(body_, mlir::cast<BindAttr>(fixed));
    Value start = math.multiply(parent, width);
    return atEnd ? math.add(start, width) : start;
  }
  const Form length = *form("closed");
  const auto [batch, coordinate] = split(builder, location, parent);
  Value start = sumBelow(builder, location, length, coordinate);
  if (batch)
    start = math.add(start, math.multiply(batch, sumBelow(builder, location, length, extent("parents"))));
  return atEnd ? math.add(start, evaluate(builder, location, length, coordinate)) : start;
}

Value LevelStorage::coordinate(OpBuilder &builder, Location location, Value position, Value segment,
                               Value parent) const {
  IndexMath math(builder, location);
  Value inSegment = math.subtract(position, segment);
  const std::optional<Form> start = form("start");
  if (!start)
    return inSegment;
  Value at = start->slope == 0 ? Value() : split(builder, location, parent).coordinate;
  return math.add(inSegment, evaluate(builder, location, *start, at));
}

} // namespace spc::transforms
