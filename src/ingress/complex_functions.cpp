// Functions of complex numbers, which the language has none of: they are written out by what their parts are.
#include "ingress/body.h"
#include "ingress/encodings.h"

#include "mlir/Dialect/Complex/IR/Complex.h"

#include "llvm/ADT/StringSwitch.h"

namespace spc::ingress {

namespace complex = mlir::complex;
using language::BinaryOp;
using language::Function;
using syntax::ExprPtr;

namespace {

/// Writes out a function of x + iy. Trees are made anew wherever they stand.
class Parts {
public:
  Parts(const Maker &make, const syntax::Expr &z) : make_(make), z_(z) {}

  ExprPtr x() const { return part(0, Function::Real); }
  ExprPtr y() const { return part(1, Function::Imag); }
  ExprPtr size() const { return of(Function::Abs, clone(z_)); }
  ExprPtr angle() const { return of(Function::Arg, clone(z_)); }

  ExprPtr number(double value) const { return make_.number(value); }
  ExprPtr of(Function function, ExprPtr value) const { return make_.call(function, std::move(value)); }
  ExprPtr of(Function function, ExprPtr one, ExprPtr two) const {
    return make_.call(function, std::move(one), std::move(two));
  }
  ExprPtr plus(ExprPtr a, ExprPtr b) const { return make_.binary(BinaryOp::Add, std::move(a), std::move(b)); }
  ExprPtr minus(ExprPtr a, ExprPtr b) const { return make_.binary(BinaryOp::Sub, std::move(a), std::move(b)); }
  ExprPtr times(ExprPtr a, ExprPtr b) const { return make_.binary(BinaryOp::Mul, std::move(a), std::move(b)); }
  ExprPtr over(ExprPtr a, ExprPtr b) const { return make_.binary(BinaryOp::Div, std::move(a), std::move(b)); }
  ExprPtr square(ExprPtr a) const {
    ExprPtr copy = clone(a);
    return times(std::move(copy), std::move(a));
  }
  ExprPtr choice(ExprPtr condition, ExprPtr yes, ExprPtr no) const {
    return make_.call(Function::Select, std::move(condition), std::move(yes), std::move(no));
  }
  ExprPtr isZero(ExprPtr value) const { return of(Function::Equal, std::move(value), number(0)); }
  /// `a / b`, and another number where b is 0.
  ExprPtr overOr(ExprPtr a, const ExprPtr &b, ExprPtr other) const {
    ExprPtr quotient = over(std::move(a), clone(b));
    return choice(isZero(clone(b)), std::move(other), std::move(quotient));
  }
  ExprPtr joined(ExprPtr real, ExprPtr imaginary) const {
    return of(Function::Complex, std::move(real), std::move(imaginary));
  }

private:
  ExprPtr part(size_t which, Function function) const {
    const auto *made = std::get_if<syntax::Call>(&z_.node);
    return made && made->function == Function::Complex ? clone(made->arguments[which]) : of(function, clone(z_));
  }

  Maker make_;
  const syntax::Expr &z_;
};

/// Of a real z the imaginary part stays a zero, however large the other one is.
ExprPtr expOf(const Parts &z) {
  ExprPtr size = z.of(Function::Exp, z.x());
  ExprPtr up = z.times(clone(size), z.of(Function::Sin, z.y()));
  return z.joined(z.times(std::move(size), z.of(Function::Cos, z.y())),
                  z.choice(z.isZero(z.y()), z.y(), std::move(up)));
}

/// exp(x) cos(y) - 1 is expm1(x) cos(y) - 2 sin(y/2)^2, in which little is lost near 0.
ExprPtr expm1Of(const Parts &z) {
  ExprPtr half = z.of(Function::Sin, z.times(z.number(0.5), z.y()));
  ExprPtr real = z.minus(z.times(z.of(Function::Expm1, z.x()), z.of(Function::Cos, z.y())),
                         z.times(z.number(2), z.square(std::move(half))));
  ExprPtr up = z.times(z.of(Function::Exp, z.x()), z.of(Function::Sin, z.y()));
  return z.joined(std::move(real), z.choice(z.isZero(z.y()), z.y(), std::move(up)));
}

ExprPtr logOf(const Parts &z) {
  return z.joined(z.of(Function::Log, z.size()), z.angle());
}

/// log |1 + z| is that of the larger part, and half of log1p of the ratio's square.
ExprPtr log1pOf(const Parts &z) {
  const ExprPtr a = z.of(Function::Abs, z.plus(z.number(1), z.x())), b = z.of(Function::Abs, z.y());
  const ExprPtr most = z.of(Function::Max, clone(a), clone(b));
  ExprPtr isByReal = z.of(Function::GreaterEqual, z.plus(z.number(1), z.x()), clone(b));
  ExprPtr larger = z.choice(std::move(isByReal), z.of(Function::Log1p, z.x()), z.of(Function::Log, clone(most)));
  ExprPtr ratio = z.overOr(z.of(Function::Min, clone(a), clone(b)), most, z.number(0));
  ExprPtr rest = z.times(z.number(0.5), z.of(Function::Log1p, z.square(std::move(ratio))));
  return z.joined(z.plus(std::move(larger), std::move(rest)), z.of(Function::Atan2, z.y(), z.plus(z.number(1), z.x())));
}

/// The larger part t is sqrt((|z| + |x|) / 2), the other one |y| / 2t; the real part is not negative.
ExprPtr sqrtOf(const Parts &z) {
  const ExprPtr larger = z.of(
      Function::Sqrt, z.plus(z.times(z.number(0.5), z.size()), z.times(z.number(0.5), z.of(Function::Abs, z.x()))));
  const ExprPtr twice = z.times(z.number(2), clone(larger));
  ExprPtr real = z.choice(z.of(Function::GreaterEqual, z.x(), z.number(0)), clone(larger),
                          z.overOr(z.of(Function::Abs, z.y()), twice, z.number(0)));
  ExprPtr imaginary = z.choice(z.of(Function::GreaterEqual, z.x(), z.number(0)), z.overOr(z.y(), twice, z.y()),
                               z.of(Function::CopySign, clone(larger), z.y()));
  return z.joined(std::move(real), std::move(imaginary));
}

ExprPtr sinOf(const Parts &z) {
  return z.joined(z.times(z.of(Function::Sin, z.x()), z.of(Function::Cosh, z.y())),
                  z.times(z.of(Function::Cos, z.x()), z.of(Function::Sinh, z.y())));
}

ExprPtr cosOf(const Parts &z) {
  return z.joined(z.times(z.of(Function::Cos, z.x()), z.of(Function::Cosh, z.y())),
                  z.minus(z.number(0), z.times(z.of(Function::Sin, z.x()), z.of(Function::Sinh, z.y()))));
}

/// The parts of tanh(x + iy): tanh(x) (1 + tan(y)^2), and tan(y) / cosh(x)^2, by 1 + tanh(x)^2 tan(y)^2.
std::pair<ExprPtr, ExprPtr> tanhOf(const Parts &z, const ExprPtr &x, const ExprPtr &y) {
  const ExprPtr t = z.of(Function::Tanh, clone(x)), s = z.of(Function::Tan, clone(y));
  const ExprPtr by = z.plus(z.number(1), z.square(z.times(clone(t), clone(s))));
  ExprPtr real = z.over(z.times(clone(t), z.plus(z.number(1), z.square(clone(s)))), clone(by));
  ExprPtr imaginary = z.over(z.over(clone(s), z.square(z.of(Function::Cosh, clone(x)))), clone(by));
  return {std::move(real), std::move(imaginary)};
}

ExprPtr signOf(const Parts &z) {
  const ExprPtr size = z.size();
  return z.joined(z.overOr(z.x(), size, z.number(0)), z.overOr(z.y(), size, z.number(0)));
}

/// exp(w log(z)); of zeros 1 where w is 0, and 0 where it is a positive real number.
ExprPtr powerOf(const Parts &z, const Parts &w) {
  ExprPtr size = z.of(Function::Exp, z.minus(z.times(w.x(), z.of(Function::Log, z.size())), z.times(w.y(), z.angle())));
  const ExprPtr turn = z.plus(z.times(w.y(), z.of(Function::Log, z.size())), z.times(w.x(), z.angle()));
  const ExprPtr isRoot = z.of(Function::And, z.of(Function::Greater, w.x(), z.number(0)), z.isZero(w.y()));
  const ExprPtr isNone = z.of(Function::And, z.isZero(z.size()), clone(isRoot));
  const ExprPtr isOne = z.isZero(w.size());
  const auto settled = [&](double one, ExprPtr part) {
    return z.choice(clone(isOne), z.number(one), z.choice(clone(isNone), z.number(0), std::move(part)));
  };
  ExprPtr real = z.times(clone(size), z.of(Function::Cos, clone(turn)));
  ExprPtr imaginary = z.times(std::move(size), z.of(Function::Sin, clone(turn)));
  return z.joined(settled(1, std::move(real)), settled(0, std::move(imaginary)));
}

/// -i log((x + iy) / sqrt(x^2 + y^2)), of complex y and x.
ExprPtr atan2Of(const Maker &make, const syntax::Expr &y, const syntax::Expr &x) {
  const Parts of(make, x);
  const ExprPtr squares = of.plus(of.square(clone(x)), of.square(clone(y)));
  ExprPtr i = of.joined(of.number(0), of.number(1));
  ExprPtr sum = of.plus(clone(x), of.times(std::move(i), clone(y)));
  const ExprPtr unit = of.over(std::move(sum), sqrtOf(Parts(make, *squares)));
  const Parts w(make, *unit);
  return w.joined(w.angle(), w.minus(w.number(0), w.of(Function::Log, w.size())));
}

/// What a function of one number is; null of another operation.
ExprPtr valueOf(mlir::Operation *operation, const Parts &z) {
  using Written = ExprPtr (*)(const Parts &);
  const auto written = llvm::StringSwitch<Written>(operation->getName().stripDialect())
                           .Case("exp", expOf)
                           .Case("expm1", expm1Of)
                           .Case("log", logOf)
                           .Case("log1p", log1pOf)
                           .Case("sqrt", sqrtOf)
                           .Case("sin", sinOf)
                           .Case("cos", cosOf)
                           .Case("sign", signOf)
                           .Default(nullptr);
  if (written)
    return written(z);
  if (mlir::isa<complex::RsqrtOp>(operation))
    return z.over(z.number(1), sqrtOf(z));
  if (mlir::isa<complex::TanhOp>(operation)) {
    auto [real, imaginary] = tanhOf(z, z.x(), z.y());
    return z.joined(std::move(real), std::move(imaginary));
  }
  if (!mlir::isa<complex::TanOp>(operation))
    return nullptr;
  auto [imaginary, real] = tanhOf(z, z.y(), z.x()); // tan(z) is i tanh(z / i)
  return z.joined(std::move(real), std::move(imaginary));
}

} // namespace

std::optional<Element> BodyReader::readComplex(mlir::Operation *operation) {
  const Maker make = maker();
  if (auto create = mlir::dyn_cast<complex::CreateOp>(operation)) {
    Element real = read(create.getReal()), imaginary = read(create.getImaginary());
    if (isNumber(*imaginary.value, 0)) {
      real.value = make.cast(raiser_.typeOf(operation, create.getType()), std::move(real.value));
      return real;
    }
    return Element{make.call(Function::Complex, std::move(real.value), std::move(imaginary.value)),
                   either(std::move(real.domain), std::move(imaginary.domain))};
  }
  if (mlir::isa<complex::EqualOp, complex::NotEqualOp>(operation)) {
    Element one = read(operation->getOperand(0)), other = read(operation->getOperand(1));
    return Element{make.call(mlir::isa<complex::EqualOp>(operation) ? Function::Equal : Function::NotEqual,
                             std::move(one.value), std::move(other.value)),
                   nullptr};
  }
  if (mlir::isa<complex::PowOp, complex::Atan2Op>(operation)) {
    const Element one = read(operation->getOperand(0)), other = read(operation->getOperand(1));
    return Element{mlir::isa<complex::PowOp>(operation) ? powerOf(Parts(make, *one.value), Parts(make, *other.value))
                                                        : atan2Of(make, *one.value, *other.value),
                   nullptr};
  }
  if (operation->getNumOperands() != 1 || operation->getName().getDialectNamespace() != "complex")
    return std::nullopt;
  Element operand = read(operation->getOperand(0));
  ExprPtr value = valueOf(operation, Parts(make, *operand.value));
  if (!value)
    return std::nullopt;
  const bool keepsZero = !mlir::isa<complex::ExpOp, complex::LogOp, complex::CosOp, complex::RsqrtOp>(operation);
  return Element{std::move(value), keepsZero ? std::move(operand.domain) : nullptr};
}

} // namespace spc::ingress
