// --format bindings to tensors.
#include "sema/analysis.h"

#include <algorithm>

namespace spc::sema {
namespace {

constexpr DiagnosticKind kUnknownBinding{"unknown-binding", Severity::Error};
constexpr DiagnosticKind kFormatOrder{"format-order", Severity::Error};
constexpr DiagnosticKind kDuplicateBinding{"duplicate-binding", Severity::Error};
constexpr DiagnosticKind kFormatUnused{"format-unused", Severity::Error};
constexpr DiagnosticKind kUnboundSparse{"unbound-sparse", Severity::Error};
constexpr DiagnosticKind kFormatBound{"format-bound", Severity::Note};

class FormatBinder {
public:
  explicit FormatBinder(Analysis &analysis) : analysis_(analysis), tensors_(analysis.kernel.tensors) {}

  void run() {
    for (const format::Binding &binding : analysis_.bindings)
      if (binding.tensor)
        bindNamed(binding);
    for (const format::Binding &binding : analysis_.bindings)
      if (!binding.tensor)
        bindBare(binding);
    checkSparseOperands();
  }

private:
  bool isDeclaredSparse(TensorId id) const {
    const syntax::TensorDecl *declaration = analysis_.symbols[id].declaration;
    return declaration && declaration->sparse;
  }

  static std::optional<format::Format> instantiate(const format::Binding &binding, int order) {
    std::optional<format::Format> format = order > 0 ? binding.family->instantiate(order) : std::nullopt;
    return format && format->order() == order ? format : std::nullopt;
  }

  void bindNamed(const format::Binding &binding) {
    const std::string &name = *binding.tensor;
    auto tensor = std::find_if(tensors_.begin(), tensors_.end(), [&](const Tensor &t) { return t.name == name; });
    if (tensor == tensors_.end()) {
      if (!analysis_.declarationOf(name))
        reportUnknown(binding);
      return;
    }
    auto id = static_cast<TensorId>(tensor - tensors_.begin());
    if (std::optional<Span> before = analysis_.symbols[id].boundBy) {
      analysis_.diagnostics.report(kDuplicateBinding, binding.where, inQuotes(name) + " is bound to two formats")
          .note(*before, "first bound here");
      return;
    }
    std::optional<format::Format> format = instantiate(binding, tensor->order());
    analysis_.symbols[id].boundBy = binding.where;
    if (!format) {
      reportOrder(binding, *tensor);
      return;
    }
    tensor->format = std::move(*format);
  }

  void reportUnknown(const format::Binding &binding) {
    std::vector<std::string> names;
    for (const Tensor &tensor : tensors_)
      names.push_back(tensor.name);
    Diagnostic &unknown = analysis_.diagnostics.report(kUnknownBinding, binding.where,
                                                       "the kernel has no tensor " + inQuotes(*binding.tensor));
    if (std::optional<std::string> meant = didYouMean(*binding.tensor, names))
      unknown.advise("did you mean " + inQuotes(*meant) + "?");
  }

  void reportOrder(const format::Binding &binding, const Tensor &tensor) {
    std::optional<int> order = binding.family->order();
    std::string what = tensor.order() == 0 ? "a scalar" : "of order " + std::to_string(tensor.order());
    Diagnostic &mismatch = analysis_.diagnostics.report(
        kFormatOrder, binding.where,
        "format " + inQuotes(binding.family->name()) +
            (order ? " is for tensors of order " + std::to_string(*order) + ", but " : " does not fit: ") +
            inQuotes(tensor.name) + " is " + what);
    mismatch.note(tensor.where, inQuotes(tensor.name) + " is here");
  }

  // Operands by first appearance on a right side.
  std::vector<TensorId> operands() const {
    std::vector<TensorId> result;
    for (const ResolvedStatement &statement : analysis_.statements)
      for (const Access &access : statement.scope.accesses)
        if (analysis_.symbols[access.tensor].isOperand &&
            std::find(result.begin(), result.end(), access.tensor) == result.end())
          result.push_back(access.tensor);
    return result;
  }

  // Every tensor declared sparse whose order the format has, else the first operand of that order.
  void bindBare(const format::Binding &binding) {
    bool anyDeclared = false, isBound = false;
    for (TensorId id = 0; id < static_cast<int>(tensors_.size()); ++id) {
      if (!isDeclaredSparse(id) || !instantiate(binding, tensors_[id].order()))
        continue;
      anyDeclared = true;
      isBound |= bindBareTo(id, binding);
    }
    if (!anyDeclared) {
      for (TensorId id : operands()) {
        if (!instantiate(binding, tensors_[id].order()) || isBoundByName(id))
          continue;
        isBound = bindBareTo(id, binding);
        break;
      }
    }
    if (isBound)
      return;
    std::optional<int> order = binding.family->order();
    analysis_.diagnostics.report(kFormatUnused, binding.where,
                                 "format " + inQuotes(binding.family->name()) + " binds nothing: no " +
                                     (anyDeclared ? "unbound tensor declared sparse" : "unbound operand") +
                                     (order ? " has order " + std::to_string(*order) : " fits it"));
  }

  bool isBoundByName(TensorId id) const {
    return analysis_.symbols[id].boundBy && std::find(boundBare_.begin(), boundBare_.end(), id) == boundBare_.end();
  }

  /// False when the tensor is bound by name, which comes first.
  bool bindBareTo(TensorId id, const format::Binding &binding) {
    if (isBoundByName(id))
      return false;
    Symbol &symbol = analysis_.symbols[id];
    if (symbol.boundBy) {
      analysis_.diagnostics
          .report(kDuplicateBinding, binding.where, inQuotes(tensors_[id].name) + " is bound to two formats")
          .note(*symbol.boundBy, "first bound here")
          .advise("say which tensor each format is for: --format " + tensors_[id].name + "=" + binding.family->name());
      return true;
    }
    tensors_[id].format = *instantiate(binding, tensors_[id].order());
    symbol.boundBy = binding.where;
    boundBare_.push_back(id);
    analysis_.diagnostics
        .report(kFormatBound, binding.where,
                "format " + inQuotes(binding.family->name()) + " is bound to " + inQuotes(tensors_[id].name))
        .note(tensors_[id].where,
              inQuotes(tensors_[id].name) +
                  (isDeclaredSparse(id) ? " is declared sparse" : " is the first operand of its order"));
    return true;
  }

  // An output that is declared sparse may still take the pattern of an operand.
  void checkSparseOperands() {
    for (TensorId id = 0; id < static_cast<int>(tensors_.size()); ++id) {
      const Symbol &symbol = analysis_.symbols[id];
      if (!isDeclaredSparse(id) || symbol.boundBy || !symbol.isOperand)
        continue;
      analysis_.diagnostics
          .report(kUnboundSparse, symbol.declaration->where,
                  inQuotes(tensors_[id].name) + " is declared sparse, but nothing says how it is stored")
          .advise("bind it to a format, for instance --format " + tensors_[id].name + "=" +
                  (tensors_[id].order() == 1   ? "sparse-vector"
                   : tensors_[id].order() == 2 ? "csr"
                                               : "csf"));
    }
  }

  Analysis &analysis_;
  std::vector<Tensor> &tensors_;
  std::vector<TensorId> boundBare_;
};

} // namespace

void bindFormats(Analysis &analysis) {
  FormatBinder(analysis).run();
}

} // namespace spc::sema
