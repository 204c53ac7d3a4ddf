#include "host/arguments.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <limits>

namespace spc::host {

namespace {

constexpr DiagnosticKind kMalformedAssignment{"malformed-assignment", Severity::Error};
constexpr DiagnosticKind kUnknownArgument{"unknown-argument", Severity::Error};
constexpr DiagnosticKind kMalformedCount{"malformed-count", Severity::Error};

} // namespace

std::optional<Assignment> readAssignment(Session &session, const std::string &argument, const std::string &form) {
  Span where = session.find(argument);
  size_t equals = argument.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == argument.size()) {
    session.usage(kMalformedAssignment, where, "'" + argument + "' is not of the form " + form);
    return std::nullopt;
  }
  Assignment result{argument.substr(0, equals), argument.substr(equals + 1), where, where};
  if (where) {
    // The argument may be the tail of a longer one: --size=n=100.
    result.where.begin = where.end - static_cast<uint32_t>(argument.size());
    result.nameWhere = {where.file, result.where.begin, static_cast<uint32_t>(result.where.begin + equals)};
  }
  return result;
}

std::optional<size_t> findParameter(Session &session, const sema::Kernel &kernel, const Assignment &assignment) {
  std::vector<std::string> names;
  for (size_t k = 0; k < kernel.parameters.size(); ++k) {
    // A sum of parts is given once, as the tensor of the kernel's text.
    const sema::Tensor &tensor = kernel.tensors[kernel.parameters[k]];
    if (tensor.part > 0)
      continue;
    names.push_back(tensor.partOf.empty() ? tensor.name : tensor.partOf);
    if (names.back() == assignment.name)
      return k;
  }
  for (const sema::Tensor &tensor : kernel.tensors)
    if (tensor.is<sema::Constant>() && (tensor.partOf.empty() ? tensor.name : tensor.partOf) == assignment.name) {
      session.diagnostics()
          .report(kUnknownArgument, assignment.nameWhere,
                  "'" + assignment.name + "' is a constant of the kernel, and takes no input")
          .note(tensor.where, "it is declared here");
      return std::nullopt;
    }
  Diagnostic &diagnostic = session.diagnostics().report(kUnknownArgument, assignment.nameWhere,
                                                        "the kernel has no tensor '" + assignment.name + "'");
  if (std::optional<std::string> near = didYouMean(assignment.name, names)) {
    diagnostic.fix(assignment.nameWhere, *near).advise("did you mean '" + *near + "'?");
    return std::nullopt;
  }
  std::string list;
  for (const std::string &name : names)
    list += (list.empty() ? "" : ", ") + name;
  diagnostic.advise("its tensors are " + list);
  return std::nullopt;
}

std::optional<int> readCount(Session &session, const std::string &option, const std::string &value, int most,
                             int otherwise) {
  if (value.empty())
    return otherwise;
  const std::optional<int64_t> count = readSize(value);
  if (count && *count >= 1 && *count <= most)
    return static_cast<int>(*count);
  session.usage(kMalformedCount, session.findValue(option, value),
                "'" + value + "' is no number from 1 to " + std::to_string(most) + " for " + option);
  return std::nullopt;
}

std::optional<int64_t> readSize(std::string_view text) {
  int64_t value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0)
    return std::nullopt;
  return value;
}

std::optional<uint64_t> readByteCount(std::string_view text) {
  constexpr std::string_view kUnits = "KMGT";
  const size_t unit = text.empty() ? std::string_view::npos : kUnits.find(text.back());
  const int shift = unit == std::string_view::npos ? 0 : 10 * (static_cast<int>(unit) + 1);
  if (shift > 0)
    text.remove_suffix(1);
  const std::optional<int64_t> count = readSize(text);
  if (!count || *count > std::numeric_limits<int64_t>::max() >> shift)
    return std::nullopt;
  return static_cast<uint64_t>(*count) << shift;
}

std::optional<std::vector<int64_t>> readShape(std::string_view text) {
  std::vector<int64_t> shape;
  while (true) {
    size_t end = std::min(text.find('x'), text.size());
    std::optional<int64_t> size = readSize(text.substr(0, end));
    if (!size)
      return std::nullopt;
    shape.push_back(*size);
    if (end == text.size())
      return shape;
    text.remove_prefix(end + 1);
  }
}

std::string describeShape(const std::vector<int64_t> &shape) {
  std::string text;
  for (int64_t size : shape)
    text += (text.empty() ? "" : " x ") + std::to_string(size);
  return text.empty() ? "scalar" : text;
}

std::optional<tensor::Number> readNumber(const std::string &text, bool mayBeComplex) {
  const char *begin = text.c_str();
  char *end = nullptr;
  tensor::Number number{std::strtod(begin, &end), 0};
  if (end == begin)
    return std::nullopt;
  if (mayBeComplex && *end == 'i' && end[1] == '\0')
    return tensor::Number{0, number.real};
  if (mayBeComplex && (*end == '+' || *end == '-')) {
    const char *imaginary = end;
    number.imaginary = std::strtod(imaginary, &end);
    if (end == imaginary || *end++ != 'i')
      return std::nullopt;
  }
  if (*end != '\0')
    return std::nullopt;
  return number.imaginary == 0 ? tensor::withRest(number.real, text) : number;
}

} // namespace spc::host
