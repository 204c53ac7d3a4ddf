// Declarations, and the checks of names that need the whole kernel.
#include "sema/check/checking.h"

#include <algorithm>
#include <set>

namespace spc::sema {
namespace {

constexpr DiagnosticKind kDuplicateDeclaration{"duplicate-declaration", Severity::Error};
constexpr DiagnosticKind kSparseScalar{"sparse-scalar", Severity::Error};
constexpr DiagnosticKind kUnknownTensor{"unknown-tensor", Severity::Error};
constexpr DiagnosticKind kUnused{"unused", Severity::Warning};

bool isUsed(const Checking &checking, const std::string &name) {
  const auto &tensors = checking.program.tensors;
  return std::any_of(tensors.begin(), tensors.end(), [&](const Tensor &tensor) { return tensor.name == name; });
}

// The declared tensor that an undeclared operand was likely meant to be: one that nothing uses.
std::optional<std::string> likelyMeant(const Checking &checking, const Tensor &tensor) {
  std::vector<std::string> candidates;
  for (const auto &[name, declaration] : checking.declarations)
    if (!isUsed(checking, name) && (tensor.order() > 0 || declaration->extents.empty()))
      candidates.push_back(name);
  return didYouMean(tensor.name, candidates);
}

void checkUndeclaredOperand(Checking &checking, TensorId id, bool operandsAreDeclared) {
  const Tensor &tensor = checking.program.tensors[id];
  std::optional<std::string> meant = likelyMeant(checking, tensor);
  if (!meant && (!operandsAreDeclared || tensor.order() == 0))
    return;
  Diagnostic &unknown =
      checking.diagnostics.report(kUnknownTensor, tensor.where, "tensor " + inQuotes(tensor.name) + " is not declared");
  if (meant) {
    Span name = tensor.where;
    name.end = name.begin + static_cast<uint32_t>(tensor.name.size());
    unknown.fix(name, *meant).advise("did you mean " + inQuotes(*meant) + "?");
  } else {
    unknown.advise("declare it: once one operand is declared, all those with indices must be");
  }
}

void checkUndeclaredOperands(Checking &checking) {
  bool operandsAreDeclared = false;
  for (const Symbol &symbol : checking.program.symbols)
    operandsAreDeclared |= symbol.isOperand && symbol.declaration && !symbol.declaration->constant;
  for (TensorId id : checking.program.symbols.ids()) {
    const Symbol &symbol = checking.program.symbols[id];
    if (symbol.isOperand && !symbol.declaration)
      checkUndeclaredOperand(checking, id, operandsAreDeclared);
  }
}

} // namespace

void declareTensors(Checking &checking) {
  for (const language::TensorDecl &declaration : checking.program.declarations) {
    const std::string &name = declaration.name.text;
    auto [entry, isNew] = checking.declarations.emplace(name, &declaration);
    if (!isNew)
      checking.diagnostics
          .report(kDuplicateDeclaration, declaration.name.where, "tensor " + inQuotes(name) + " is declared twice")
          .note(entry->second->name.where, "first declared here");
    if (declaration.type && !typeNamed(checking, declaration.type->text))
      reportUnknownType(checking, *declaration.type, /*mayBeParameter=*/true);
    if (declaration.sparse && declaration.extents.empty())
      checking.diagnostics.report(kSparseScalar, declaration.where,
                                  "scalar " + inQuotes(name) + " cannot be sparse: it has no dimensions");
  }
}

void warnOfUnused(const Checking &checking) {
  for (const language::TensorDecl &declaration : checking.program.declarations)
    if (!isUsed(checking, declaration.name.text))
      checking.diagnostics.report(kUnused, declaration.name.where,
                                  (declaration.constant ? "constant " : "tensor ") + inQuotes(declaration.name.text) +
                                      " is declared, and not used");
  for (TensorId id : checking.program.symbols.ids()) {
    const Tensor &tensor = checking.program.tensors[id];
    const auto reads = [&](const ResolvedStatement &statement) {
      return std::any_of(statement.scope.accesses.begin(), statement.scope.accesses.end(),
                         [&](const Access &access) { return access.tensor == id; });
    };
    if (tensor.is<Temporary>() &&
        std::none_of(checking.program.statements.begin(), checking.program.statements.end(), reads))
      checking.diagnostics.report(kUnused, tensor.where,
                                  "the temporary " + inQuotes(tensor.name) + " is computed, and never read");
  }
}

void checkNames(Checking &checking) {
  checkUndeclaredOperands(checking);
  std::map<std::string, Span> tensors;
  for (const auto &[name, declaration] : checking.declarations)
    tensors.emplace(name, declaration->name.where);
  for (const Tensor &tensor : checking.program.tensors)
    if (!tensor.is<Size>())
      tensors.emplace(tensor.name, tensor.where);
  std::set<std::string> reported;
  for (const auto &[name, where] : checking.program.indexNames) {
    auto tensor = tensors.find(name);
    if (tensor == tensors.end() || !reported.insert(name).second)
      continue;
    checking.diagnostics
        .report(kNameClash, where, inQuotes(name) + " is used both as an index variable and as a tensor")
        .note(tensor->second, "the tensor is here");
  }
}

} // namespace spc::sema
