// Comparisons, and choices by them.
#include "ingress/body.h"
#include "ingress/encodings.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace spc::ingress {

namespace arith = mlir::arith;
using language::Function;
using syntax::ExprPtr;

ExprPtr BodyReader::operand(mlir::Operation *operation, unsigned k, bool isUnsigned) {
  ExprPtr value = read(operation->getOperand(k)).value;
  const mlir::Type type = operation->getOperand(k).getType();
  return isUnsigned && !type.isIndex() && !type.isInteger(1) ? maker().cast(withoutSign(type), std::move(value))
                                                             : std::move(value);
}

namespace {

struct Comparison {
  Function function;
  bool isNegated = false; ///< what it means is that this does not hold
};

std::optional<Comparison> comparisonOf(arith::CmpFPredicate predicate) {
  using P = arith::CmpFPredicate;
  switch (predicate) {
  case P::OEQ:
    return Comparison{Function::Equal};
  case P::OLT:
    return Comparison{Function::Less};
  case P::OLE:
    return Comparison{Function::LessEqual};
  case P::OGT:
    return Comparison{Function::Greater};
  case P::OGE:
    return Comparison{Function::GreaterEqual};
  case P::UNE:
    return Comparison{Function::NotEqual};
  case P::UGT:
    return Comparison{Function::LessEqual, true};
  case P::UGE:
    return Comparison{Function::Less, true};
  case P::ULT:
    return Comparison{Function::GreaterEqual, true};
  case P::ULE:
    return Comparison{Function::Greater, true};
  default:
    return std::nullopt;
  }
}

Comparison comparisonOf(arith::CmpIPredicate predicate) {
  using P = arith::CmpIPredicate;
  switch (predicate) {
  case P::eq:
    return {Function::Equal};
  case P::ne:
    return {Function::NotEqual};
  case P::slt:
  case P::ult:
    return {Function::Less};
  case P::sle:
  case P::ule:
    return {Function::LessEqual};
  case P::sgt:
  case P::ugt:
    return {Function::Greater};
  case P::sge:
  case P::uge:
    break;
  }
  return {Function::GreaterEqual};
}

} // namespace

Element BodyReader::readComparison(mlir::Operation *operation) {
  const Maker make = maker();
  auto floats = mlir::dyn_cast<arith::CmpFOp>(operation);
  auto integers = mlir::dyn_cast<arith::CmpIOp>(operation);
  const bool isUnsigned = integers && integers.getPredicate() >= arith::CmpIPredicate::ult;
  ExprPtr left = operand(operation, 0, isUnsigned), right = operand(operation, 1, isUnsigned);
  const std::optional<Comparison> found =
      floats ? comparisonOf(floats.getPredicate()) : std::optional(comparisonOf(integers.getPredicate()));
  if (found) {
    ExprPtr test = make.call(found->function, std::move(left), std::move(right));
    return {found->isNegated ? make.call(Function::Not, std::move(test)) : std::move(test), nullptr};
  }
  using P = arith::CmpFPredicate;
  const P predicate = floats.getPredicate();
  if (predicate == P::AlwaysTrue || predicate == P::AlwaysFalse)
    return {make.truth(predicate == P::AlwaysTrue), nullptr};
  const bool asksForNumbers = predicate == P::ORD || predicate == P::UNO;
  ExprPtr one = asksForNumbers ? make.call(Function::Equal, clone(left), clone(left))
                               : make.call(Function::Less, clone(left), clone(right));
  ExprPtr two = asksForNumbers ? make.call(Function::Equal, clone(right), clone(right))
                               : make.call(Function::Greater, std::move(left), std::move(right));
  ExprPtr test = make.call(asksForNumbers ? Function::And : Function::Or, std::move(one), std::move(two));
  const bool isNegated = predicate == P::UNO || predicate == P::UEQ;
  return {isNegated ? make.call(Function::Not, std::move(test)) : std::move(test), nullptr};
}

Element BodyReader::readSelection(mlir::Operation *operation) {
  auto select = mlir::cast<arith::SelectOp>(operation);
  Element condition = read(select.getCondition()), yes = read(select.getTrueValue()), no = read(select.getFalseValue());
  const bool hasZero = isNumber(*no.value, 0) && !no.domain;
  ExprPtr domain = hasZero ? std::move(yes.domain) : either(std::move(yes.domain), std::move(no.domain));
  return {maker().call(Function::Select, std::move(condition.value), std::move(yes.value), std::move(no.value)),
          std::move(domain)};
}

} // namespace spc::ingress
