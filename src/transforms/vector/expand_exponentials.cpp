#include "transforms/passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace spc::transforms {

#define GEN_PASS_DEF_EXPANDEXPONENTIALS
#include "transforms/Passes.h.inc"

namespace {

namespace arith = mlir::arith;
using mlir::Value;

/// (exp(r) - 1 - r) / r^2 for |r| <= log(2) / 2, fitted at Chebyshev's points: lowest power first.
constexpr float kExpCoefficients[] = {0.5F, 0.16666576266288757F, 0.041666463017463684F, 0.008363205008208752F,
                                      0.001393368816934526F};
/// Beyond these exp, and exp2, are 0 and infinity.
constexpr float kExpLeast = -104.0F, kExpMost = 89.0F, kExp2Least = -151.0F, kExp2Most = 129.0F;
/// Added to a number below 2^22, it leaves the nearest integer in the low bits.
constexpr float kRounding = 12582912.0F;
constexpr float kLog2E = 1.44269504F, kLn2 = 0.693147181F;
/// log(2) in two parts, the first one of so few bits that its product with an exponent is exact.
constexpr float kLn2High = 0.693359375F, kLn2Low = -2.12194440e-4F;

class ExponentialWriter {
public:
  explicit ExponentialWriter(mlir::Operation *op) : builder_(op->getLoc(), op) {}

  /// exp(x) = 2^n * exp(r) with x = n * log(2) + r. Off by a little more than one unit in the last place at most; NaNs
  /// stay.
  Value exponential(Value x) {
    x = limited(limited(x, arith::CmpFPredicate::OLT, kExpLeast), arith::CmpFPredicate::OGT, kExpMost);
    Value shifted = add(multiply(x, number(kLog2E)), number(kRounding));
    Value n = arith::SubFOp::create(builder_, shifted, number(kRounding));
    return scaled(shifted, add(multiply(n, number(-kLn2Low)), add(multiply(n, number(-kLn2High)), x)));
  }

  /// exp2(x) = 2^n * exp(r * log(2)) with x = n + r, which is exact; off by as little.
  Value exponentialOfTwo(Value x) {
    x = limited(limited(x, arith::CmpFPredicate::OLT, kExp2Least), arith::CmpFPredicate::OGT, kExp2Most);
    Value shifted = add(x, number(kRounding));
    Value rest = arith::SubFOp::create(builder_, x, arith::SubFOp::create(builder_, shifted, number(kRounding)));
    return scaled(shifted, multiply(rest, number(kLn2)));
  }

private:
  /// 2^n * exp(r), where the low bits of `shifted` are n.
  Value scaled(Value shifted, Value r) {
    Value sum = number(std::end(kExpCoefficients)[-1]);
    for (size_t power = std::size(kExpCoefficients) - 1; power-- > 0;)
      sum = add(multiply(sum, r), number(kExpCoefficients[power]));
    sum = add(add(multiply(sum, multiply(r, r)), r), number(1));
    // In two steps, as 2^n need be no number where the product is one.
    const mlir::Type bits = builder_.getI32Type();
    Value exponent = arith::SubIOp::create(builder_, arith::BitcastOp::create(builder_, bits, shifted),
                                           arith::BitcastOp::create(builder_, bits, number(kRounding)));
    Value half = arith::ShRSIOp::create(builder_, exponent, integer(1));
    Value rest = arith::SubIOp::create(builder_, exponent, half);
    return multiply(multiply(sum, powerOfTwo(half)), powerOfTwo(rest));
  }

  Value number(float value) { return arith::ConstantOp::create(builder_, builder_.getF32FloatAttr(value)); }

  Value integer(int32_t value) { return arith::ConstantOp::create(builder_, builder_.getI32IntegerAttr(value)); }

  Value limited(Value x, arith::CmpFPredicate beyond, float limit) {
    Value isBeyond = arith::CmpFOp::create(builder_, beyond, x, number(limit));
    return arith::SelectOp::create(builder_, isBeyond, number(limit), x);
  }

  /// Contracted where the processor can, but in this order: what rounds to an integer is no sum to be rearranged.
  Value add(Value left, Value right) {
    return arith::AddFOp::create(builder_, left, right, arith::FastMathFlags::contract);
  }

  Value multiply(Value left, Value right) {
    return arith::MulFOp::create(builder_, left, right, arith::FastMathFlags::contract);
  }

  Value powerOfTwo(Value exponent) {
    Value biased = arith::AddIOp::create(builder_, exponent, integer(127));
    return arith::BitcastOp::create(builder_, builder_.getF32Type(),
                                    arith::ShLIOp::create(builder_, biased, integer(23)));
  }

  mlir::ImplicitLocOpBuilder builder_;
};

class ExpandExponentials : public impl::ExpandExponentialsBase<ExpandExponentials> {
public:
  void runOnOperation() override {
    getOperation().walk([](mlir::Operation *op) {
      const bool isOfTwo = mlir::isa<mlir::math::Exp2Op>(op);
      if ((!isOfTwo && !mlir::isa<mlir::math::ExpOp>(op)) || !op->getResult(0).getType().isF32())
        return;
      ExponentialWriter writer(op);
      const Value x = op->getOperand(0);
      op->getResult(0).replaceAllUsesWith(isOfTwo ? writer.exponentialOfTwo(x) : writer.exponential(x));
      op->erase();
    });
  }
};

} // namespace
} // namespace spc::transforms
