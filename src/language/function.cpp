#include "language/function.h"

#include <algorithm>
#include <iterator>
#include <unordered_map>

namespace spc::language {
namespace {

/// In the order of the enumeration.
constexpr FunctionSpelling kSpellings[] = {
    {Function::Abs, "abs", 1, 1},
    {Function::Sign, "sign", 1, 1},
    {Function::Relu, "relu", 1, 1},
    {Function::Floor, "floor", 1, 1},
    {Function::Ceil, "ceil", 1, 1},
    {Function::Trunc, "trunc", 1, 1, Naming::Shared},
    {Function::RoundEven, "roundeven", 1, 1, Naming::Shared},
    {Function::Round, "round", 1, 1},
    {Function::Sqrt, "sqrt", 1, 1},
    {Function::Cbrt, "cbrt", 1, 1},
    {Function::Exp, "exp", 1, 1},
    {Function::Exp2, "exp2", 1, 1, Naming::Shared},
    {Function::Expm1, "expm1", 1, 1},
    {Function::Log, "log", 1, 1},
    {Function::Log2, "log2", 1, 1, Naming::Shared},
    {Function::Log1p, "log1p", 1, 1},
    {Function::Sin, "sin", 1, 1},
    {Function::Cos, "cos", 1, 1},
    {Function::Tan, "tan", 1, 1},
    {Function::Sinh, "sinh", 1, 1, Naming::Shared},
    {Function::Cosh, "cosh", 1, 1, Naming::Shared},
    {Function::Tanh, "tanh", 1, 1},
    {Function::Asin, "asin", 1, 1, Naming::Shared},
    {Function::Acos, "acos", 1, 1, Naming::Shared},
    {Function::Atan, "atan", 1, 1, Naming::Shared},
    {Function::Asinh, "asinh", 1, 1, Naming::Shared},
    {Function::Acosh, "acosh", 1, 1, Naming::Shared},
    {Function::Atanh, "atanh", 1, 1, Naming::Shared},
    {Function::Erf, "erf", 1, 1},
    {Function::Sigmoid, "sigmoid", 1, 1},
    {Function::Gelu, "gelu", 1, 1},
    {Function::Conj, "conj", 1, 1, Naming::LikelyTensor},
    {Function::Real, "real", 1, 1, Naming::LikelyTensor},
    {Function::Imag, "imag", 1, 1, Naming::LikelyTensor},
    {Function::Arg, "arg", 1, 1, Naming::LikelyTensor},
    {Function::Pow, "pow", 2, 2},
    {Function::Atan2, "atan2", 2, 2},
    {Function::CopySign, "copysign", 2, 2, Naming::Shared},
    {Function::Complex, "complex", 2, 2, Naming::LikelyTensor},
    {Function::Min, "min", 2, kAnyNumber},
    {Function::Max, "max", 2, kAnyNumber},
    {Function::MinNumber, "fmin", 2, kAnyNumber, Naming::Shared},
    {Function::MaxNumber, "fmax", 2, kAnyNumber, Naming::Shared},
    {Function::MinPlus, "minplus", 2, 2},
    {Function::MaxPlus, "maxplus", 2, 2},
    {Function::Modulo, "%", 2, 2, Naming::Operator},
    {Function::Divide, "div", 2, 2, Naming::LikelyTensor},
    {Function::ShiftLeft, "shl", 2, 2, Naming::LikelyTensor},
    {Function::ShiftRight, "shr", 2, 2, Naming::LikelyTensor},
    {Function::BitAnd, "bitand", 2, 2, Naming::Shared},
    {Function::BitOr, "bitor", 2, 2, Naming::Shared},
    {Function::BitXor, "bitxor", 2, 2, Naming::Shared},
    {Function::Select, "select", 3, 3},
    {Function::Where, "where", 2, 2, Naming::LikelyTensor},
    {Function::Equal, "==", 2, 2, Naming::Operator},
    {Function::NotEqual, "!=", 2, 2, Naming::Operator},
    {Function::Less, "<", 2, 2, Naming::Operator},
    {Function::LessEqual, "<=", 2, 2, Naming::Operator},
    {Function::Greater, ">", 2, 2, Naming::Operator},
    {Function::GreaterEqual, ">=", 2, 2, Naming::Operator},
    {Function::At, "at", 2, 2, Naming::Shared},
    {Function::Once, "once", 2, 2, Naming::Shared},
    {Function::Within, "within", 2, 2, Naming::Shared},
    {Function::And, "and", 2, 2, Naming::Operator},
    {Function::Or, "or", 2, 2, Naming::Operator},
    {Function::Xor, "xor", 2, 2, Naming::Operator},
    {Function::Not, "not", 1, 1, Naming::Operator},
    {Function::Pattern, "pattern", 1, 1},
    {Function::Padded, "padded", 1, 1, Naming::Shared},
    {Function::Cast, "", 1, 1},
};
constexpr std::string_view kReductions[] = {"sum",    "prod",   "min",   "max", "any",    "all",    "mean",
                                            "argmin", "argmax", "count", "top", "bottom", "argtop", "argbottom"};

static_assert(std::size(kSpellings) == static_cast<size_t>(Function::Cast) + 1);

} // namespace

const FunctionSpelling &spellingOf(Function function) {
  return kSpellings[static_cast<size_t>(function)];
}

std::string_view spellingOf(Reduction reduction) {
  return kReductions[static_cast<size_t>(reduction)];
}

static constexpr std::string_view kTypes[] = {"f16", "bf16", "f32", "f64", "i8",   "i16",  "i32", "i64",
                                              "u8",  "u16",  "u32", "u64", "bool", "cf32", "cf64"};

std::optional<Reduction> reductionNamed(std::string_view name) {
  const auto found = std::find(std::begin(kReductions), std::end(kReductions), name);
  return found == std::end(kReductions) ? std::nullopt
                                        : std::optional(static_cast<Reduction>(found - std::begin(kReductions)));
}

std::string wrongCount(Function function, std::string_view called, size_t count) {
  const FunctionSpelling &spelling = spellingOf(function);
  const int given = static_cast<int>(count);
  if (given >= spelling.fewest && given <= spelling.most)
    return "";
  const bool isOpen = spelling.most == kAnyNumber && given < spelling.fewest;
  const int wanted = given < spelling.fewest ? spelling.fewest : spelling.most;
  return "'" + std::string(called) + "' takes " + (isOpen ? "at least " : "") + std::to_string(wanted) +
         (wanted == 1 ? " argument" : " arguments") + ", not " + std::to_string(given) +
         (function == Function::Where && given == 3 ? ": 'select' chooses one of two values" : "");
}

/// What is called by name. Each name of a text is looked up here.
static std::unordered_map<std::string_view, Function> calledByName() {
  std::unordered_map<std::string_view, Function> functions;
  for (const FunctionSpelling &spelling : kSpellings)
    if (!spelling.isOperator() && !spelling.text.empty())
      functions.emplace(spelling.text, spelling.function);
  for (const std::string_view type : kTypes)
    functions.insert_or_assign(type, Function::Cast);
  return functions;
}

std::optional<Function> functionNamed(std::string_view name) {
  static const std::unordered_map<std::string_view, Function> functions = calledByName();
  const auto found = functions.find(name);
  return found == functions.end() ? std::nullopt : std::optional(found->second);
}

std::vector<std::string> functionNames() {
  std::vector<std::string> names;
  for (const FunctionSpelling &spelling : kSpellings)
    if (!spelling.isOperator() && !spelling.text.empty())
      names.emplace_back(spelling.text);
  return names;
}

Naming namingOf(std::string_view name) {
  if (const std::optional<Reduction> reduction = reductionNamed(name); reduction && isRanking(*reduction))
    return Naming::LikelyTensor;
  const std::optional<Function> function = functionNamed(name);
  return function && *function != Function::Cast ? spellingOf(*function).naming : Naming::Reserved;
}

bool mayReadAsTensor(std::string_view name, std::string_view arguments) {
  return namingOf(name) == Naming::LikelyTensor && arguments.find('(') == std::string_view::npos;
}

bool isTypeName(std::string_view text) {
  return std::find(std::begin(kTypes), std::end(kTypes), text) != std::end(kTypes);
}

} // namespace spc::language
