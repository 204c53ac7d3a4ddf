#include "grad/gradient.h"

#include "format/levels.h"
#include "grad/text_writer.h"

#include <algorithm>

namespace spc::grad {
namespace {

constexpr DiagnosticKind kGradTensor{"grad-tensor", Severity::Error};
constexpr DiagnosticKind kGradType{"grad-type", Severity::Error};
constexpr DiagnosticKind kGradFormat{"grad-format", Severity::Error};

/// Finds what is differentiated, and reports what cannot be.
class EndReader {
public:
  EndReader(const Program &program, const sema::Kernel &plan, Diagnostics &diagnostics)
      : program_(program), plan_(plan), diagnostics_(diagnostics) {}

  Ends read(const Request &request) {
    Ends ends;
    for (const language::Name &name : request.of)
      if (check(name, "--of", "an output", request.of, [](const sema::Tensor &tensor) { return tensor.isWritten; }) &&
          checkPattern(name, /*mayPad=*/true))
        ends.of.push_back(finalValueOf(program_, name.text));
    for (const language::Name &name : request.wrt)
      if (check(name, "--wrt", "an operand", request.wrt, [](const sema::Tensor &tensor) { return tensor.isRead; }) &&
          checkPattern(name, /*mayPad=*/false))
        ends.wrt.push_back(name.text);
    return ends;
  }

private:
  template <typename Fits>
  bool check(const language::Name &name, const std::string &option, const std::string &role,
             const std::vector<language::Name> &list, const Fits &fits) {
    std::vector<std::string> candidates;
    for (const sema::TensorId id : plan_.parameters)
      if (const sema::Tensor &tensor = plan_.tensors[id]; fits(tensor))
        candidates.push_back(tensor.partOf.empty() ? tensor.name : tensor.partOf);
    const sema::Tensor *tensor = tensorNamed(plan_, name.text);
    if (!contains(candidates, name.text)) {
      Diagnostic &wrong = diagnostics_.report(kGradTensor, name.where,
                                              option + ": the kernel has no " + role.substr(role.find(' ') + 1) + " '" +
                                                  name.text + "'");
      if (tensor)
        wrong.note(tensor->where, "'" + name.text + "' is " + roleOf(*tensor));
      const std::optional<std::string> near = didYouMean(name.text, candidates);
      wrong.advise(near ? "did you mean '" + *near + "'?" : option + " takes " + listOf(candidates));
      return false;
    }
    const auto isSame = [&](const language::Name &other) { return other.text == name.text; };
    if (&*std::find_if(list.begin(), list.end(), isSame) != &name) {
      diagnostics_.report(kGradTensor, name.where, option + " names '" + name.text + "' twice");
      return false;
    }
    if (sema::isFloat(tensor->type))
      return true;
    diagnostics_
        .report(kGradType, name.where,
                "'" + name.text + "' holds " + std::string(sema::spelling(tensor->type)) +
                    ": derivatives are of floats and by floats")
        .note(tensor->where, "'" + name.text + "' is " + roleOf(*tensor))
        .advise("declare it as f32 or f64, or leave it out of " + option);
    return false;
  }

  static std::string roleOf(const sema::Tensor &tensor) {
    return !tensor.is<sema::Parameter>()       ? "a temporary"
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
  bool checkPattern(const language::Name &name, bool mayPad) {
    const sema::Tensor &tensor = *tensorNamed(plan_, name.text);
    const format::Format &format = tensor.format;
    std::string why;
    if (!tensor.partOf.empty())
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
        .note(tensor.where, "'" + name.text + "' is stored as " + format.name)
        .advise("store it as csr, coo or csf for its derivative, or densely");
    return false;
  }

  const Program &program_;
  const sema::Kernel &plan_;
  Diagnostics &diagnostics_;
};

/// What has to be bound to a format, with what it is stored like.
std::vector<StoredLike> storedTensors(const Program &program, const Derivative &derivative) {
  std::vector<StoredLike> sparse;
  const auto isOperand = [&](const std::string &name) {
    return std::any_of(derivative.arguments.begin(), derivative.arguments.end(), [&](const Argument &argument) {
      return argument.kind == Argument::Kind::Operand && argument.name == name;
    });
  };
  const auto isAssembled = [&](const std::string &name) {
    return std::any_of(derivative.assembled.begin(), derivative.assembled.end(),
                       [&](const auto &one) { return one.first == name; });
  };
  for (const Argument &argument : derivative.arguments) {
    const TensorInfo &info = program.info(argument.value);
    if (info.pattern.empty())
      continue;
    const bool isOwn = argument.name == info.pattern || isAssembled(argument.name);
    const bool shares = !isOwn && isOperand(info.pattern);
    sparse.push_back({argument.name, shares ? info.pattern : info.source, shares});
  }
  for (const Assignment &statement : derivative.recomputed)
    if (const std::string &name = statement.target.tensor; program.info(name).pattern == name)
      sparse.push_back({name, program.info(name).source, false});
  for (const auto &[name, tensor] : derivative.dense)
    sparse.push_back({name, program.info(tensor).source, false});
  for (const auto &[name, tensor] : derivative.assembled) {
    const auto isListed = [&](const StoredLike &one) { return one.name == name; };
    if (std::none_of(sparse.begin(), sparse.end(), isListed))
      sparse.push_back({name, program.info(tensor).source, false});
  }
  return sparse;
}

} // namespace

std::optional<Gradient> differentiate(const sema::Program &kernel, const sema::Kernel &plan, const Request &request,
                                      Diagnostics &diagnostics) {
  Program program = singleAssignments(kernel, plan);
  const Ends ends = EndReader(program, plan, diagnostics).read(request);
  if (diagnostics.hasErrors())
    return std::nullopt;
  const std::set<std::string> between =
      prepare(program, {ends.of.begin(), ends.of.end()}, {ends.wrt.begin(), ends.wrt.end()}, diagnostics);
  if (diagnostics.hasErrors())
    return std::nullopt;
  Derivative derivative = request.mode == Mode::Reverse ? reverseMode(program, ends, between, diagnostics)
                                                        : forwardMode(program, ends, between);
  if (diagnostics.hasErrors())
    return std::nullopt;
  addForwardValues(program, derivative);
  return Gradient{writeText(kernel, request, program, derivative), storedTensors(program, derivative)};
}

} // namespace spc::grad
