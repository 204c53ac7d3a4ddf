#include "transforms/affine_sums.h"

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

mlir::Value emitSum(mlir::OpBuilder &builder, mlir::Location location, const AffineSum &sum, bool negated) {
  const auto constant = [&](int64_t number) -> mlir::Value {
    return arith::ConstantIndexOp::create(builder, location, number);
  };
  const int64_t sign = negated ? -1 : 1;
  mlir::Value total = constant(sign * sum.constant);
  for (const auto &[term, coefficient] : sum.terms) {
    mlir::Value scaled = builder.createOrFold<arith::MulIOp>(location, term, constant(sign * coefficient));
    total = builder.createOrFold<arith::AddIOp>(location, scaled, total);
  }
  return total;
}

mlir::scf::ForOp loopOf(mlir::Value value) {
  auto argument = mlir::dyn_cast<mlir::BlockArgument>(value);
  auto loop = argument ? mlir::dyn_cast<mlir::scf::ForOp>(argument.getOwner()->getParentOp()) : mlir::scf::ForOp();
  return loop && loop.getInductionVar() == value ? loop : mlir::scf::ForOp();
}

bool isConstant(mlir::Value value, int64_t number) {
  mlir::APInt constant;
  return mlir::matchPattern(value, mlir::m_ConstantInt(&constant)) && constant.getSExtValue() == number;
}

} // namespace spc::transforms
