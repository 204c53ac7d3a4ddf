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
  Trunc,
  RoundEven,
  Round,
  Sqrt,
  Cbrt,
  Exp,
  Exp2,
  Expm1,
  Log,
  Log2,
  Log1p,
  Sin,
  Cos,
  Tan,
  Sinh,
  Cosh,
  Tanh,
  Asin,
  Acos,
  Atan,
  Asinh,
  Acosh,
  Atanh,
  Erf,
  Sigmoid,
  Gelu,
  Conj,
  Real,
  Imag,
  Arg,
  // of several numbers
  Pow,
  Atan2,
  CopySign,
  Complex, ///< of two floats, its parts
  Min,
  Max,
  MinNumber, ///< of those that are no NaN
  MaxNumber,
  MinPlus,
  MaxPlus,
  Modulo,
  Divide, ///< of integers, towards 0
  ShiftLeft,
  ShiftRight,
  BitAnd,
  BitOr,
  BitXor,
  Select,
  Where, ///< an element where a condition holds, and none elsewhere
  // comparisons
  Equal,
  NotEqual,
  Less,
  LessEqual,
  Greater,
  GreaterEqual,
  // an index variable's value with one that a tensor holds, which has to be in the variable's range
  At,
  // the same where each value of the variable comes once at most
  Once,
  // the same without a promise: elsewhere it is false
  Within,
  // logic
  And,
  Or,
  Xor,
  Not,
  // whether an access is a stored entry
  Pattern,
  // an access whose indices may lie outside
  Padded,
  // conversion to the type that the call is named after, `f32(x)`
  Cast,
};

/// Whether a function compares two numbers.
constexpr bool isComparison(Function function) {
  return function >= Function::Equal && function <= Function::Within;
}

/// Whether a function of floats takes as long as some multiplications do.
constexpr bool isTranscendental(Function function) {
  return (function >= Function::Cbrt && function <= Function::Gelu) || function == Function::Pow ||
         function == Function::Atan2;
}

/// Whether a function compares an index variable with an index.
constexpr bool isOfPlaces(Function function) {
  return function >= Function::At && function <= Function::Within;
}

/// Whether a function of a complex number is a float, of the type that its parts have.
constexpr bool isOfParts(Function function) {
  return function == Function::Abs || (function >= Function::Real && function <= Function::Arg);
}

/// Whether a function is defined on integers alone.
constexpr bool isIntegral(Function function) {
  return function >= Function::Divide && function <= Function::BitXor;
}

/// Whether the first argument alone may decide the value of a function of two, as a 0 that is divided or shifted does.
constexpr bool isAbsorbedByFirst(Function function) {
  return function >= Function::Divide && function <= Function::ShiftRight;
}

/// Whether a function is the least or the greatest of its arguments, of which it has as many as one likes.
constexpr bool isExtreme(Function function) {
  return function >= Function::Min && function <= Function::MaxNumber;
}

/// Whether a function's value is a truth: comparisons, logic and pattern().
constexpr bool isLogical(Function function) {
  return isComparison(function) || (function >= Function::And && function <= Function::Pattern);
}

/// How a reduction combines all values. Sema makes four of them, from Mean on, of others and of functions. Those behind
/// these are rankings: their first variable is a rank, which they do not run over.
enum class Reduction : uint8_t {
  Sum,
  Product,
  Min,
  Max,
  Any,
  All,
  Mean,
  ArgMin,
  ArgMax,
  Count,
  Top,
  Bottom,
  ArgTop,
  ArgBottom
};

/// Whether it gives the values, or the places, of the first elements in an order.
constexpr bool isRanking(Reduction reduction) {
  return reduction >= Reduction::Top;
}

/// Whether a ranking gives places.
constexpr bool ranksPlaces(Reduction reduction) {
  return reduction >= Reduction::ArgTop;
}

/// Whether the least elements come first in a ranking.
constexpr bool ranksLeast(Reduction reduction) {
  return reduction == Reduction::Bottom || reduction == Reduction::ArgBottom;
}

/// Its name in the language: "sum", "prod", ...
std::string_view spellingOf(Reduction reduction);

/// The reduction so spelled; nullopt for anything else. `min` and `max` name functions, too.
std::optional<Reduction> reductionNamed(std::string_view name);

/// Who else may have the name of a function, or of a reduction.
enum class Naming : uint8_t {
  Reserved,     ///< nobody
  Operator,     ///< nobody: it is written between or before its arguments
  Shared,       ///< tensors that a file declares or writes, and scalars
  LikelyTensor, ///< those, and tensors that a file without declarations reads at indices alone
};

/// How a function is written. Operators have no arguments in parentheses.
struct FunctionSpelling {
  Function function;
  std::string_view text;
  int fewest, most; ///< arguments
  Naming naming = Naming::Reserved;

  constexpr bool isOperator() const { return naming == Naming::Operator; }
};

/// Every function and operator has one.
const FunctionSpelling &spellingOf(Function function);

/// What is wrong with calling a function, by the name `called`, with `count` arguments: "'exp' takes 1 argument, not
/// 2". Empty where nothing is.
std::string wrongCount(Function function, std::string_view called, size_t count);

/// The function that is called as `name(...)`, the types' names among them; nullopt for operators and anything else.
std::optional<Function> functionNamed(std::string_view name);

/// Who else may have a name; of types, and of what names neither a function nor a reduction, nobody.
Naming namingOf(std::string_view name);

/// Whether a call with these written arguments might be read as an access of a tensor, in a file that declares none:
/// parentheses around an argument prevent it.
bool mayReadAsTensor(std::string_view name, std::string_view arguments);

/// The names of all functions but the types.
std::vector<std::string> functionNames();

/// Whether text names one of the language's types: only spelled here, sema knows what they are.
bool isTypeName(std::string_view text);

/// Functions with as many arguments as one likes.
inline constexpr int kAnyNumber = 64;

} // namespace spc::language
