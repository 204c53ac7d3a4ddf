// The kernel's parameters: which tensors are read and written, and in which order they are passed.
#include "sema/check/checking.h"

#include <algorithm>
#include <map>

namespace spc::sema {
namespace {

constexpr DiagnosticKind kSignatureTensor{"signature-tensor", Severity::Error};
constexpr DiagnosticKind kSignatureIncomplete{"signature-incomplete", Severity::Error};
constexpr DiagnosticKind kSignatureSide{"signature-side", Severity::Error};

void addOnce(std::vector<TensorId> &list, TensorId tensor) {
  if (std::find(list.begin(), list.end(), tensor) == list.end())
    list.push_back(tensor);
}

/// Those that are declared first, in the order of their declarations.
void putDeclaredFirst(std::vector<TensorId> &list, const Checking &checking) {
  std::map<std::string, size_t> places;
  for (const language::TensorDecl &declaration : checking.program.declarations)
    places.emplace(declaration.name.text, places.size());
  const auto placeOf = [&](TensorId id) {
    const auto place = places.find(checking.program.tensors[id].name);
    return place == places.end() ? places.size() : place->second;
  };
  std::stable_sort(list.begin(), list.end(), [&](TensorId a, TensorId b) { return placeOf(a) < placeOf(b); });
}

/// Orders the parameters as the clause `kernel f(A, x) -> (y)` says.
class SignatureReader {
public:
  SignatureReader(Checking &checking, const language::SignatureDecl &signature, std::vector<TensorId> parameters)
      : checking_(checking), signature_(signature), parameters_(std::move(parameters)) {}

  std::vector<TensorId> order() {
    for (const language::Name &name : signature_.operands)
      if (const Tensor *tensor = take(name); tensor && !tensor->isRead)
        report(kSignatureSide, name.where, inQuotes(name.text) + " is written, and never read before")
            .advise("outputs stand behind the arrow");
    for (const language::Name &name : signature_.outputs)
      if (const Tensor *tensor = take(name); tensor && !tensor->isWritten)
        report(kSignatureSide, name.where, inQuotes(name.text) + " is never written")
            .advise("operands stand in front of the arrow");
    if (!lostTensor_) // that may be the one that is missing
      reportMissing();
    return std::move(ordered_);
  }

private:
  Diagnostic &report(const DiagnosticKind &kind, Span where, std::string message) {
    return checking_.diagnostics.report(kind, where, std::move(message));
  }

  /// The parameter of that name; null with an error reported.
  const Tensor *take(const language::Name &name) {
    const auto [first, isNew] = taken_.emplace(name.text, name.where);
    if (!isNew) {
      report(kSignatureTensor, name.where, inQuotes(name.text) + " is named twice")
          .note(first->second, "first here")
          .advise("each tensor is named once, one that is read and written on either side of the arrow");
      return nullptr;
    }
    for (TensorId id : parameters_)
      if (const Tensor &tensor = checking_.program.tensors[id]; tensor.name == name.text) {
        ordered_.push_back(id);
        return &tensor;
      }
    reportUnknown(name);
    return nullptr;
  }

  void reportUnknown(const language::Name &name) {
    lostTensor_ = true;
    const auto &tensors = checking_.program.tensors;
    const bool isTemporary = std::any_of(tensors.begin(), tensors.end(), [&](const Tensor &tensor) {
      return tensor.name == name.text && tensor.is<Temporary>();
    });
    if (const language::TensorDecl *declared = checking_.declarationOf(name.text); declared && declared->constant) {
      report(kSignatureTensor, name.where, inQuotes(name.text) + " is a constant, which no caller passes")
          .note(declared->where, "it is declared here");
      return;
    }
    if (isTemporary) {
      report(kSignatureTensor, name.where, inQuotes(name.text) + " is a temporary, which no caller passes");
      return;
    }
    std::vector<std::string> names;
    std::string list;
    for (TensorId id : parameters_) {
      names.push_back(tensors[id].name);
      list += (list.empty() ? "" : ", ") + tensors[id].name;
    }
    Diagnostic &unknown = report(kSignatureTensor, name.where, "no statement uses a tensor " + inQuotes(name.text));
    if (const std::optional<std::string> meant = didYouMean(name.text, names))
      unknown.fix(name.where, *meant);
    else
      unknown.advise("its tensors are " + list);
  }

  void reportMissing() {
    for (TensorId id : parameters_)
      if (const Tensor &tensor = checking_.program.tensors[id]; !taken_.contains(tensor.name))
        report(kSignatureIncomplete, signature_.where, "the signature lacks " + inQuotes(tensor.name))
            .note(tensor.where, "which is used here")
            .advise(std::string("name it ") + (tensor.isRead ? "in front of" : "behind") + " the arrow");
  }

  Checking &checking_;
  const language::SignatureDecl &signature_;
  std::vector<TensorId> parameters_, ordered_;
  std::map<std::string, Span> taken_;
  bool lostTensor_ = false;
};

} // namespace

void orderParameters(Checking &checking) {
  std::vector<TensorId> operands, outputs;
  for (size_t k = 0; k < checking.program.statements.size(); ++k) {
    const ResolvedStatement &statement = checking.program.statements[k];
    for (const Access &access : statement.scope.accesses)
      if (checking.program.symbols[access.tensor].isOperand)
        addOnce(operands, access.tensor);
    Symbol &target = checking.program.symbols[statement.target.tensor];
    checking.program.tensors[statement.target.tensor].isWritten = true;
    bool accumulatesFirst = statement.op != language::AssignOp::Assign && target.firstWrite == static_cast<int>(k);
    Tensor &written = checking.program.tensors[statement.target.tensor];
    written.isRead |= accumulatesFirst || written.keepsStructure;
    const bool isTemporary = checking.program.tensors[statement.target.tensor].is<Temporary>();
    if (!target.isOperand && !isTemporary)
      addOnce(outputs, statement.target.tensor);
  }
  for (TensorId id : operands)
    checking.program.tensors[id].isRead = true;
  std::erase_if(operands, [&](TensorId id) { return checking.program.tensors[id].is<Constant>(); });
  putDeclaredFirst(operands, checking);
  putDeclaredFirst(outputs, checking);
  operands.insert(operands.end(), outputs.begin(), outputs.end());
  checking.program.parameters = std::move(operands);
  if (checking.program.signature)
    checking.program.parameters =
        SignatureReader(checking, *checking.program.signature, checking.program.parameters).order();
}

} // namespace spc::sema
