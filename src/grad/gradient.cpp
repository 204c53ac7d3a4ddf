#include "grad/gradient.h"

#include "format/levels.h"
#include "grad/text_writer.h"

#include <algorithm>

namespace spc::grad {
namespace {

constexpr DiagnosticKind kGradTensor{"grad-tensor", Severity::Error};
constexpr DiagnosticKind kGradFormat{"grad-format", Severity::Error};

/// Finds what is differentiated, and reports what cannot be.
class EndReader {
public:
  EndReader(const Program &program, Diagnostics &diagnostics) : program_(program), diagnostics_(diagnostics) {}

  Ends read(const Request &request) {
    Ends ends;
    for (const language::Name &name : request.of)
      if (const auto output = find(name, "--of", "output", request.of, &sema::Tensor::isWritten);
          output && checkPattern(name, *output, /*mayPad=*/true))
        ends.of.push_back(finalValueOf(*output));
    for (const language::Name &name : request.wrt)
      if (const auto operand = find(name, "--wrt", "operand", request.wrt, &sema::Tensor::isRead);
          operand && checkPattern(name, *operand, /*mayPad=*/false))
        ends.wrt.push_back(*operand);
    return ends;
  }

private:
  const sema::Tensor &tensorOf(TensorId id) const { return program_.kernel.tensors[id]; }

  /// What the forward kernel leaves in an output.
  TensorId finalValueOf(TensorId output) const {
    for (const TensorId id : program_.infos.ids())
      if (const TensorInfo &info = program_.info(id); info.isFinal && info.source == output)
        return id;
    return output;
  }

  /// The tensor of floats of that name and role; nullopt where something was reported.
  std::optional<TensorId> find(const language::Name &name, const std::string &option, const std::string &role,
                               const std::vector<language::Name> &list, bool sema::Tensor::*hasRole) {
    std::vector<std::string> candidates;
    for (const TensorId id : program_.kernel.parameters)
      if (tensorOf(id).*hasRole)
        candidates.push_back(tensorOf(id).name);
    std::optional<TensorId> found;
    for (const TensorId id : program_.infos.ids())
      if (program_.info(id).source == id && tensorOf(id).name == name.text)
        found = id;
    if (std::find(candidates.begin(), candidates.end(), name.text) == candidates.end())
      reportRole(name, option, role, candidates, found);
    else if (isRepeated(name, list))
      diagnostics_.report(kGradTensor, name.where, option + " names '" + name.text + "' twice");
    else if (!sema::isFloat(tensorOf(*found).type))
      reportType(name, option, tensorOf(*found));
    else
      return found;
    return std::nullopt;
  }

  /// Whether a name stands further in front in its list, too.
  static bool isRepeated(const language::Name &name, const std::vector<language::Name> &list) {
    const auto isSame = [&](const language::Name &other) { return other.text == name.text; };
    return &*std::find_if(list.begin(), list.end(), isSame) != &name;
  }

  void reportRole(const language::Name &name, const std::string &option, const std::string &role,
                  const std::vector<std::string> &candidates, std::optional<TensorId> found) {
    Diagnostic &wrong =
        diagnostics_.report(kGradTensor, name.where, option + ": the kernel has no " + role + " '" + name.text + "'");
    if (found)
      wrong.note(tensorOf(*found).where, "'" + name.text + "' is " + roleOf(tensorOf(*found)));
    const std::optional<std::string> near = didYouMean(name.text, candidates);
    wrong.advise(near ? "did you mean '" + *near + "'?" : option + " takes " + listOf(candidates));
  }

  void reportType(const language::Name &name, const std::string &option, const sema::Tensor &tensor) {
    diagnostics_
        .report(kGradType, name.where,
                "'" + name.text + "' holds " + std::string(sema::spelling(tensor.type)) +
                    ": derivatives are of floats and by floats")
        .note(tensor.where, "'" + name.text + "' is " + roleOf(tensor))
        .advise("declare it as f32 or f64, or leave it out of " + option);
  }

  static std::string roleOf(const sema::Tensor &tensor) {
    return tensor.is<sema::Constant>()         ? "a constant, and no argument"
           : !tensor.is<sema::Parameter>()     ? "a temporary"
           : tensor.isRead && tensor.isWritten ? "read and written"
           : tensor.isWritten                  ? "an output"
                                               : "an operand";
  }

  static std::string listOf(const std::vector<std::string> &names) {
    std::string list;
    for (const std::string &name : names)
      list += (list.empty() ? "'" : ", '") + name + "'";
    return list.empty() ? "none: the kernel has none" : list;
  }

  /// Reports storage in which the derivative's entries could not be told from those that are missing.
  bool checkPattern(const language::Name &name, TensorId id, bool mayPad) {
    const format::Format &format = tensorOf(id).format;
    std::string why;
    if (format.isSum())
      why = "is stored as a sum of parts";
    else if (format.symmetry != format::Symmetry::None)
      why = "is stored as one triangle of a symmetric matrix";
    else if (format.mayRepeat())
      why = "may store an entry several times";
    else if (format::hasPadding(format) && !mayPad)
      why = "is stored with padding, of which zeros are no entries";
    else if (!format::isCanonical(format) && !mayPad)
      why = "lists entries in any order";
    if (why.empty())
      return true;
    diagnostics_
        .report(kGradFormat, name.where,
                "the derivative by '" + name.text + "' would have its entries, but '" + name.text + "' " + why)
        .note(tensorOf(id).where, "'" + name.text + "' is stored as " + format.name)
        .advise("store it as csr, coo or csf for its derivative, or densely");
    return false;
  }

  const Program &program_;
  Diagnostics &diagnostics_;
};

/// Whether a temporary has another tensor's entries, which its statement alone says.
bool takesPattern(TensorId tensor, const Program &program, const sema::Kernel &plan) {
  const std::string &name = program.kernel.tensors[*program.info(tensor).source].name;
  return std::any_of(plan.tensors.begin(), plan.tensors.end(),
                     [&](const sema::Tensor &planned) { return planned.name == name && planned.shared(); });
}

/// What has to be bound to a format, with what it is stored like.
std::vector<StoredLike> storedTensors(const Program &program, const sema::Kernel &plan, const Derivative &derivative) {
  std::vector<StoredLike> sparse;
  const auto add = [&](TensorId tensor, std::optional<TensorId> sharedWith = std::nullopt) {
    const TensorId source = *program.info(program.info(tensor).like.value_or(tensor)).source;
    sparse.push_back({program.nameOf(tensor), program.nameOf(sharedWith.value_or(source)), sharedWith.has_value()});
  };
  const auto isOperand = [&](TensorId tensor) {
    return std::any_of(derivative.arguments.begin(), derivative.arguments.end(), [&](const Argument &argument) {
      return argument.kind == Argument::Kind::Operand && argument.tensor == tensor;
    });
  };
  const auto isAssembled = [&](TensorId tensor) {
    return std::find(derivative.assembled.begin(), derivative.assembled.end(), tensor) != derivative.assembled.end();
  };
  const auto isArgument = [&](TensorId tensor) {
    return std::any_of(derivative.arguments.begin(), derivative.arguments.end(),
                       [&](const Argument &argument) { return argument.tensor == tensor; });
  };
  for (const TensorId constant : derivative.constants)
    if (program.info(constant).pattern)
      add(constant);
  for (const auto &[kind, tensor, value] : derivative.arguments)
    if (const std::optional<TensorId> pattern = program.info(value).pattern)
      add(tensor, tensor != *pattern && !isAssembled(tensor) && isOperand(*pattern) ? pattern : std::nullopt);
  for (const Assignment &statement : derivative.recomputed)
    if (program.info(statement.target).pattern == statement.target && !takesPattern(statement.target, program, plan))
      add(statement.target);
  for (const TensorId tensor : derivative.dense)
    add(tensor);
  for (const TensorId tensor : derivative.assembled)
    if (!isArgument(tensor))
      add(tensor);
  return sparse;
}

} // namespace

std::optional<Gradient> differentiate(const sema::Program &kernel, const sema::Kernel &plan, const Request &request,
                                      Diagnostics &diagnostics) {
  Program program = singleAssignments(kernel, plan);
  const Ends ends = EndReader(program, diagnostics).read(request);
  if (diagnostics.hasErrors())
    return std::nullopt;
  const std::set<TensorId> between =
      prepare(program, {ends.of.begin(), ends.of.end()}, {ends.wrt.begin(), ends.wrt.end()}, diagnostics);
  if (diagnostics.hasErrors())
    return std::nullopt;
  Derivative derivative = request.mode == Mode::Reverse ? reverseMode(program, ends, between, diagnostics)
                                                        : forwardMode(program, ends, between);
  if (diagnostics.hasErrors())
    return std::nullopt;
  addForwardValues(program, derivative);
  return Gradient{writeText(kernel, request, program, derivative), storedTensors(program, plan, derivative)};
}

} // namespace spc::grad
