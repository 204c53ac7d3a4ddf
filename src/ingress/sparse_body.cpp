// Operations of the sparse_tensor dialect in bodies: they ask which of their operands are stored.
#include "ingress/body.h"

namespace spc::ingress {

namespace sparse = mlir::sparse_tensor;
using language::Function;
using syntax::ExprPtr;

Element BodyReader::where(ExprPtr condition, ExprPtr value) {
  if (!condition)
    return {std::move(value), nullptr};
  if (isNumber(*condition, 0))
    return {maker().number(0), std::move(condition)};
  ExprPtr domain = clone(condition);
  return {maker().call(Function::Where, std::move(condition), std::move(value)), std::move(domain)};
}

Element BodyReader::readRegion(mlir::Region &region, std::vector<Element> arguments) {
  mlir::Block &block = region.front();
  for (auto [argument, element] : llvm::zip(block.getArguments(), arguments))
    known_[argument] = std::move(element);
  mlir::Operation *yield = block.getTerminator();
  return yield->getNumOperands() == 1 ? read(yield->getOperand(0)) : nothing();
}

Element BodyReader::readUnary(sparse::UnaryOp unary) {
  const Maker make = maker();
  Element operand = read(unary.getX());
  const bool hasPresent = !unary.getPresentRegion().empty(), hasAbsent = !unary.getAbsentRegion().empty();
  ExprPtr isThere = clone(operand.domain);
  ExprPtr isMissing = isThere ? make.call(Function::Not, clone(isThere)) : make.truth(false);
  std::vector<Element> arguments;
  arguments.push_back(std::move(operand));
  ExprPtr present = hasPresent ? readRegion(unary.getPresentRegion(), std::move(arguments)).value : nullptr;
  ExprPtr absent = hasAbsent ? readRegion(unary.getAbsentRegion(), {}).value : nullptr;
  if (!isThere || !hasAbsent)
    return hasPresent ? where(std::move(isThere), std::move(present)) : where(make.truth(false), nullptr);
  if (!hasPresent)
    return where(std::move(isMissing), std::move(absent));
  return {make.call(Function::Select, std::move(isThere), std::move(present), std::move(absent)), nullptr};
}

Element BodyReader::readBinary(sparse::BinaryOp binary) {
  Element left = read(binary.getX()), right = read(binary.getY());
  const auto part = [&](mlir::Region &region, bool isIdentity, bool takesLeft, bool takesRight) -> ExprPtr {
    if (isIdentity)
      return clone(takesLeft ? left.value : right.value);
    if (region.empty())
      return nullptr;
    std::vector<Element> arguments;
    if (takesLeft)
      arguments.push_back(clone(left));
    if (takesRight)
      arguments.push_back(clone(right));
    return readRegion(region, std::move(arguments)).value;
  };
  // An operand that is there everywhere is never the one that is missing.
  ExprPtr overlap = part(binary.getOverlapRegion(), false, true, true);
  ExprPtr onlyLeft = right.domain ? part(binary.getLeftRegion(), binary.getLeftIdentity(), true, false) : nullptr;
  ExprPtr onlyRight = left.domain ? part(binary.getRightRegion(), binary.getRightIdentity(), false, true) : nullptr;
  return joined(std::move(left.domain), std::move(right.domain), std::move(overlap), std::move(onlyLeft),
                std::move(onlyRight));
}

Element BodyReader::joined(ExprPtr left, ExprPtr right, ExprPtr overlap, ExprPtr onlyLeft, ExprPtr onlyRight) {
  const Maker make = maker();
  const auto isThere = [&](const ExprPtr &domain) { return domain ? clone(domain) : make.truth(true); };
  const auto isMissing = [&](const ExprPtr &domain) { return make.call(Function::Not, clone(domain)); };
  const auto choose = [&](ExprPtr condition, ExprPtr yes, ExprPtr no) {
    return make.call(Function::Select, std::move(condition), std::move(yes), std::move(no));
  };
  if (overlap && onlyLeft && onlyRight) {
    ExprPtr one = choose(isThere(left), std::move(onlyLeft), std::move(onlyRight));
    ExprPtr value = choose(both(clone(left), clone(right)), std::move(overlap), std::move(one));
    return where(either(std::move(left), std::move(right)), std::move(value));
  }
  if (overlap && onlyLeft)
    return where(std::move(left), choose(std::move(right), std::move(overlap), std::move(onlyLeft)));
  if (overlap && onlyRight)
    return where(std::move(right), choose(std::move(left), std::move(overlap), std::move(onlyRight)));
  if (overlap)
    return where(both(std::move(left), std::move(right)), std::move(overlap));
  if (onlyLeft && onlyRight) {
    ExprPtr value = choose(clone(left), std::move(onlyLeft), std::move(onlyRight));
    ExprPtr first = both(clone(left), isMissing(right)), second = both(isMissing(left), clone(right));
    return where(either(std::move(first), std::move(second)), std::move(value));
  }
  if (onlyLeft)
    return where(both(std::move(left), isMissing(right)), std::move(onlyLeft));
  if (onlyRight)
    return where(both(isMissing(left), std::move(right)), std::move(onlyRight));
  return where(make.truth(false), nullptr);
}

Element BodyReader::part(const Reduction &reduction, const Reduction::Part &part, const std::string &type,
                         ExprPtr &counts) {
  const Maker make = maker();
  Element element = read(part.value);
  if (part.factor) {
    Element factor = read(part.factor);
    element = {make.binary(language::BinaryOp::Mul, std::move(element.value), std::move(factor.value)),
               both(std::move(element.domain), std::move(factor.domain))};
  }
  if (part.isNegated)
    element.value = make.negate(std::move(element.value));
  if (reduction.isUnsigned)
    element.value = make.cast("u" + type.substr(1), std::move(element.value));
  // What is skipped is what the reduction begins with: missing entries of one that asks for stored ones, and NaNs.
  if (reduction.identity && element.domain && neutralOf(reduction.how) != 0) {
    if (auto *entry = std::get_if<syntax::Call>(&element.value->node); entry && entry->function == Function::Where) {
      ExprPtr own = std::move(entry->arguments[1]);
      element.value = std::move(own);
    }
    counts = clone(element.domain);
  }
  if (reduction.skipsNaN)
    counts = both(std::move(counts), make.call(Function::Equal, clone(element.value), clone(element.value)));
  if (counts)
    element.value =
        make.call(Function::Select, std::move(counts), std::move(element.value), make.number(neutralOf(reduction.how)));
  return element;
}

Element BodyReader::readSelect(sparse::SelectOp select) {
  Element operand = read(select.getX());
  std::vector<Element> arguments;
  arguments.push_back(clone(operand));
  ExprPtr condition = readRegion(select.getRegion(), std::move(arguments)).value;
  return where(both(std::move(operand.domain), std::move(condition)), std::move(operand.value));
}

} // namespace spc::ingress
