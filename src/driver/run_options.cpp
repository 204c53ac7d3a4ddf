#include "driver/run_options.h"

#include <CLI/CLI.hpp>

#include <charconv>
#include <filesystem>
#include <limits>

namespace spc::driver {

namespace {

constexpr DiagnosticKind kMalformedAssignment{"malformed-assignment", Severity::Error};
constexpr DiagnosticKind kUnknownArgument{"unknown-argument", Severity::Error};
constexpr DiagnosticKind kMalformedCount{"malformed-count", Severity::Error};

} // namespace

void addInputOptions(CLI::App &app, RunCommandOptions &options) {
  app.add_option("inputs", options.inputs,
                 "TENSOR=FILE (.mtx, .tns, .npy, .npz or .h5, also .gz or .zst), TENSOR=ones, TENSOR=zeros, "
                 "TENSOR=random, with [:NxM], [:density=D], [:seed=N]; SCALAR=NUMBER")
      ->type_name("");
  app.add_option("--size", options.sizes, "EXTENT=N: a size that no input fixes; repeatable")
      ->type_name("EXTENT=N")
      ->allow_extra_args(false);
  app.add_option("--shape", options.shapes, "TENSOR=NxM: the shape of an input; repeatable")
      ->type_name("TENSOR=NxM")
      ->allow_extra_args(false);
  app.add_option("--input-limit", options.inputLimit,
                 "How much text a data file may hold, decompressed: bytes, or with K, M, G, T (default: 16G, of a "
                 "compressed file 200 times its size)")
      ->type_name("SIZE");
}

void addPagesOption(CLI::App &app, RunCommandOptions &options) {
  app.add_option("--pages", options.pages,
                 "Memory of the arrays that are measured: 'ordinary' (default), as malloc gives it to programs, or "
                 "'huge': large pages where the system grants them")
      ->type_name("ordinary|huge");
}

void addRunOptions(CLI::App &app, RunCommandOptions &options) {
  addInputOptions(app, options);
  app.add_option("-o,--output", options.outputs,
                 "TENSOR=FILE (.mtx, .tns, .npy, .npz or .h5, also .gz or .zst; - for standard output): write an "
                 "output; repeatable")
      ->type_name("[TENSOR=]FILE")
      ->allow_extra_args(false);
  app.add_option("--precision", options.precision,
                 "Write and print values in N digits, 1 to 17 (default: as many as read back as the same number in "
                 "files, 6 on standard output)")
      ->type_name("N");
  app.add_option("--threads", options.threads,
                 "How many threads the kernel computes on (default: as many processors as spc may use)")
      ->type_name("N");
  CLI::Option *bench =
      app.add_flag("--bench", options.bench,
                   "Print how long a call takes, and operations and bytes a second with their shares of what this "
                   "machine can do, in place of the outputs");
  app.add_flag("--json", options.json, "Print what --bench measures as one line of JSON")->needs(bench);
  app.add_flag(
      "--check", options.check,
      "Compare the outputs with what a slow evaluation of the kernel's text gives; a wrong one is exit code 70");
  app.add_flag("--yes", options.yes, "Begin runs that take long or much memory without asking");
  addPagesOption(app, options);
  app.add_option("--repeat", options.repeat,
                 "Measure in N rounds and print how long a call takes, in place of the outputs (--bench: 3 to 15)")
      ->type_name("N");
}

std::vector<std::string> dataFiles(const RunCommandOptions &options) {
  std::vector<std::string> files;
  for (const std::string &input : options.inputs) {
    const std::string source = input.substr(input.find('=') + 1);
    std::error_code ignored;
    if (std::filesystem::is_regular_file(source, ignored))
      files.push_back(source);
  }
  return files;
}

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

} // namespace spc::driver
