#include "driver/tune/options.h"

#include "driver/shell/input_options.h"
#include "host/arguments.h"
#include "host/call_memory.h"
#include "tensor/files/files.h"
#include "tensor/files/text_source.h"
#include "tensor/generate.h"
#include "tune/threads.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <functional>
#include <numeric>

namespace spc::driver {

namespace {

constexpr DiagnosticKind kMalformedDuration{"malformed-duration", Severity::Error};
constexpr DiagnosticKind kMalformedCalls{"malformed-count", Severity::Error};
constexpr DiagnosticKind kReadOnce{"read-once", Severity::Error};

/// Whether a file of arrays holds a tensor of which at most half is stored.
bool isSparseInArrays(const std::string &path) {
  Diagnostics scratch;
  const std::optional<tensor::Coordinates> entries = tensor::readTensor(path, std::nullopt, scratch);
  if (!entries)
    return false;
  const double elements = std::accumulate(entries->shape.begin(), entries->shape.end(), 1.0, std::multiplies<>());
  return static_cast<double>(entries->size()) <= elements / 2;
}

/// Whether a file lists coordinates; false of one that cannot be read, as will be reported when it is.
bool isSparse(const std::string &path) {
  Diagnostics scratch;
  const std::optional<tensor::FileName> name = tensor::fileNamed(path);
  if (name && name->kind == tensor::FileKind::Npy)
    return false;
  if (name && (name->kind == tensor::FileKind::Npz || name->kind == tensor::FileKind::Hdf5))
    return isSparseInArrays(path);
  tensor::TextSource source(path, std::nullopt, scratch);
  std::string line(size_t{1} << 10, '\0');
  line.resize(source.read(line.data(), line.size()).value_or(0));
  line.resize(std::min(line.find('\n'), line.size()));
  std::transform(line.begin(), line.end(), line.begin(), [](unsigned char c) { return std::tolower(c); });
  return !line.starts_with("%%matrixmarket") || line.find("coordinate") != std::string::npos;
}

/// Whether a source can be read only once: standard input, a pipe.
bool isReadOnce(const std::string &source) {
  std::error_code ignored;
  const std::filesystem::file_status status = std::filesystem::status(source, ignored);
  return source == "-" || (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status) &&
                           !std::filesystem::is_directory(status));
}

/// The order that an expression reads a tensor with; 0 where it does not.
int orderIn(const syntax::Expr &expr, const std::string &tensor) {
  const auto *access = std::get_if<syntax::Access>(&expr.node);
  if (access && access->tensor.text == tensor)
    return static_cast<int>(access->indices.size());
  int order = 0;
  for (const syntax::Expr *child : syntax::children(expr))
    order = std::max(order, orderIn(*child, tensor));
  return order;
}

int orderIn(const syntax::Kernel &tree, const std::string &tensor) {
  int order = 0;
  for (const syntax::Statement &statement : tree.statements) {
    order = std::max(order, orderIn(*statement.value, tensor));
    if (statement.target.tensor.text == tensor)
      order = std::max(order, static_cast<int>(statement.target.indices.size()));
  }
  return order;
}

/// A number of calls, "1000" or "1e6"; 0 where none is given. nullopt with a usage error.
std::optional<double> readCalls(Session &session, const std::string &text) {
  constexpr double kMost = 1e15;
  if (text.empty())
    return 0;
  double calls = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), calls);
  if (error == std::errc() && end == text.data() + text.size() && calls >= 1 && calls <= kMost)
    return calls;
  session.usage(kMalformedCalls, session.findValue("--calls", text),
                "'" + text + "' is no number of calls from 1 to 1e15, such as 1000");
  return std::nullopt;
}

} // namespace

void addTuneOptions(CLI::App &app, TuneCommandOptions &options) {
  addInputOptions(app, options.inputs);
  app.add_option(
         "-o,--output", options.output,
         "FILE.json: a format file with the schedule; orders, and code that applies them, are written beside it")
      ->type_name("FILE");
  app.add_option("--budget", options.budget, "How long to search: 60s, 2m, 1h, 500ms (default: 60s)")
      ->type_name("TIME");
  app.add_option("--permute", options.permute,
                 "'once' (default): dense operands stay permuted between calls; 'call': each call permutes them, and "
                 "results back")
      ->type_name("once|call");
  app.add_option(
         "--order", options.order,
         "Orders of rows and columns: 'auto' (default) tries all, 'none' none; another one is taken even where the "
         "default is faster")
      ->type_name("auto|none|rcm|degree|metis");
  app.add_option("--calls", options.calls,
                 "Over how many calls to spread what is done once (default: so many that it does not count)")
      ->type_name("N");
  app.add_option("--for", options.set,
                 "More files for the first sparse operand, with blanks between them: tunes for the geometric mean")
      ->type_name("\"FILE ...\"");
  addPagesOption(app, options.pages);
  app.add_option("--threads", options.threads, "How many threads calls use (default: 1)")->type_name("N");
}

std::optional<double> readDuration(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const std::string_view unit = text.substr(static_cast<size_t>(end - text.data()));
  constexpr double kLongest = 1e6; // as would be a slip of the unit
  const double scale = unit.empty() || unit == "s" ? 1
                       : unit == "ms"              ? 1e-3
                       : unit == "m"               ? 60
                       : unit == "h"               ? 3600
                                                   : 0;
  if (error != std::errc() || !(value * scale > 0) || value * scale > kLongest)
    return std::nullopt;
  return value * scale;
}

std::optional<TuneSettings> readTuneSettings(Session &session, const TuneCommandOptions &options) {
  constexpr int kMostThreads = 128;
  TuneSettings settings;
  const std::optional<double> budget = readDuration(options.budget);
  if (!budget)
    session
        .usage(kMalformedDuration, session.findValue("--budget", options.budget),
               "'" + options.budget + "' is no time such as 60s, 2m or 500ms")
        .advise(
            "a number with ms, s, m or h behind it, of seconds where it stands alone: above 0, and of twelve days at "
            "most");
  const std::optional<size_t> permuting = readChoice(session, "--permute", options.permute, {"once", "call"});
  const std::optional<size_t> order =
      readChoice(session, "--order", options.order, {"auto", "none", "rcm", "degree", "metis"});
  const std::optional<double> calls = readCalls(session, options.calls);
  const std::optional<int> threads = host::readCount(session, "--threads", options.threads, kMostThreads, 1);
  const std::optional<host::Pages> pages = readPages(session, options.pages);
  if (!budget || !permuting || !order || !calls || !threads || !pages)
    return std::nullopt;
  settings.budget = *budget;
  settings.pages = *pages;
  settings.permuting = static_cast<TunePermuting>(*permuting);
  settings.order = options.order;
  settings.calls = *calls;
  settings.optLevel = options.shared.optLevel;
  settings.verifies = options.shared.verify;
  if (*threads > 1) {
    settings.context = tune::threadContext(*threads);
    settings.hasThreads = true;
  }
  return settings;
}

bool checkReadAgain(Session &session, const TuneCommandOptions &options) {
  if (options.set.empty())
    return true;
  for (const std::string &argument : options.inputs.given)
    if (const std::string source = argument.substr(argument.find('=') + 1); isReadOnce(source))
      session
          .usage(kReadOnce, session.find(argument), "'" + source + "' can be read only once, and --for reads it again")
          .advise("give a file");
  return !session.failed();
}

std::vector<format::Binding> defaultFormats(Session &session, const host::InputOptions &options,
                                            const syntax::Kernel &tree, format::FormatLoader &loader) {
  std::vector<format::Binding> bindings;
  for (const std::string &argument : options.given) {
    const size_t equals = std::min(argument.find('='), argument.size());
    const std::string name = argument.substr(0, equals);
    const std::string source = argument.substr(std::min(equals + 1, argument.size()));
    const int order = orderIn(tree, name);
    if (order < 2 || source.empty())
      continue;
    bool wantsFormat = false;
    if (tensor::isGenerator(source)) {
      Diagnostics scratch;
      const auto generator = tensor::readGenerator(source, session.find(argument), scratch);
      wantsFormat = generator && generator->density;
    } else if (isReadOnce(source)) {
      session.usage(kReadOnce, session.find(argument), "'" + source + "' can be read only once: say how it is stored")
          .advise("write for instance --format " + name + (order == 2 ? "=csr" : "=csf") +
                  ", or give a file, which spc looks into");
    } else {
      wantsFormat = isSparse(source);
    }
    if (wantsFormat)
      for (format::Binding &binding : loader.load(name + (order == 2 ? "=csr" : "=csf")))
        bindings.push_back(std::move(binding));
  }
  return bindings;
}

} // namespace spc::driver
