#include "syntax/functions.h"

#include <algorithm>
#include <array>

namespace spc::syntax {
namespace {

constexpr DiagnosticKind kUnknownFunction{"unknown-function", Severity::Error};

/// A function of other languages, and what to write for it.
struct Missing {
  std::string_view name;
  std::string_view instead; ///< in quotes, or a sentence
  bool isNoTensor = false;  ///< hardly any tensor has this name
};

constexpr std::string_view kSelect = "write 'select(condition, x, y)', as in 'y(i) = select(x(i) > 0, x(i), 0)'";
constexpr std::string_view kSolve =
    "no statement solves, as each element would need those before it; "
    "'y(i) = (b(i) - sum(j, R(i,j) * x(j))) / d(i)', with A = diag(d) + R, is a step of "
    "an iteration";
constexpr std::string_view kSort =
    "'y(r) = bottom(r, i, x(i))' for as many r as there are i; its places are 'argbottom'";

constexpr std::array<Missing, 40> kMissing{
    {{"arccos", "'acos(x)'", true},
     {"arcsin", "'asin(x)'", true},
     {"arctan", "'atan(x)'", true},
     {"argsort", kSort, true},
     {"average", "'mean(j, ...)'", true},
     {"clamp", "'min(max(x, a), b)'"},
     {"clip", "'min(max(x, a), b)'"},
     {"cond", "'select(condition, x, y)'"},
     {"cumsum", "'y(i) = sum(j, x(j) * (j <= i))', which takes n*n steps", true},
     {"diag", "'d(i) = A(i,i)' for the diagonal of A"},
     {"dot", "'s = x(i) * y(i)'"},
     {"einsum", "the product with its indices, 'y(i) = A(i,j) * x(j)' for 'ij,j->i'", true},
     {"fmod", "'x % y'", true},
     {"if", kSelect, true},
     {"ifelse", kSelect, true},
     {"inv", "'1 / x'"},
     {"leaky_relu", "'max(x, 0.01 * x)'", true},
     {"log10", "'log(x) / log(10)'", true},
     {"logsumexp", "'m + log(sum(j, exp(x(j) - m)))', with 'let m = max(j, x(j))'", true},
     {"matmul", "'C(i,j) = A(i,k) * B(k,j)'", true},
     {"max_element", "'max(i, x(i))'", true},
     {"maximum", "'max(x, y)'"},
     {"minimum", "'min(x, y)'"},
     {"norm", "'sqrt(sum(i, x(i) * x(i)))'", true},
     {"piecewise", kSelect, true},
     {"power", "'pow(x, y)'"},
     {"product", "'prod(j, ...)'", true},
     {"rint", "'roundeven(x)'"},
     {"rsqrt", "'1 / sqrt(x)'"},
     {"silu", "'x * sigmoid(x)'"},
     {"solve", kSolve, true},
     {"sort", kSort, true},
     {"softmax",
      "'y(i,j) = exp(x(i,j) - m(i)) / z(i)', with 'let m(i) = max(j, x(i,j))' and "
      "'let z(i) = sum(j, exp(x(i,j) - m(i)))' before it",
      true},
     {"softplus", "'log1p(exp(x))'", true},
     {"spsolve", kSolve, true},
     {"square", "'x * x'"},
     {"topk", "'y(r) = top(r, i, x(i))' for as many r as are wanted; its places are 'argtop'", true},
     {"trace", "'t = A(i,i)'"},
     {"transpose", "the indices the other way round, 'B(j,i) = A(i,j)'"},
     {"trsv", kSolve, true}}};

const Missing *missingNamed(std::string_view name) {
  const auto found =
      std::find_if(kMissing.begin(), kMissing.end(), [&](const Missing &missing) { return missing.name == name; });
  return found == kMissing.end() ? nullptr : found;
}

/// The function that a name was likely meant to be, one of the language or not.
std::optional<std::string> likelyFunction(const std::string &name) {
  std::vector<std::string> known = language::functionNames();
  known.insert(known.end(), {"sum", "prod", "any", "all", "mean", "argmin", "argmax", "count", "top", "bottom",
                             "argtop", "argbottom"});
  for (const Missing &each : kMissing)
    if (each.name != "if") // many short names are near to it
      known.emplace_back(each.name);
  return didYouMean(name, known);
}

bool isTensor(const Kernel &kernel, const std::string &name) {
  return std::any_of(kernel.declarations.begin(), kernel.declarations.end(),
                     [&](const TensorDecl &decl) { return decl.name.text == name; }) ||
         std::any_of(kernel.statements.begin(), kernel.statements.end(),
                     [&](const Statement &statement) { return statement.target.tensor.text == name; });
}

void checkExpression(const Expr &expr, const Kernel &kernel, SyntaxErrors &errors) {
  if (auto *access = std::get_if<Access>(&expr.node)) {
    const Name &name = access->tensor;
    const bool isHeld = std::any_of(access->indices.begin(), access->indices.end(),
                                    [](const language::Index &index) { return index.isHeld(); });
    const bool isFunction = isHeld ? isLikelyFunction(name.text) : isFunctionName(name.text);
    if (!access->indices.empty() && isFunction && !isTensor(kernel, name.text))
      reportUnknownFunction(name, errors);
  }
  for (const Expr *child : children(expr))
    checkExpression(*child, kernel, errors);
}

} // namespace

bool isFunctionAlone(std::string_view name) {
  return language::functionNamed(name) && language::namingOf(name) == language::Naming::Reserved;
}

bool isReductionAlone(std::string_view name) {
  return language::reductionNamed(name) && language::namingOf(name) == language::Naming::Reserved;
}

bool isFunctionName(std::string_view name) {
  const Missing *missing = missingNamed(name);
  return isFunctionAlone(name) || isReductionAlone(name) || (missing && missing->isNoTensor);
}

bool isLikelyFunction(const std::string &name) {
  return isFunctionName(name) || missingNamed(name) || likelyFunction(name);
}

void reportUnknownFunction(const Name &name, SyntaxErrors &errors) {
  constexpr size_t kLongestQuote = 40;
  std::string shown = name.text.substr(0, kLongestQuote) + (name.text.size() > kLongestQuote ? "..." : "");
  Diagnostic &error = errors.report(kUnknownFunction, name.where, "unknown function '" + shown + "'");
  const Missing *missing = missingNamed(name.text);
  const std::optional<std::string> meant = missing ? std::nullopt : likelyFunction(name.text);
  if (const Missing *other = meant ? missingNamed(*meant) : nullptr)
    error.advise("did you mean '" + *meant + "'? There is none, either; " +
                 (other->instead.starts_with('\'') ? "write " : "") + std::string(other->instead));
  else if (meant)
    error.fix(name.where, *meant);
  else if (missing && missing->instead.starts_with('\''))
    error.advise("write " + std::string(missing->instead) + "; or declare '" + shown + "', if it is a tensor");
  else if (missing)
    error.advise(std::string(missing->instead));
  else
    error.advise("a tensor's indices are index variables, as in '" + shown + "(i, j)'");
}

void checkFunctionNames(const Kernel &kernel, SyntaxErrors &errors) {
  for (const Statement &statement : kernel.statements)
    if (!errors.full())
      checkExpression(*statement.value, kernel, errors);
}

} // namespace spc::syntax
