// The operations of expressions on elements besides + - * /: functions, comparisons and logic.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace spc::language {

enum class Function : uint8_t {
  // of one number
  Abs,
  Sign,
  Relu,
  Floor,
  Ceil,
  Round,
  Sqrt,
  Cbrt,
  Exp,
  Expm1,
  Log,
  Log1p,
  Sin,
  Cos,
  Tan,
  Tanh,
  Erf,
  Sigmoid,
  Gelu,
  // of several numbers
  Pow,
  Atan2,
  Min,
  Max,
  MinPlus,
  MaxPlus,
  Modulo,
  Select,
  // comparisons
  Equal,
  NotEqual,
  Less,
  LessEqual,
  Greater,
  GreaterEqual,
  // an index variable's value with one that a tensor holds, which has to be in the variable's range
  At,
  // logic
  And,
  Or,
  Xor,
  Not,
  // whether an access is a stored entry
  Pattern,
  // conversion to the type that the call is named after, `f32(x)`
  Cast,
};

/// Whether a function compares two numbers.
constexpr bool isComparison(Function function) {
  return function >= Function::Equal && function <= Function::At;
}

/// Whether a function's value is a truth: comparisons, logic and pattern().
constexpr bool isLogical(Function function) {
  return isComparison(function) || (function >= Function::And && function <= Function::Pattern);
}

/// How a reduction combines all values. Sema makes the last four of others and of functions.
enum class Reduction : uint8_t { Sum, Product, Min, Max, Any, All, Mean, ArgMin, ArgMax, Count };

/// Its name in the language: "sum", "prod", ...
std::string_view spellingOf(Reduction reduction);

/// The reduction so spelled; nullopt for anything else. `min` and `max` name functions, too.
std::optional<Reduction> reductionNamed(std::string_view name);

/// How a function is written. Operators have no arguments in parentheses.
struct FunctionSpelling {
  Function function;
  std::string_view text;
  int fewest, most; ///< arguments
  bool isOperator = false;
};

/// Every function and operator has one.
const FunctionSpelling &spellingOf(Function function);

/// What is wrong with calling a function, by the name `called`, with `count` arguments: "'exp' takes 1 argument, not
/// 2". Empty where nothing is.
std::string wrongCount(Function function, std::string_view called, size_t count);

/// The function that is called as `name(...)`, the types' names among them; nullopt for operators and anything else.
std::optional<Function> functionNamed(std::string_view name);

/// The names of all functions but the types.
std::vector<std::string> functionNames();

/// Whether text names one of the language's types: only spelled here, sema knows what they are.
bool isTypeName(std::string_view text);

/// Functions with as many arguments as one likes.
inline constexpr int kAnyNumber = 64;

} // namespace spc::language
