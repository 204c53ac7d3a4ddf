#include "syntax/functions.h"

#include <algorithm>
#include <array>

namespace spc::syntax {
namespace {

constexpr DiagnosticKind kUnknownFunction{"unknown-function", Severity::Error};

// Those that the language has not.
constexpr std::array<std::string_view, 10> kFunctionNames{"average", "fmod", "log2",    "max_element", "log10",
                                                          "sinh",    "cosh", "product", "norm",        "softmax"};

bool isTensor(const Kernel &kernel, const std::string &name) {
  return std::any_of(kernel.declarations.begin(), kernel.declarations.end(),
                     [&](const TensorDecl &decl) { return decl.name.text == name; }) ||
         std::any_of(kernel.statements.begin(), kernel.statements.end(),
                     [&](const Statement &statement) { return statement.target.tensor.text == name; });
}

void checkExpression(const Expr &expr, const Kernel &kernel, SyntaxErrors &errors) {
  if (auto *access = std::get_if<Access>(&expr.node)) {
    const Name &name = access->tensor;
    if (!access->indices.empty() && isFunctionName(name.text) && !isTensor(kernel, name.text))
      reportUnknownFunction(name, errors);
  }
  for (const Expr *child : children(expr))
    checkExpression(*child, kernel, errors);
}

} // namespace

bool isFunctionName(std::string_view name) {
  return functionNamed(name) || reductionNamed(name) ||
         std::find(kFunctionNames.begin(), kFunctionNames.end(), name) != kFunctionNames.end();
}

void reportUnknownFunction(const Name &name, SyntaxErrors &errors) {
  constexpr size_t kLongestQuote = 40;
  std::string shown = name.text.substr(0, kLongestQuote) + (name.text.size() > kLongestQuote ? "..." : "");
  Diagnostic &error = errors.report(kUnknownFunction, name.where, "unknown function '" + shown + "'");
  std::vector<std::string> known = functionNames();
  known.insert(known.end(), {"sum", "prod", "any", "all", "mean", "argmin", "argmax", "count"});
  if (const std::optional<std::string> meant = didYouMean(name.text, known))
    error.fix(name.where, *meant);
  else if (isFunctionName(name.text))
    error.advise("there is no such function; if '" + shown + "' is a tensor, declare it");
  else
    error.advise("a tensor's indices are index variables, as in '" + shown + "(i, j)'");
}

void checkFunctionNames(const Kernel &kernel, SyntaxErrors &errors) {
  for (const Statement &statement : kernel.statements)
    if (!errors.full())
      checkExpression(*statement.value, kernel, errors);
}

} // namespace spc::syntax
