#include "sema/divide/part_value.h"

#include "sema/program.h"

namespace spc::sema {
namespace {

bool isExtremeReduction(Reduction reduction) {
  return reduction == Reduction::Min || reduction == Reduction::Max;
}

Reduction opposite(Reduction reduction) {
  return reduction == Reduction::Min   ? Reduction::Max
         : reduction == Reduction::Max ? Reduction::Min
         : reduction == Reduction::Any ? Reduction::All
                                       : Reduction::Any;
}

/// Whether sums in one type may be converted to another one addend by addend.
bool addsUp(ValueType from, ValueType to) {
  if (isInteger(from))
    return isInteger(to) && bytesOf(to) <= bytesOf(from);
  return isFloat(from) ? isFloat(to) || isComplex(to) : isComplex(from) && isComplex(to);
}

/// Whether the order of numbers stays when they are converted.
bool keepsOrder(ValueType from, ValueType to) {
  if (isComplex(to) || to == ValueType::Bool)
    return false;
  return isFloat(from) || isFloat(to) || widest(from, to) == to;
}

} // namespace

Reduction reductionIn(Reduction reduction, ValueType type) {
  if (type == ValueType::Bool && reduction == Reduction::Sum)
    return Reduction::Any;
  return type == ValueType::Bool && reduction == Reduction::Product ? Reduction::All : reduction;
}

bool isMonotone(Function function) {
  switch (function) {
  case Function::Sign:
  case Function::Relu:
  case Function::Floor:
  case Function::Ceil:
  case Function::Trunc:
  case Function::RoundEven:
  case Function::Round:
  case Function::Cbrt:
  case Function::Exp:
  case Function::Exp2:
  case Function::Expm1:
  case Function::Sinh:
  case Function::Tanh:
  case Function::Asinh:
  case Function::Atan:
  case Function::Erf:
  case Function::Sigmoid:
    return true;
  default:
    return false;
  }
}

std::string PartArithmetic::nameOf(const PartValue &value) const {
  switch (value.by) {
  case Reduction::Min:
    return "the least over '" + index_ + "'";
  case Reduction::Max:
    return "the greatest over '" + index_ + "'";
  case Reduction::Product:
    return "the product over '" + index_ + "'";
  case Reduction::Any:
  case Reduction::All:
    return "what is asked of all of '" + index_ + "'";
  default:
    return "the sum over '" + index_ + "'";
  }
}

PartValue PartArithmetic::joined(const PartValue &one, const PartValue &other) const {
  for (const PartValue *value : {&one, &other})
    if (value->isRefused())
      return *value;
  for (const PartValue *value : {&one, &other})
    if (value->isPartial())
      return PartValue::refused(nameOf(*value) + " is needed before the end, and a part has a share of it");
  if (one.isSame() || other.isSame())
    return one.isSame() ? other : one;
  return one.along == other.along
             ? one
             : PartValue::refused("it brings together what is at two coordinates of '" + index_ + "'");
}

PartValue PartArithmetic::sum(const PartValue &left, const PartValue &right, BinaryOp op, ValueType type) const {
  if (type == ValueType::Bool)
    return extreme(left, right, Reduction::Any);
  if (left.isRefused() || right.isRefused() || (!left.isPartial() && !right.isPartial()))
    return joined(left, right);
  if (left.isPartial(Reduction::Sum) && right.isPartial(Reduction::Sum))
    return left;
  const PartValue &partial = left.isPartial() ? left : right, &other = left.isPartial() ? right : left;
  if (isExtremeReduction(partial.by) && other.isSame() && isFloat(type))
    return op == BinaryOp::Sub && right.isPartial() ? PartValue::partial(opposite(partial.by)) : partial;
  if (other.isPartial())
    return PartValue::refused(nameOf(left) + " and " + nameOf(right) + " are added up");
  if (other.isSlice() || partial.by != Reduction::Sum)
    return joined(partial, other);
  return PartValue::refused("what is added to " + nameOf(partial) + " would be added once for each part");
}

PartValue PartArithmetic::product(const PartValue &left, const PartValue &right, ValueType type) const {
  if (type == ValueType::Bool)
    return extreme(left, right, Reduction::All);
  if (left.isRefused() || right.isRefused() || (!left.isPartial() && !right.isPartial()))
    return joined(left, right);
  if (left.isPartial() && right.isPartial())
    return left.by == right.by && left.by == Reduction::Product
               ? left
               : PartValue::refused(nameOf(left) + " and " + nameOf(right) +
                                    " are multiplied, and a part has a share of both");
  const PartValue &partial = left.isPartial() ? left : right, &other = left.isPartial() ? right : left;
  if (other.isSlice())
    return PartValue::refused(nameOf(partial) + ", of which a part has a share, is needed at each coordinate of it");
  return partial.by == Reduction::Sum ? partial : PartValue::refused(nameOf(partial) + " is multiplied");
}

PartValue PartArithmetic::quotient(const PartValue &left, const PartValue &right) const {
  if (right.isPartial() && !left.isRefused())
    return PartValue::refused("something is divided by " + nameOf(right) + ", of which a part has a share");
  return left.isPartial() ? product(left, right, ValueType::F64) : joined(left, right);
}

PartValue PartArithmetic::negative(PartValue value, ValueType type) const {
  return scaled(std::move(value), -1, type);
}

PartValue PartArithmetic::scaled(PartValue value, double factor, ValueType type) const {
  if (!value.isPartial())
    return value;
  if (isExtremeReduction(value.by) && isFloat(type) && factor != 0)
    return factor > 0 ? value : PartValue::partial(opposite(value.by));
  return product(value, {}, type);
}

PartValue PartArithmetic::extreme(const PartValue &one, const PartValue &other, Reduction reduction) const {
  if (one.isRefused() || other.isRefused() || (!one.isPartial() && !other.isPartial()))
    return joined(one, other);
  if (one.isPartial() && other.isPartial())
    return one.by == other.by && one.by == reduction
               ? one
               : PartValue::refused(nameOf(one) + " meets " + nameOf(other) + ", and a part has a share of both");
  const PartValue &partial = one.isPartial() ? one : other, &same = one.isPartial() ? other : one;
  // The lattice of truths and that of an order are distributive, and taking in a value again changes nothing.
  const bool isOfTruths = partial.by == Reduction::Any || partial.by == Reduction::All;
  const bool fits =
      isOfTruths ? !isExtremeReduction(reduction) : isExtremeReduction(partial.by) && isExtremeReduction(reduction);
  return fits && same.isSame() ? partial : joined(one, other);
}

PartValue PartArithmetic::converted(PartValue value, ValueType from, ValueType to) const {
  if (!value.isPartial() || from == to)
    return value;
  if (from == ValueType::Bool && !isComplex(to))
    return PartValue::partial(value.by == Reduction::Any   ? Reduction::Max
                              : value.by == Reduction::All ? Reduction::Min
                                                           : value.by);
  const bool fits = isExtremeReduction(value.by) ? keepsOrder(from, to) : addsUp(from, to);
  return fits ? value
              : PartValue::refused(nameOf(value) + " becomes a number of another type, and a part has a share of it");
}

PartValue PartArithmetic::inverted(const PartValue &value) const {
  return value.isPartial() ? PartValue::partial(opposite(value.by)) : value;
}

PartValue PartArithmetic::reduced(PartValue value, Reduction reduction, ValueType type) const {
  if (!value.isPartial() || value.by == reductionIn(reduction, type))
    return value;
  return PartValue::refused("of " + nameOf(value) + " a part has a share, of which another kind of reduction is taken");
}

PartValue PartArithmetic::reducedAlong(const PartValue &value, VariableId along, Reduction reduction,
                                       ValueType type) const {
  if (value.isRefused() || value.isPartial())
    return joined(value, {});
  if (value.isSlice() && value.along != along)
    return joined(value, PartValue::slice(along));
  return PartValue::partial(reductionIn(reduction, type));
}

} // namespace spc::sema
