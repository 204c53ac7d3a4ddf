#include "ingress/reduction.h"
#include "ingress/expressions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SparseTensor/IR/SparseTensor.h"

#include "llvm/ADT/DenseSet.h"

#include <algorithm>
#include <cmath>

namespace spc::ingress {

namespace arith = mlir::arith;
using How = language::Reduction;

namespace {

struct Combination {
  How how;
  bool skipsNaN = false;
  bool isUnsigned = false;
};

/// How an operation combines its two operands.
std::optional<Combination> combinationOf(mlir::Operation *operation) {
  const bool isBit = operation->getResult(0).getType().isInteger(1);
  if (mlir::isa<arith::OrIOp>(operation) && isBit)
    return Combination{How::Any};
  if ((mlir::isa<arith::AndIOp>(operation) || mlir::isa<arith::MulIOp>(operation)) && isBit)
    return Combination{How::All};
  if (isBit)
    return std::nullopt;
  if (mlir::isa<arith::AddFOp, arith::AddIOp, mlir::complex::AddOp>(operation))
    return Combination{How::Sum};
  if (mlir::isa<arith::MulFOp, arith::MulIOp, mlir::complex::MulOp>(operation))
    return Combination{How::Product};
  if (mlir::isa<arith::MaximumFOp, arith::MaxSIOp>(operation))
    return Combination{How::Max};
  if (mlir::isa<arith::MinimumFOp, arith::MinSIOp>(operation))
    return Combination{How::Min};
  if (mlir::isa<arith::MaxNumFOp>(operation))
    return Combination{How::Max, true};
  if (mlir::isa<arith::MinNumFOp>(operation))
    return Combination{How::Min, true};
  if (mlir::isa<arith::MaxUIOp>(operation))
    return Combination{How::Max, false, true};
  if (mlir::isa<arith::MinUIOp>(operation))
    return Combination{How::Min, false, true};
  return std::nullopt;
}

/// `select(a < b, a, b)`: the least of both, or the greatest. `result` is where a NaN that is compared leaves it.
std::optional<Combination> extremeOf(arith::SelectOp select, mlir::Value result) {
  mlir::Operation *test = select.getCondition().getDefiningOp();
  if (!test || !mlir::isa<arith::CmpFOp, arith::CmpIOp>(test) || select.getFalseValue() != result)
    return std::nullopt;
  const bool isInOrder = test->getOperand(0) == select.getTrueValue() && test->getOperand(1) == result;
  const bool isTurned = test->getOperand(1) == select.getTrueValue() && test->getOperand(0) == result;
  if (!isInOrder && !isTurned)
    return std::nullopt;
  std::optional<bool> isLess;
  bool isUnsigned = false;
  if (auto floats = mlir::dyn_cast<arith::CmpFOp>(test)) {
    using P = arith::CmpFPredicate;
    const P predicate = floats.getPredicate();
    if (predicate == P::OLT || predicate == P::OLE)
      isLess = true;
    else if (predicate == P::OGT || predicate == P::OGE)
      isLess = false;
  } else {
    using P = arith::CmpIPredicate;
    const P predicate = mlir::cast<arith::CmpIOp>(test).getPredicate();
    isUnsigned = predicate >= P::ult && !test->getOperand(0).getType().isIndex();
    if (predicate == P::slt || predicate == P::sle || predicate == P::ult || predicate == P::ule)
      isLess = true;
    else if (predicate != P::eq && predicate != P::ne)
      isLess = false;
  }
  if (!isLess)
    return std::nullopt;
  const How how = *isLess == isInOrder ? How::Min : How::Max;
  return Combination{how, mlir::isa<arith::CmpFOp>(test), isUnsigned};
}

bool dependsOn(mlir::Value value, mlir::Value result) {
  llvm::SmallVector<mlir::Value> open{value};
  llvm::DenseSet<mlir::Value> seen{value};
  while (!open.empty()) {
    const mlir::Value one = open.pop_back_val();
    if (one == result)
      return true;
    if (mlir::Operation *operation = one.getDefiningOp())
      for (mlir::Value operand : operation->getOperands())
        if (seen.insert(operand).second)
          open.push_back(operand);
  }
  return false;
}

/// Takes apart `((result + a) + b)`.
bool collect(mlir::Value value, mlir::Value result, std::optional<Combination> &how, Reduction &found) {
  if (value == result)
    return true;
  mlir::Operation *operation = value.getDefiningOp();
  if (!operation)
    return false;
  const auto agrees = [&](const Combination &here) {
    if (how && (how->how != here.how || how->skipsNaN != here.skipsNaN || how->isUnsigned != here.isUnsigned))
      return false;
    how = here;
    return true;
  };
  if (auto select = mlir::dyn_cast<arith::SelectOp>(operation)) {
    const std::optional<Combination> extreme = extremeOf(select, result);
    found.parts.push_back({select.getTrueValue(), nullptr, false});
    return extreme && agrees(*extreme) && !dependsOn(select.getTrueValue(), result);
  }
  if (mlir::isa<mlir::math::FmaOp>(operation)) {
    found.parts.push_back({operation->getOperand(0), operation->getOperand(1), false});
    return agrees({How::Sum}) && !dependsOn(operation->getOperand(0), result) &&
           !dependsOn(operation->getOperand(1), result) && collect(operation->getOperand(2), result, how, found);
  }
  const bool subtracts = mlir::isa<arith::SubFOp, arith::SubIOp, mlir::complex::SubOp>(operation) &&
                         !operation->getResult(0).getType().isInteger(1);
  const std::optional<Combination> here = subtracts ? Combination{How::Sum} : combinationOf(operation);
  if (!here || !agrees(*here))
    return false;
  const bool isLeft = dependsOn(operation->getOperand(0), result),
             isRight = dependsOn(operation->getOperand(1), result);
  if (isLeft == isRight || (subtracts && isRight))
    return false;
  found.parts.push_back({operation->getOperand(isLeft ? 1 : 0), nullptr, subtracts});
  return collect(operation->getOperand(isLeft ? 0 : 1), result, how, found);
}

std::optional<Reduction> customOf(mlir::sparse_tensor::ReduceOp reduce, mlir::Value result) {
  const bool isLeft = reduce.getX() == result;
  if ((!isLeft && reduce.getY() != result) || dependsOn(isLeft ? reduce.getY() : reduce.getX(), result))
    return std::nullopt;
  mlir::Block &block = reduce.getRegion().front();
  const mlir::Value x = block.getArgument(isLeft ? 0 : 1), y = block.getArgument(isLeft ? 1 : 0);
  Reduction found;
  std::optional<Combination> how;
  // The region's own result stands where `result` does, the element in the other place, in any order of the two.
  bool matches = collect(block.getTerminator()->getOperand(0), x, how, found);
  if (!matches || found.parts.size() != 1 || found.parts.front().value != y) {
    found.parts.clear();
    how.reset();
    matches = collect(block.getTerminator()->getOperand(0), y, how, found) && found.parts.size() == 1 &&
              found.parts.front().value == x;
  }
  if (!matches || found.parts.front().isNegated || found.parts.front().factor)
    return std::nullopt;
  found.parts = {{isLeft ? reduce.getY() : reduce.getX(), nullptr, false}};
  found.how = how->how;
  found.skipsNaN = how->skipsNaN;
  found.isUnsigned = how->isUnsigned;
  found.identity = reduce.getIdentity();
  return found;
}

/// What a reduction to an integer type begins with.
llvm::APInt leastTaken(How how, bool isUnsigned, unsigned width) {
  if (how == How::Max)
    return isUnsigned ? llvm::APInt::getMinValue(width) : llvm::APInt::getSignedMinValue(width);
  return isUnsigned ? llvm::APInt::getMaxValue(width) : llvm::APInt::getSignedMaxValue(width);
}

} // namespace

std::optional<Reduction> reductionOf(mlir::Value yielded, mlir::Value result) {
  if (auto reduce = yielded.getDefiningOp<mlir::sparse_tensor::ReduceOp>())
    return customOf(reduce, result);
  Reduction found;
  std::optional<Combination> how;
  if (!dependsOn(yielded, result) || !collect(yielded, result, how, found) || !how)
    return std::nullopt;
  found.how = how->how;
  found.skipsNaN = how->skipsNaN;
  found.isUnsigned = how->isUnsigned;
  std::reverse(found.parts.begin(), found.parts.end());
  return found;
}

double neutralOf(How how) {
  switch (how) {
  case How::Product:
  case How::All:
    return 1;
  case How::Min:
    return INFINITY;
  case How::Max:
    return -INFINITY;
  default:
    return 0;
  }
}

bool isNeutral(const syntax::Expr &number, How how, bool isUnsigned, mlir::Type type) {
  if (!type.isIntOrIndex() || type.isInteger(1) || (how != How::Max && how != How::Min))
    return isNumber(number, neutralOf(how));
  const unsigned width = type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
  const auto *negate = std::get_if<syntax::Negate>(&number.node);
  const auto *literal = std::get_if<syntax::Literal>(negate ? &negate->operand->node : &number.node);
  llvm::SmallString<24> digits;
  leastTaken(how, isUnsigned, width).toStringSigned(digits);
  return literal && (negate ? "-" : "") + literal->spelling == std::string(digits);
}

} // namespace spc::ingress
