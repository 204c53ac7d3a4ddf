// --format bindings to tensors.
#include "sema/check/checking.h"

#include <algorithm>

namespace spc::sema {
namespace {

constexpr DiagnosticKind kFormatOrder{"format-order", Severity::Error};
constexpr DiagnosticKind kDuplicateBinding{"duplicate-binding", Severity::Error};
constexpr DiagnosticKind kFormatUnused{"format-unused", Severity::Error};
constexpr DiagnosticKind kUnboundSparse{"unbound-sparse", Severity::Error};
constexpr DiagnosticKind kFormatBound{"format-bound", Severity::Note};
constexpr DiagnosticKind kSumOutput{"sum-output", Severity::Error};
constexpr DiagnosticKind kStructureOwner{"structure-owner", Severity::Error};

class FormatBinder {
public:
  explicit FormatBinder(Checking &checking) : checking_(checking), tensors_(checking.program.tensors) {}

  void run() {
    for (const format::Binding &binding : checking_.bindings)
      if (binding.tensor)
        bindNamed(binding);
    for (const auto &[tensor, binding] : structures_)
      bindStructure(tensor, *binding);
    for (const format::Binding &binding : checking_.bindings)
      if (!binding.tensor && binding.family)
        bindBare(binding);
    checkSparseOperands();
    checkSumOutputs();
  }

private:
  bool isDeclaredSparse(TensorId id) const {
    const std::optional<language::TensorDecl> &declaration = checking_.program.symbols[id].declaration;
    return declaration && declaration->sparse;
  }

  static std::optional<format::Format> instantiate(const format::Binding &binding, int order) {
    std::optional<format::Format> format = order > 0 ? binding.family->instantiate(order) : std::nullopt;
    return format && format->order() == order ? format : std::nullopt;
  }

  std::optional<TensorId> tensorNamed(const std::string &name) const {
    auto tensor = std::find_if(tensors_.begin(), tensors_.end(), [&](const Tensor &t) { return t.name == name; });
    return tensor == tensors_.end() ? std::nullopt : std::optional(TensorId(tensor - tensors_.begin()));
  }

  void bindNamed(const format::Binding &binding) {
    const std::string &name = *binding.tensor;
    const std::optional<TensorId> found = tensorNamed(name);
    if (!found) {
      if (!checking_.declarationOf(name))
        reportUnknownName(checking_, name, "tensor", binding.where);
      return;
    }
    const TensorId id = *found;
    if (std::optional<Span> before = checking_.program.symbols[id].boundBy) {
      checking_.diagnostics.report(kDuplicateBinding, binding.where, inQuotes(name) + " is bound to two formats")
          .note(*before, "first bound here");
      return;
    }
    checking_.program.symbols[id].boundBy = binding.where;
    if (binding.structureOf) {
      structures_.emplace_back(id, &binding);
      return;
    }
    std::optional<format::Format> format = instantiate(binding, tensors_[id].order());
    if (!format) {
      reportOrder(binding, tensors_[id]);
      misfits_.push_back(id);
      return;
    }
    tensors_[id].format = std::move(*format);
    tensors_[id].keepsStructure = binding.keepsStructure;
  }

  /// Gives the tensor the format of the one whose structure it has.
  void bindStructure(TensorId id, const format::Binding &binding) {
    const std::string &ownersName = *binding.structureOf;
    const std::optional<TensorId> owner = tensorNamed(ownersName);
    if (!owner && !checking_.declarationOf(ownersName)) {
      reportUnknownName(checking_, ownersName, "tensor", binding.where);
      return;
    }
    if (owner && isMember(misfits_, *owner))
      return;
    if (const std::string why = whyNoOwner(id, owner); !why.empty()) {
      checking_.diagnostics
          .report(kStructureOwner, binding.where,
                  inQuotes(tensors_[id].name) + " cannot have the structure of " + inQuotes(ownersName) + ", which " +
                      why)
          .advise("bind " + inQuotes(tensors_[id].name) + " to a format of its own");
      return;
    }
    tensors_[id].format = tensors_[*owner].format;
    tensors_[id].structure = SharedWith{*owner, true};
  }

  /// Why one tensor cannot have the structure of the other; empty where it can.
  std::string whyNoOwner(TensorId id, std::optional<TensorId> owner) const {
    if (!owner)
      return "the kernel does not use";
    if (*owner == id)
      return "is itself";
    if (std::any_of(structures_.begin(), structures_.end(), [&](const auto &entry) { return entry.first == *owner; }))
      return "has that of another tensor itself";
    const Tensor &tensor = tensors_[*owner];
    if (tensor.is<Constant>())
      return "is a constant, whose arrays no caller has";
    if (tensors_[id].is<Constant>())
      return "is passed, while it is a constant itself";
    if (!checking_.program.symbols[*owner].boundBy)
      return "is not bound to a format by its name";
    if (tensor.format.isSum())
      return "is stored as a sum of parts";
    if (tensor.format.isDense())
      return "is dense";
    if (tensor.order() != tensors_[id].order())
      return "is of order " + std::to_string(tensor.order()) + ", not " + std::to_string(tensors_[id].order());
    return "";
  }

  static bool isMember(const std::vector<TensorId> &list, TensorId id) {
    return std::find(list.begin(), list.end(), id) != list.end();
  }

  void reportOrder(const format::Binding &binding, const Tensor &tensor) {
    std::optional<int> order = binding.family->order();
    std::string what = tensor.order() == 0 ? "a scalar" : "of order " + std::to_string(tensor.order());
    Diagnostic &mismatch = checking_.diagnostics.report(
        kFormatOrder, binding.where,
        "format " + inQuotes(binding.family->name()) +
            (order ? " is for tensors of order " + std::to_string(*order) + ", but " : " does not fit: ") +
            inQuotes(tensor.name) + " is " + what);
    mismatch.note(tensor.where, inQuotes(tensor.name) + " is here");
    if (tensor.order() == 0 && order)
      mismatch.advise("a tensor is written with its indices, a matrix product as 'y(i) = A(i,j) * x(j)'");
  }

  // Operands by first appearance on a right side.
  std::vector<TensorId> operands() const {
    std::vector<TensorId> result;
    for (const ResolvedStatement &statement : checking_.program.statements)
      for (const Access &access : statement.scope.accesses)
        if (checking_.program.symbols[access.tensor].isOperand &&
            std::find(result.begin(), result.end(), access.tensor) == result.end())
          result.push_back(access.tensor);
    return result;
  }

  // Every tensor declared sparse whose order the format has, else the first operand of that order.
  void bindBare(const format::Binding &binding) {
    bool anyDeclared = false, isBound = false;
    for (TensorId id : tensors_.ids()) {
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
    // Statements with errors may be those that use the operand meant.
    const auto isWrong = [](const ResolvedStatement &statement) { return !statement.value; };
    if (isBound || std::any_of(checking_.program.statements.begin(), checking_.program.statements.end(), isWrong))
      return;
    std::optional<int> order = binding.family->order();
    checking_.diagnostics.report(kFormatUnused, binding.where,
                                 "format " + inQuotes(binding.family->name()) + " binds nothing: no " +
                                     (anyDeclared ? "unbound tensor declared sparse" : "unbound operand") +
                                     (order ? " has order " + std::to_string(*order) : " fits it"));
  }

  bool isBoundByName(TensorId id) const { return checking_.program.symbols[id].boundBy && !isMember(boundBare_, id); }

  /// False when the tensor is bound by name, which comes first.
  bool bindBareTo(TensorId id, const format::Binding &binding) {
    if (isBoundByName(id))
      return false;
    Symbol &symbol = checking_.program.symbols[id];
    if (symbol.boundBy) {
      checking_.diagnostics
          .report(kDuplicateBinding, binding.where, inQuotes(tensors_[id].name) + " is bound to two formats")
          .note(*symbol.boundBy, "first bound here")
          .advise("say which tensor each format is for: --format " + tensors_[id].name + "=" + binding.family->name());
      return true;
    }
    tensors_[id].format = *instantiate(binding, tensors_[id].order());
    symbol.boundBy = binding.where;
    boundBare_.push_back(id);
    checking_.diagnostics
        .report(kFormatBound, binding.where,
                "format " + inQuotes(binding.family->name()) + " is bound to " + inQuotes(tensors_[id].name))
        .note(tensors_[id].where,
              inQuotes(tensors_[id].name) +
                  (isDeclaredSparse(id) ? " is declared sparse" : " is the first operand of its order"));
    return true;
  }

  // An output that is declared sparse may still take the pattern of an operand.
  void checkSparseOperands() {
    for (TensorId id : tensors_.ids()) {
      const Symbol &symbol = checking_.program.symbols[id];
      if (!isDeclaredSparse(id) || symbol.boundBy || !symbol.isOperand || tensors_[id].order() == 0)
        continue; // scalars that are said to be sparse are reported as such
      checking_.diagnostics
          .report(kUnboundSparse, symbol.declaration->where,
                  inQuotes(tensors_[id].name) + " is declared sparse, but nothing says how it is stored")
          .advise("bind it to a format, for instance --format " + tensors_[id].name + "=" +
                  (tensors_[id].order() == 1   ? "sparse-vector"
                   : tensors_[id].order() == 2 ? "csr"
                                               : "csf"));
    }
  }

  // Entries are given to the parts, and a dense part has none.
  void checkSumOutputs() {
    for (TensorId id : tensors_.ids()) {
      const Symbol &symbol = checking_.program.symbols[id];
      const std::vector<format::Format> &parts = tensors_[id].format.parts;
      const auto dense = std::find_if(parts.begin(), parts.end(), [](const auto &part) { return part.isDense(); });
      if (dense == parts.end() || symbol.firstWrite < 0)
        continue;
      checking_.diagnostics
          .report(kSumOutput, *symbol.boundBy,
                  inQuotes(tensors_[id].name) + " is written, so no part of it can be dense, as part " +
                      std::to_string(dense - parts.begin()) + " is")
          .note(checking_.program.statements[symbol.firstWrite].targetWhere, "it is written here")
          .advise("store all of it densely, or no part: --format " + tensors_[id].name + "=dense");
    }
  }

  Checking &checking_;
  IdVector<TensorId, Tensor> &tensors_;
  std::vector<TensorId> boundBare_;
  std::vector<TensorId> misfits_; ///< bound by name to a format of another order
  std::vector<std::pair<TensorId, const format::Binding *>> structures_;
};

} // namespace

void bindFormats(Checking &checking) {
  FormatBinder(checking).run();
}

} // namespace spc::sema
