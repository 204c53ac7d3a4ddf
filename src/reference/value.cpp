#include "reference/nodes.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace spc::reference {

namespace {

using syntax::Function;
using syntax::Reduction;
using Kind = Node::Kind;

constexpr double kUnbounded = std::numeric_limits<double>::infinity();

Value exactly(double number) {
  Value value;
  value.number = number;
  value.magnitude = std::isinf(number) ? 0 : std::abs(number);
  return value;
}

double ofOne(Function function, double x) {
  switch (function) {
  case Function::Abs:
    return std::abs(x);
  case Function::Sign:
    return x > 0 ? 1 : x < 0 ? -1 : x;
  case Function::Relu:
    return x > 0 || std::isnan(x) ? x : 0;
  case Function::Floor:
    return std::floor(x);
  case Function::Ceil:
    return std::ceil(x);
  case Function::Round:
    return std::round(x);
  case Function::Sqrt:
    return std::sqrt(x);
  case Function::Cbrt:
    return std::cbrt(x);
  case Function::Exp:
    return std::exp(x);
  case Function::Expm1:
    return std::expm1(x);
  case Function::Log:
    return std::log(x);
  case Function::Log1p:
    return std::log1p(x);
  case Function::Sin:
    return std::sin(x);
  case Function::Cos:
    return std::cos(x);
  case Function::Tan:
    return std::tan(x);
  case Function::Tanh:
    return std::tanh(x);
  case Function::Erf:
    return std::erf(x);
  case Function::Sigmoid:
    return 1 / (1 + std::exp(-x));
  case Function::Gelu:
    return x / 2 * (1 + std::erf(x / std::sqrt(2.0)));
  case Function::Not:
    return x == 0;
  default: // a conversion to a float
    return x;
  }
}

double ofTwo(Function function, double x, double y) {
  switch (function) {
  case Function::Pow:
    return std::pow(x, y);
  case Function::Atan2:
    return std::atan2(x, y);
  case Function::Min:
    return std::isnan(x) || x < y ? x : y;
  case Function::Max:
    return std::isnan(x) || x > y ? x : y;
  case Function::Modulo:
    return std::fmod(x, y);
  case Function::Equal:
    return x == y;
  case Function::NotEqual:
    return x != y;
  case Function::Less:
    return x < y;
  case Function::LessEqual:
    return x <= y;
  case Function::Greater:
    return x > y;
  case Function::GreaterEqual:
    return x >= y;
  case Function::And:
    return x != 0 && y != 0;
  case Function::Or:
    return x != 0 || y != 0;
  default: // Xor
    return (x != 0) != (y != 0);
  }
}

double callOf(Function function, const std::vector<double> &x) {
  if (function == Function::Select)
    return x[0] != 0 ? x[1] : x[2];
  if (x.size() == 1)
    return ofOne(function, x[0]);
  double result = x[0];
  for (size_t k = 1; k < x.size(); ++k)
    result = ofTwo(function, result, x[k]);
  return result;
}

/// Where a small change of an argument may make any other value.
bool hasSteps(Function function) {
  const bool isNumeric = function < Function::Modulo && function != Function::Sign && function != Function::Floor &&
                         function != Function::Ceil && function != Function::Round && function != Function::Tan &&
                         function != Function::Pow && function != Function::Atan2;
  return !isNumeric && function != Function::Cast;
}

Value call(const Node &node, Variables &variables, double epsilon) {
  const Function function = node.call->function;
  if (function == Function::Pattern) {
    const Node &access = *node.operands.front();
    return exactly(access.tensor->isStored(placeOf(access, variables)) ? 1 : 0);
  }
  std::vector<double> numbers;
  double error = 0;
  std::vector<Value> values;
  for (const NodePtr &operand : node.operands) {
    values.push_back(valueOf(*operand, variables, epsilon));
    numbers.push_back(values.back().number.real());
  }
  Value result = exactly(callOf(function, numbers));
  const double number = result.number.real();
  if (function == Function::Select) {
    const Value &chosen = values[numbers[0] != 0 ? 1 : 2];
    result.error = values[0].error > 0 ? kUnbounded : chosen.error;
    result.magnitude = chosen.magnitude;
    return result;
  }
  for (size_t k = 0; k < values.size(); ++k)
    for (const double sign : {-1.0, 1.0}) {
      if (values[k].error == 0)
        continue;
      std::vector<double> moved = numbers;
      moved[k] += sign * values[k].error;
      error += std::abs(callOf(function, moved) - number) + values[k].error;
    }
  const bool isUncertain = (error > 0 && hasSteps(function)) || std::isnan(error);
  const double scale = std::abs(number) +
                       (function == Function::Gelu || function == Function::Expm1 ? std::abs(numbers[0]) : 0) +
                       (function == Function::Sigmoid ? 1 : 0);
  const bool isExact = function >= Function::Equal && function != Function::Cast;
  result.error = isUncertain ? kUnbounded : error + (isExact ? 0 : 8 * epsilon * scale);
  return result;
}

class Reducer {
public:
  Reducer(const Node &node, Variables &variables, double epsilon)
      : node_(node), variables_(variables), epsilon_(epsilon) {}

  Value run() {
    switch (node_.reduction) {
    case Reduction::Product:
    case Reduction::All:
      result_ = exactly(1);
      break;
    case Reduction::Min:
      result_ = exactly(kUnbounded);
      break;
    case Reduction::Max:
      result_ = exactly(-kUnbounded);
      break;
    default:
      result_ = exactly(0);
    }
    visit(0);
    if (node_.reduction == Reduction::Sum || node_.reduction == Reduction::Mean)
      result_.error += epsilon_ * count_ * result_.magnitude;
    return node_.reduction == Reduction::Mean ? quotientOf(result_, exactly(count_), epsilon_) : result_;
  }

private:
  void visit(size_t depth) {
    if (depth == node_.variables.size()) {
      ++count_;
      take(valueOf(*node_.operands.front(), variables_, epsilon_));
      return;
    }
    Variable &variable = variables_[node_.variables[depth]];
    if (variable.extent < 0)
      throw Unsupported("know how far '" + variable.name + "' runs");
    for (variable.at = 0; variable.at < variable.extent; ++variable.at)
      visit(depth + 1);
  }

  void take(const Value &next) {
    const double a = result_.number.real(), b = next.number.real();
    switch (node_.reduction) {
    case Reduction::Product: {
      Value factor = next;
      factor.isMissing = false;
      result_ = productOf(result_, factor, epsilon_);
      return;
    }
    case Reduction::Min:
    case Reduction::Max: {
      const double error = std::max(result_.error, next.error);
      const bool isBetter = std::isnan(b) || (!std::isnan(a) && (node_.reduction == Reduction::Min ? b < a : b > a));
      result_ = isBetter ? next : result_;
      result_.isMissing = false;
      result_.error = error;
      return;
    }
    case Reduction::Any:
    case Reduction::All: {
      const double error = next.error > 0 ? kUnbounded : result_.error;
      result_ = exactly(node_.reduction == Reduction::Any ? a != 0 || b != 0 : a != 0 && b != 0);
      result_.error = error;
      return;
    }
    default:
      result_ = sumOf(result_, next, 0);
    }
  }

  const Node &node_;
  Variables &variables_;
  double epsilon_;
  double count_ = 0;
  Value result_;
};

} // namespace

int64_t placeOf(const Node &access, const Variables &variables) {
  int64_t place = 0;
  for (size_t dim = 0; dim < access.indices.size(); ++dim) {
    const IndexSum &index = access.indices[dim];
    int64_t at = index.constant;
    for (const auto &[variable, scale] : index.terms)
      at += scale * variables[variable].at;
    if (at < 0 || at >= access.tensor->shape()[dim])
      throw Unsupported("read outside of tensors");
    place = place * access.tensor->shape()[dim] + at;
  }
  return place;
}

Value sumOf(const Value &a, const Value &b, double epsilon, bool subtracts) {
  Value sum;
  sum.number = subtracts ? a.number - b.number : a.number + b.number;
  sum.magnitude = a.magnitude + b.magnitude;
  sum.error = a.error + b.error + epsilon * sum.magnitude;
  sum.isMissing = a.isMissing && b.isMissing;
  return sum;
}

Value productOf(const Value &a, const Value &b, double epsilon) {
  Value product;
  product.isMissing = a.isMissing || b.isMissing;
  if (product.isMissing)
    return product;
  const bool isReal = a.number.imag() == 0 && b.number.imag() == 0;
  product.number = isReal ? a.number.real() * b.number.real() : a.number * b.number;
  product.magnitude = a.magnitude * b.magnitude;
  product.error = a.magnitude * b.error + b.magnitude * a.error + a.error * b.error + epsilon * product.magnitude;
  return product;
}

Value quotientOf(const Value &a, const Value &b, double epsilon) {
  Value quotient;
  quotient.isMissing = a.isMissing;
  if (quotient.isMissing)
    return quotient;
  const bool isReal = a.number.imag() == 0 && b.number.imag() == 0;
  const double divisor = std::abs(b.number);
  quotient.number = isReal ? a.number.real() / b.number.real() : a.number / b.number;
  quotient.magnitude = a.magnitude / divisor;
  quotient.error = divisor > b.error
                       ? (a.error + quotient.magnitude * b.error) / (divisor - b.error) + epsilon * quotient.magnitude
                       : kUnbounded;
  return quotient;
}

Value valueOf(const Node &node, Variables &variables, double epsilon) {
  const auto operand = [&](size_t k) { return valueOf(*node.operands[k], variables, epsilon); };
  switch (node.kind) {
  case Kind::Literal: {
    Value value = exactly(node.literal);
    value.error = epsilon * value.magnitude;
    return value;
  }
  case Kind::Access:
    return node.tensor->at(placeOf(node, variables));
  case Kind::Index:
    return exactly(static_cast<double>(variables[node.variables.front()].at));
  case Kind::Negate: {
    Value value = operand(0);
    value.number = -value.number;
    return value;
  }
  case Kind::Add:
    return sumOf(operand(0), operand(1), epsilon);
  case Kind::Subtract:
    return sumOf(operand(0), operand(1), epsilon, true);
  case Kind::Multiply:
    return productOf(operand(0), operand(1), epsilon);
  case Kind::Divide:
    return quotientOf(operand(0), operand(1), epsilon);
  case Kind::Call:
    return call(node, variables, epsilon);
  case Kind::Reduce:
    return Reducer(node, variables, epsilon).run();
  }
  return {};
}

} // namespace spc::reference
