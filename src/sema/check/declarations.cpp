// Declarations, and the checks of names that need the whole kernel.
#include "sema/analysis.h"

#include <algorithm>
#include <set>

namespace spc::sema {
namespace {

constexpr DiagnosticKind kDuplicateDeclaration{"duplicate-declaration", Severity::Error};
constexpr DiagnosticKind kSparseScalar{"sparse-scalar", Severity::Error};
constexpr DiagnosticKind kUnknownTensor{"unknown-tensor", Severity::Error};
constexpr DiagnosticKind kUnused{"unused", Severity::Warning};
constexpr DiagnosticKind kNameClash{"name-clash", Severity::Error};

bool isUsed(const Analysis &analysis, const std::string &name) {
  const auto &tensors = analysis.kernel.tensors;
  return std::any_of(tensors.begin(), tensors.end(), [&](const Tensor &tensor) { return tensor.name == name; });
}

// The declared tensor that an undeclared operand was likely meant to be: one that nothing uses.
std::optional<std::string> likelyMeant(const Analysis &analysis, const Tensor &tensor) {
  std::vector<std::string> candidates;
  for (const auto &[name, declaration] : analysis.declarations)
    if (!isUsed(analysis, name) && (tensor.order() > 0 || declaration->extents.empty()))
      candidates.push_back(name);
  return didYouMean(tensor.name, candidates);
}

void checkUndeclaredOperand(Analysis &analysis, TensorId id, bool operandsAreDeclared) {
  const Tensor &tensor = analysis.kernel.tensors[id];
  std::optional<std::string> meant = likelyMeant(analysis, tensor);
  if (!meant && (!operandsAreDeclared || tensor.order() == 0))
    return;
  Diagnostic &unknown =
      analysis.diagnostics.report(kUnknownTensor, tensor.where, "tensor " + inQuotes(tensor.name) + " is not declared");
  if (meant) {
    Span name = tensor.where;
    name.end = name.begin + static_cast<uint32_t>(tensor.name.size());
    unknown.fix(name, *meant).advise("did you mean " + inQuotes(*meant) + "?");
  } else {
    unknown.advise("declare it: once one operand is declared, all those with indices must be");
  }
}

void checkUndeclaredOperands(Analysis &analysis) {
  bool operandsAreDeclared = false;
  for (const Symbol &symbol : analysis.symbols)
    operandsAreDeclared |= symbol.isOperand && symbol.declaration;
  for (TensorId id : analysis.symbols.ids()) {
    const Symbol &symbol = analysis.symbols[id];
    if (symbol.isOperand && !symbol.declaration)
      checkUndeclaredOperand(analysis, id, operandsAreDeclared);
  }
}

} // namespace

void declareTensors(Analysis &analysis) {
  for (const syntax::TensorDecl &declaration : analysis.source.declarations) {
    const std::string &name = declaration.name.text;
    auto [entry, isNew] = analysis.declarations.emplace(name, &declaration);
    if (!isNew)
      analysis.diagnostics
          .report(kDuplicateDeclaration, declaration.name.where, "tensor " + inQuotes(name) + " is declared twice")
          .note(entry->second->name.where, "first declared here");
    if (declaration.type && !typeNamed(analysis, declaration.type->text))
      reportUnknownType(analysis, *declaration.type, /*mayBeParameter=*/true);
    if (declaration.sparse && declaration.extents.empty())
      analysis.diagnostics.report(kSparseScalar, declaration.where,
                                  "scalar " + inQuotes(name) + " cannot be sparse: it has no dimensions");
  }
}

void warnOfUnused(const Analysis &analysis) {
  for (const syntax::TensorDecl &declaration : analysis.source.declarations)
    if (!isUsed(analysis, declaration.name.text))
      analysis.diagnostics.report(kUnused, declaration.name.where,
                                  "tensor " + inQuotes(declaration.name.text) + " is declared, and not used");
  for (TensorId id : analysis.symbols.ids()) {
    const Tensor &tensor = analysis.kernel.tensors[id];
    const auto reads = [&](const ResolvedStatement &statement) {
      return std::any_of(statement.scope.accesses.begin(), statement.scope.accesses.end(),
                         [&](const Access &access) { return access.tensor == id; });
    };
    if (tensor.is<Temporary>() && std::none_of(analysis.statements.begin(), analysis.statements.end(), reads))
      analysis.diagnostics.report(kUnused, tensor.where,
                                  "the temporary " + inQuotes(tensor.name) + " is computed, and never read");
  }
}

void checkNames(Analysis &analysis) {
  checkUndeclaredOperands(analysis);
  std::map<std::string, Span> tensors;
  for (const auto &[name, declaration] : analysis.declarations)
    tensors.emplace(name, declaration->name.where);
  for (const Tensor &tensor : analysis.kernel.tensors)
    tensors.emplace(tensor.name, tensor.where);
  std::set<std::string> reported;
  for (const auto &[name, where] : analysis.indexNames) {
    auto tensor = tensors.find(name);
    if (tensor == tensors.end() || !reported.insert(name).second)
      continue;
    analysis.diagnostics
        .report(kNameClash, where, inQuotes(name) + " is used both as an index variable and as a tensor")
        .note(tensor->second, "the tensor is here");
  }
}

} // namespace spc::sema
