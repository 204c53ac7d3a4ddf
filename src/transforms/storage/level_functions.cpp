#include "transforms/storage/level_functions.h"

#include "transforms/util/body_arguments.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace spc::transforms {

namespace arith = mlir::arith;
using dialect::FormAttr;
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

LevelFunctions::LevelFunctions(mlir::func::FuncOp body, unsigned argument, unsigned level)
    : body_(body), number_(level), level_(dialect::tensorOf(body, argument).getLevel(level)) {}

Value LevelFunctions::size(ExtentAttr extent) const {
  return boundNumber(body_, BindAttr::get(extent));
}

/// The sparsifier linearises a dense parent's position as batch * extent + coordinate. That sum is taken apart here; a
/// position of another shape is divided.
LevelFunctions::Parent LevelFunctions::split(OpBuilder &builder, Location location, Value parent) const {
  if (number_ <= 1)
    return {Value(), parent};
  Value count = size(level_.getParents());
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

Value LevelFunctions::evaluate(OpBuilder &builder, Location location, FormAttr form, Value at) const {
  IndexMath math(builder, location);
  Value total = math.constant(form.getConstant());
  if (form.getSize() != 0)
    total = math.add(math.multiply(size(level_.getExtent()), form.getSize()), total);
  return form.getSlope() == 0 ? total : math.add(total, math.multiply(at, form.getSlope()));
}

/// The sum of the form over the coordinates below `end`: end * f(0) + slope * end * (end - 1) / 2.
Value LevelFunctions::sumBelow(OpBuilder &builder, Location location, FormAttr form, Value end) const {
  IndexMath math(builder, location);
  const auto level = FormAttr::get(form.getContext(), form.getConstant(), 0, form.getSize());
  Value total = math.multiply(end, evaluate(builder, location, level, end));
  if (form.getSlope() == 0)
    return total;
  Value pairs = math.divide(math.multiply(end, math.subtract(end, math.constant(1))), math.constant(2));
  return math.add(total, math.multiply(pairs, form.getSlope()));
}

Value LevelFunctions::position(OpBuilder &builder, Location location, Value parent, bool atEnd) const {
  IndexMath math(builder, location);
  if (level_.getFixed() || level_.getWidth()) {
    Value width = level_.getFixed() ? math.constant(*level_.getFixed()) : boundNumber(body_, level_.getWidth());
    Value start = math.multiply(parent, width);
    return atEnd ? math.add(start, width) : start;
  }
  const FormAttr length = level_.getClosed();
  const auto [batch, coordinate] = split(builder, location, parent);
  Value start = sumBelow(builder, location, length, coordinate);
  if (batch)
    start = math.add(start, math.multiply(batch, sumBelow(builder, location, length, size(level_.getParents()))));
  return atEnd ? math.add(start, evaluate(builder, location, length, coordinate)) : start;
}

Value LevelFunctions::coordinate(OpBuilder &builder, Location location, Value position, Value segment,
                                 Value parent) const {
  IndexMath math(builder, location);
  Value inSegment = math.subtract(position, segment);
  const FormAttr start = level_.getStart();
  if (!start)
    return inSegment;
  Value at = start.getSlope() == 0 ? Value() : split(builder, location, parent).coordinate;
  return math.add(inSegment, evaluate(builder, location, start, at));
}

} // namespace spc::transforms
