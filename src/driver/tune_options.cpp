#include "driver/tune_options.h"

#include "tensor/files.h"
#include "tensor/generate.h"
#include "tensor/text_source.h"
#include "tune/threads.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <charconv>
#include <functional>
#include <numeric>
#include <sstream>

namespace spc::driver {

namespace {

constexpr DiagnosticKind kMalformedDuration{"malformed-duration", Severity::Error};

/// The order of the tensor in a file of arrays where at most half of it is stored; else 0.
int sparseOrderOfArrays(const std::string &path) {
  Diagnostics scratch;
  const std::optional<tensor::Coordinates> entries = tensor::readTensor(path, std::nullopt, scratch);
  if (!entries || std::count(entries->shape.begin(), entries->shape.end(), 1) > 0)
    return 0;
  const double elements = std::accumulate(entries->shape.begin(), entries->shape.end(), 1.0, std::multiplies<>());
  return static_cast<double>(entries->size()) <= elements / 2 ? entries->order() : 0;
}

/// The order of a file's tensor where it lists coordinates; 0 of one that does not, or cannot be read, as will be
/// reported when it is.
int sparseOrderOf(const std::string &path) {
  Diagnostics scratch;
  const std::optional<tensor::FileName> name = tensor::fileNamed(path);
  if (name && name->kind == tensor::FileKind::Npy)
    return 0;
  if (name && (name->kind == tensor::FileKind::Npz || name->kind == tensor::FileKind::Hdf5))
    return sparseOrderOfArrays(path);
  tensor::TextSource source(path, std::nullopt, scratch);
  std::string text(size_t{1} << 14, '\0');
  const std::optional<size_t> size = source.read(text.data(), text.size());
  text.resize(size.value_or(0));
  std::istringstream lines(text);
  std::string line;
  if (tensor::isMatrixMarket(path)) {
    std::getline(lines, line);
    std::transform(line.begin(), line.end(), line.begin(), [](unsigned char c) { return std::tolower(c); });
    if (line.find("coordinate") == std::string::npos)
      return 0;
    while (std::getline(lines, line) && (line.empty() || line[0] == '%'))
      continue;
    int64_t rows = 0, columns = 0;
    std::istringstream(line) >> rows >> columns;
    return rows != 1 && columns != 1 ? 2 : 0;
  }
  while (std::getline(lines, line))
    if (!line.empty() && line[0] != '#') {
      std::istringstream words(line);
      int count = 0;
      for (std::string word; words >> word;)
        ++count;
      return count - 1;
    }
  return 0;
}

} // namespace

void addTuneOptions(CLI::App &app, TuneCommandOptions &options) {
  addInputOptions(app, options.run);
  app.add_option(
         "-o,--output", options.output,
         "FILE.json: a format file with the schedule; orders, and code that applies them, are written beside it")
      ->type_name("FILE");
  app.add_option("--budget", options.budget, "How long to search: 60s, 2m, 500ms (default: 60s)")->type_name("TIME");
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
      ->check(CLI::Range(1.0, 1e15).description(""))
      ->type_name("N");
  app.add_option("--for", options.set,
                 "More files for the first sparse operand, with blanks between them: tunes for the geometric mean")
      ->type_name("\"FILE ...\"");
  app.add_option("--threads", options.threads, "How many threads calls use (default: 1)")
      ->check(CLI::Range(1, 128).description(""))
      ->type_name("N");
}

std::optional<double> readDuration(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const std::string_view unit = text.substr(static_cast<size_t>(end - text.data()));
  constexpr double kLongest = 1e6; // as would be a slip of the unit
  const double scale = unit.empty() || unit == "s" ? 1 : unit == "ms" ? 1e-3 : unit == "m" ? 60 : 0;
  if (error != std::errc() || !(value * scale > 0) || value * scale > kLongest)
    return std::nullopt;
  return value * scale;
}

std::optional<TuneSettings> readTuneSettings(Session &session, const TuneCommandOptions &options) {
  TuneSettings settings;
  const std::optional<double> budget = readDuration(options.budget);
  if (!budget)
    session.usage(kMalformedDuration, session.findValue("--budget", options.budget),
                  "'" + options.budget + "' is no time such as 60s, 2m or 500ms");
  const std::optional<size_t> permuting = readChoice(session, "--permute", options.permute, {"once", "call"});
  const std::optional<size_t> order =
      readChoice(session, "--order", options.order, {"auto", "none", "rcm", "degree", "metis"});
  if (!budget || !permuting || !order)
    return std::nullopt;
  settings.budget = *budget;
  settings.permuting = static_cast<TunePermuting>(*permuting);
  settings.order = options.order;
  settings.calls = options.calls;
  settings.optLevel = options.run.shared.optLevel;
  if (options.threads > 1) {
    settings.context = tune::threadContext(options.threads);
    settings.hasThreads = true;
  }
  return settings;
}

std::vector<std::string> defaultFormats(Session &session, const RunCommandOptions &options) {
  std::vector<std::string> formats;
  for (const std::string &argument : options.inputs) {
    const size_t equals = argument.find('=');
    if (equals == std::string::npos || equals == 0)
      continue;
    const std::string source = argument.substr(equals + 1);
    int order = 0;
    if (tensor::isGenerator(source)) {
      Diagnostics scratch;
      const auto generator = tensor::readGenerator(source, session.find(argument), scratch);
      if (generator && generator->density && generator->shape)
        order = static_cast<int>(generator->shape->size());
    } else if (source.find_first_of("./") != std::string::npos) {
      order = sparseOrderOf(source);
    }
    if (order >= 2)
      formats.push_back(argument.substr(0, equals) + (order == 2 ? "=csr" : "=csf"));
  }
  return formats;
}

} // namespace spc::driver
