#include "transforms/util/affine_sums.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

namespace spc::transforms {

namespace arith = mlir::arith;

int64_t AffineSum::coefficient(mlir::Value value) const {
  for (const auto &[term, coefficient] : terms)
    if (term == value)
      return coefficient;
  return 0;
}

AffineSum AffineSum::without(mlir::Value value) const {
  AffineSum rest = *this;
  llvm::erase_if(rest.terms, [&](const auto &term) { return term.first == value; });
  return rest;
}

namespace {

void addTo(AffineSum &sum, mlir::Value value, int64_t factor) {
  mlir::APInt number;
  if (mlir::matchPattern(value, mlir::m_ConstantInt(&number))) {
    sum.constant += factor * number.getSExtValue();
    return;
  }
  if (auto add = value.getDefiningOp<arith::AddIOp>()) {
    addTo(sum, add.getLhs(), factor);
    addTo(sum, add.getRhs(), factor);
    return;
  }
  if (auto sub = value.getDefiningOp<arith::SubIOp>()) {
    addTo(sum, sub.getLhs(), factor);
    addTo(sum, sub.getRhs(), -factor);
    return;
  }
  if (auto mul = value.getDefiningOp<arith::MulIOp>()) {
    if (mlir::matchPattern(mul.getRhs(), mlir::m_ConstantInt(&number)))
      return addTo(sum, mul.getLhs(), factor * number.getSExtValue());
    if (mlir::matchPattern(mul.getLhs(), mlir::m_ConstantInt(&number)))
      return addTo(sum, mul.getRhs(), factor * number.getSExtValue());
  }
  for (auto &[term, coefficient] : sum.terms)
    if (term == value) {
      coefficient += factor;
      return;
    }
  sum.terms.push_back({value, factor});
}

} // namespace

AffineSum affineSum(mlir::Value index) {
  AffineSum sum;
  addTo(sum, index, 1);
  llvm::erase_if(sum.terms, [](const auto &term) { return term.second == 0; });
  return sum;
}

mlir::Value emitSum(mlir::OpBuilder &builder, mlir::Location location, const AffineSum &sum) {
  const auto constant = [&](int64_t number) -> mlir::Value {
    return arith::ConstantIndexOp::create(builder, location, number);
  };
  mlir::Value total;
  for (auto [term, coefficient] : sum.terms) {
    mlir::Value scaled = term;
    if (coefficient != 1)
      scaled = arith::MulIOp::create(builder, location, term, constant(coefficient));
    total = total ? arith::AddIOp::create(builder, location, total, scaled).getResult() : scaled;
  }
  if (!total)
    return constant(sum.constant);
  return sum.constant == 0 ? total : arith::AddIOp::create(builder, location, total, constant(sum.constant));
}

mlir::scf::ForOp loopOf(mlir::Value value) {
  auto argument = mlir::dyn_cast<mlir::BlockArgument>(value);
  auto loop = argument ? mlir::dyn_cast<mlir::scf::ForOp>(argument.getOwner()->getParentOp()) : mlir::scf::ForOp();
  return loop && loop.getInductionVar() == value ? loop : mlir::scf::ForOp();
}

namespace {

std::optional<int64_t> constantOf(mlir::Value value) {
  mlir::APInt constant;
  if (mlir::matchPattern(value, mlir::m_ConstantInt(&constant)))
    return constant.getSExtValue();
  return std::nullopt;
}

bool isAtLeastZero(mlir::Value bound) {
  if (auto maximum = bound.getDefiningOp<arith::MaxSIOp>())
    return isAtLeastZero(maximum.getLhs()) || isAtLeastZero(maximum.getRhs());
  return constantOf(bound).value_or(-1) >= 0;
}

std::optional<int64_t> constantLimit(mlir::Value bound) {
  auto minimum = bound.getDefiningOp<arith::MinSIOp>();
  if (!minimum)
    return constantOf(bound);
  std::optional<int64_t> left = constantLimit(minimum.getLhs()), right = constantLimit(minimum.getRhs());
  return left && right ? std::min(left, right) : left ? left : right;
}

} // namespace

std::optional<int64_t> largestOf(mlir::Value value) {
  mlir::scf::ForOp loop = loopOf(value);
  if (!loop || !isAtLeastZero(loop.getLowerBound()))
    return std::nullopt;
  std::optional<int64_t> limit = constantLimit(loop.getUpperBound());
  return limit ? std::optional(std::max<int64_t>(*limit - 1, 0)) : std::nullopt;
}

bool isBelow(const AffineSum &sum, int64_t limit) {
  int64_t largest = sum.constant;
  for (auto [term, coefficient] : sum.terms) {
    std::optional<int64_t> most = largestOf(term);
    if (!most || coefficient < 0)
      return false;
    largest += coefficient * *most;
  }
  return sum.constant >= 0 && largest < limit;
}

} // namespace spc::transforms
