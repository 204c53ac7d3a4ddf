#include "syntax/functions.h"

#include <algorithm>
#include <array>

namespace spc::syntax {
namespace {

constexpr DiagnosticKind kUnknownFunction{"unknown-function", Severity::Error};

constexpr std::array<std::string_view, 24> kFunctionNames{
    "abs", "all",  "any", "ceil", "cos",     "erf",  "exp",  "floor", "log",     "log2", "max", "mean",
    "min", "norm", "pow", "prod", "product", "relu", "sign", "sin",   "softmax", "sqrt", "tan", "tanh"};

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
  } else if (auto *negate = std::get_if<Negate>(&expr.node)) {
    checkExpression(*negate->operand, kernel, errors);
  } else if (auto *binary = std::get_if<Binary>(&expr.node)) {
    checkExpression(*binary->left, kernel, errors);
    checkExpression(*binary->right, kernel, errors);
  } else if (auto *sum = std::get_if<Sum>(&expr.node)) {
    checkExpression(*sum->body, kernel, errors);
  } else if (auto *paren = std::get_if<Paren>(&expr.node)) {
    checkExpression(*paren->inner, kernel, errors);
  }
}

} // namespace

bool isFunctionName(std::string_view name) {
  return std::find(kFunctionNames.begin(), kFunctionNames.end(), name) != kFunctionNames.end();
}

void reportUnknownFunction(const Name &name, SyntaxErrors &errors) {
  constexpr size_t kLongestQuote = 40;
  std::string shown = name.text.substr(0, kLongestQuote) + (name.text.size() > kLongestQuote ? "..." : "");
  Diagnostic &error = errors.report(kUnknownFunction, name.where, "unknown function `" + shown + "`");
  if (didYouMean(name.text, {"sum"}))
    error.fix(name.where, "sum");
  else if (isFunctionName(name.text))
    error.advise("the only function is `sum(j, ...)`; if `" + shown + "` is a tensor, declare it");
  else
    error.advise("the only function is `sum(j, ...)`, and a tensor's indices are plain names, as in `" + shown +
                 "(i, j)`");
}

void checkFunctionNames(const Kernel &kernel, SyntaxErrors &errors) {
  for (const Statement &statement : kernel.statements)
    if (!errors.full())
      checkExpression(*statement.value, kernel, errors);
}

} // namespace spc::syntax
