#include "sema/fold.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace spc::sema {
namespace {

double foldUnary(Function function, double x) {
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
    return x * (1 + std::erf(x / std::numbers::sqrt2)) / 2;
  default:
    return x == 0 ? 1 : 0; // Not
  }
}

double foldBinary(Function function, double a, double b) {
  switch (function) {
  case Function::Pow:
    return std::pow(a, b);
  case Function::Atan2:
    return std::atan2(a, b);
  case Function::Modulo:
    return std::fmod(a, b);
  case Function::Equal:
    return a == b;
  case Function::NotEqual:
    return a != b;
  case Function::Less:
    return a < b;
  case Function::LessEqual:
    return a <= b;
  case Function::Greater:
    return a > b;
  case Function::GreaterEqual:
    return a >= b;
  case Function::And:
    return a != 0 && b != 0;
  default:
    return a != 0 || b != 0; // Or
  }
}

} // namespace

double fold(Function function, const std::vector<double> &arguments) {
  switch (function) {
  case Function::Min:
    return *std::min_element(arguments.begin(), arguments.end());
  case Function::Max:
    return *std::max_element(arguments.begin(), arguments.end());
  case Function::Select:
    return arguments[0] != 0 ? arguments[1] : arguments[2];
  default:
    return arguments.size() == 1 ? foldUnary(function, arguments[0]) : foldBinary(function, arguments[0], arguments[1]);
  }
}

double foldCast(ValueType type, double value) {
  if (type == ValueType::Bool)
    return value != 0 ? 1 : 0;
  return isInteger(type) ? std::trunc(value) : value;
}

} // namespace spc::sema
