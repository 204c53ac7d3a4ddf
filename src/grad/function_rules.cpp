// The derivative of each function.
#include "grad/partials.h"

#include <numbers>

namespace spc::grad {
namespace {

/// The rules for one call.
class Rules {
public:
  Rules(const Node &node, const Program &program, const Node *value)
      : node_(node), call_(std::get<CallNode>(node.kind)), program_(program), value_(value) {}

  std::vector<Factor> derivative(size_t argument) const {
    switch (call_.function) {
    case Function::Pow:
      return ofPower(argument);
    case Function::Atan2:
      return ofAngle(argument);
    case Function::Modulo:
      return argument == 0 ? std::vector<Factor>() : ofDivisor();
    case Function::CopySign:
      return product(factor(ofOne(0)), factor(ofOne(1)));
    case Function::Min:
    case Function::Max:
    case Function::MinNumber:
    case Function::MaxNumber:
      return {condition(isChosen(argument))};
    case Function::Where:
      return {condition(x())};
    case Function::Select:
      return {condition(argument == 1 ? x() : isNot(x()))};
    default:
      return ofOneNumber();
    }
  }

private:
  NodePtr x(size_t argument = 0) const { return clone(*call_.arguments[argument]); }
  /// An argument to be compared, in the type in which the call is computed.
  NodePtr compared(size_t argument = 0) const { return inFloats(*call_.arguments[argument], program_); }
  NodePtr self() const { return clone(value_ ? *value_ : node_); }
  static NodePtr times(NodePtr a, NodePtr b) { return binary(BinaryOp::Mul, std::move(a), std::move(b)); }
  static NodePtr plus(NodePtr a, NodePtr b) { return binary(BinaryOp::Add, std::move(a), std::move(b)); }
  static NodePtr minus(NodePtr a, NodePtr b) { return binary(BinaryOp::Sub, std::move(a), std::move(b)); }
  static NodePtr isNot(NodePtr condition) {
    const CallNode *negated = callOf(*condition, Function::Not);
    return negated ? clone(*negated->arguments.front()) : call(Function::Not, std::move(condition));
  }
  static Factor over(NodePtr value) { return {std::move(value), true}; }
  static Factor condition(NodePtr value) { return {std::move(value), false, true}; }

  template <typename... Factors> static std::vector<Factor> product(Factors... factors) {
    std::vector<Factor> list;
    (list.push_back(std::move(factors)), ...);
    return list;
  }

  std::vector<Factor> ofOneNumber() const {
    switch (call_.function) {
    case Function::Abs:
      return product(factor(call(Function::Sign, x())));
    case Function::Relu:
      return product(condition(call(Function::Greater, isOfComputed() ? clone(*value_) : compared(), number(0))));
    case Function::Sqrt:
      return product(over(number(2)), over(self()));
    case Function::Cbrt:
      return product(over(number(3)), over(self()), over(self()));
    case Function::Exp:
      return product(factor(self()));
    case Function::Exp2:
      return product(factor(number(std::numbers::ln2)), factor(self()));
    case Function::Expm1:
      return product(factor(call(Function::Exp, x())));
    case Function::Log:
      return product(over(x()));
    case Function::Log2:
      return product(over(number(std::numbers::ln2)), over(x()));
    case Function::Log1p:
      return product(over(plus(number(1), x())));
    case Function::Sin:
      return product(factor(call(Function::Cos, x())));
    case Function::Cos:
      return product(factor(number(-1)), factor(call(Function::Sin, x())));
    case Function::Tan:
      return product(factor(plus(number(1), times(self(), self()))));
    case Function::Sinh:
      return product(factor(called(Function::Cosh)));
    case Function::Cosh:
      return product(factor(called(Function::Sinh)));
    case Function::Tanh:
      return product(factor(minus(number(1), times(self(), self()))));
    case Function::Erf:
      return product(factor(number(2 * std::numbers::inv_sqrtpi)), factor(call(Function::Exp, negate(square()))));
    case Function::Sigmoid:
      return product(factor(self()), factor(minus(number(1), self())));
    case Function::Gelu:
      return product(factor(gelu()));
    default:
      return ofInverse();
    }
  }

  std::vector<Factor> ofInverse() const {
    const auto root = [](NodePtr value) { return call(Function::Sqrt, std::move(value)); };
    switch (call_.function) {
    case Function::Asin:
      return product(over(root(minus(number(1), square()))));
    case Function::Acos:
      return product(factor(number(-1)), over(root(minus(number(1), square()))));
    case Function::Atan:
      return product(over(plus(number(1), square())));
    case Function::Asinh:
      return product(over(root(plus(number(1), square()))));
    case Function::Acosh:
      return product(over(root(minus(square(), number(1)))));
    case Function::Atanh:
      return product(over(minus(number(1), square())));
    default: // sums of two numbers, conversions, and the real part of a float
      return {};
    }
  }

  /// A function of the argument, or what it is made of where a tensor of the program has its name.
  NodePtr called(Function function) const {
    if (!program_.taken.contains(std::string(language::spellingOf(function).text)))
      return call(function, x());
    NodePtr up = call(Function::Exp, x()), down = call(Function::Exp, negate(x()));
    return binary(BinaryOp::Div,
                  function == Function::Cosh ? plus(std::move(up), std::move(down))
                                             : minus(std::move(up), std::move(down)),
                  number(2));
  }

  /// 1 with the sign of an argument.
  NodePtr ofOne(size_t argument) const { return call(Function::CopySign, number(1), x(argument)); }

  /// Whether the value, above 0 where a relu's argument is, spares computing the argument anew.
  bool isOfComputed() const {
    bool isOf = false;
    program_.forEachRead(*call_.arguments.front(),
                         [&](const Access &read) { isOf |= program_.info(read.tensor).writer.has_value(); });
    return value_ && isOf;
  }

  NodePtr square() const { return times(x(), x()); }

  /// Phi(x) + x phi(x), of the normal distribution.
  NodePtr gelu() const {
    const double halfRoot = std::numbers::sqrt2 / 2, density = halfRoot * std::numbers::inv_sqrtpi;
    NodePtr below = plus(number(0.5), times(number(0.5), call(Function::Erf, times(number(halfRoot), x()))));
    NodePtr bell = call(Function::Exp, times(times(number(-0.5), x()), x()));
    return plus(std::move(below), times(times(number(density), x()), std::move(bell)));
  }

  std::vector<Factor> ofPower(size_t argument) const {
    if (argument == 1) // x^y log(x), which is 0 for x = 0, too
      return product(condition(call(Function::Greater, compared(), number(0))), conditional(self()),
                     conditional(call(Function::Log, x())));
    const Node &exponent = *call_.arguments[1];
    const auto *minusNumber = std::get_if<NegateNode>(&exponent.kind);
    const auto *literal = std::get_if<NumberNode>(&(minusNumber ? *minusNumber->operand : exponent).kind);
    if (!literal) // y x^(y-1), and 0 for y = 0
      return product(condition(call(Function::NotEqual, compared(1), number(0))), conditional(x(1)),
                     conditional(call(Function::Pow, x(), minus(x(1), number(1)))));
    const double power = minusNumber ? -literal->value : literal->value;
    if (power == 0)
      return product(factor(number(0)));
    if (power == 1)
      return {};
    return product(factor(number(power)), factor(power == 2 ? x() : call(Function::Pow, x(), number(power - 1))));
  }

  static Factor conditional(NodePtr value) { return {std::move(value), false, false, true}; }

  /// Of atan2(y, x): x / (x^2 + y^2) and -y / (x^2 + y^2).
  std::vector<Factor> ofAngle(size_t argument) const {
    Factor divisor = over(plus(times(x(1), x(1)), times(x(0), x(0))));
    if (argument == 0)
      return product(factor(x(1)), std::move(divisor));
    return product(factor(number(-1)), factor(x(0)), std::move(divisor));
  }

  /// Of x % y = x - y trunc(x / y) by y.
  std::vector<Factor> ofDivisor() const {
    NodePtr quotient = binary(BinaryOp::Div, minus(x(0), self()), x(1));
    return product(factor(number(-1)), factor(call(Function::Round, std::move(quotient))));
  }

  /// Whether an argument is the first that is the least, or the greatest, of those that are numbers where that is
  /// asked.
  NodePtr isChosen(size_t argument) const {
    const bool isMin = call_.function == Function::Min || call_.function == Function::MinNumber;
    const bool isOfNumbers = call_.function >= Function::MinNumber;
    NodePtr all;
    for (size_t other = 0; other < call_.arguments.size(); ++other) {
      if (other == argument)
        continue;
      const Function strict = isMin ? Function::Less : Function::Greater,
                     weak = isMin ? Function::LessEqual : Function::GreaterEqual;
      NodePtr one = call(other < argument ? strict : weak, compared(argument), compared(other));
      if (isOfNumbers && !std::holds_alternative<NumberNode>(call_.arguments[other]->kind))
        one = call(Function::Or, std::move(one), call(Function::NotEqual, compared(other), compared(other)));
      all = all ? call(Function::And, std::move(all), std::move(one)) : std::move(one);
    }
    return all;
  }

  const Node &node_;
  const CallNode &call_;
  const Program &program_;
  const Node *value_;
};

} // namespace

Factor factor(NodePtr value) {
  return {std::move(value)};
}

std::vector<Factor> derivativeOf(const Node &call, size_t argument, const Program &program, const Node *value) {
  return Rules(call, program, value).derivative(argument);
}

} // namespace spc::grad
