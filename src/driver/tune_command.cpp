// `spc tune`: what makes a kernel fast on given data, by measurement.
#include "driver/compile_options.h"
#include "driver/log.h"
#include "driver/subcommands.h"
#include "driver/tune_options.h"
#include "driver/tune_report.h"

#include "support/memory.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cmath>
#include <sstream>

namespace spc::driver {

namespace {

constexpr DiagnosticKind kNothingToTune{"nothing-to-tune", Severity::Error};
constexpr DiagnosticKind kOrderRefused{"order-refused", Severity::Error};

/// The name in the kernel's text of a tensor that may be a part.
const std::string &wholeName(const sema::Tensor &tensor) {
  return tensor.partOf.empty() ? tensor.name : tensor.partOf;
}

/// Operands that nothing is given for are made up.
void addMissingInputs(const sema::Kernel &kernel, RunCommandOptions &options) {
  for (sema::TensorId id : kernel.parameters) {
    const sema::Tensor &tensor = kernel.tensors[id];
    const std::string start = wholeName(tensor) + "=";
    const auto isIt = [&](const std::string &input) { return input.starts_with(start); };
    if (tensor.isRead && tensor.part == 0 && std::none_of(options.inputs.begin(), options.inputs.end(), isIt))
      options.inputs.push_back(start + (tensor.order() == 0 ? "1" : "random"));
  }
}

/// The operands whose storage is tuned, by descending number of entries; those with another one's structure follow it.
std::vector<std::string> sparseOperands(const sema::Kernel &kernel, const TuneData &data) {
  std::vector<std::string> names;
  for (sema::TensorId id : kernel.parameters) {
    const sema::Tensor &tensor = kernel.tensors[id];
    const bool isSparse = !tensor.format.isDense() || !tensor.partOf.empty();
    if (isSparse && tensor.isRead && tensor.part == 0 && tensor.order() >= 2 && !tensor.shared() &&
        data.entriesOf(wholeName(tensor)))
      names.push_back(wholeName(tensor));
  }
  std::stable_sort(names.begin(), names.end(), [&](const std::string &a, const std::string &b) {
    return data.entriesOf(a)->size() > data.entriesOf(b)->size();
  });
  return names;
}

/// The data sets: the one of the command line, and for each file of --for another one, in which the file stands for
/// that of the first sparse operand, wherever that is given. Empty with errors reported.
std::vector<std::unique_ptr<TuneData>> readData(Session &session, const sema::Kernel &kernel,
                                                const syntax::Kernel &tree, const TuneCommandOptions &options) {
  std::vector<std::unique_ptr<TuneData>> data;
  data.push_back(TuneData::read(session, kernel, tree, options.run));
  if (!data.back())
    return {};
  const std::vector<std::string> sparse = sparseOperands(kernel, *data.back());
  if (sparse.empty()) {
    session.diagnostics()
        .report(kNothingToTune, {}, "the kernel reads no sparse operand of order 2 or more")
        .at(options.run.shared.kernel)
        .advise("give one a sparse format, as --format A=csr, or a file that lists coordinates, as A=a.mtx");
    return {};
  }
  const auto sourceOf = [&](const std::string &input) { return input.substr(input.find('=') + 1); };
  std::string first;
  for (const std::string &input : options.run.inputs)
    if (input.starts_with(sparse.front() + "="))
      first = sourceOf(input);
  std::istringstream files(options.set);
  for (std::string file; files >> file;) {
    RunCommandOptions run = options.run;
    for (std::string &input : run.inputs)
      if (sourceOf(input) == first)
        input = input.substr(0, input.find('=') + 1) + file;
    data.push_back(TuneData::read(session, kernel, tree, run));
    if (!data.back())
      return {};
  }
  return data;
}

/// How the default stores what is sparse, as the format file says it.
std::vector<format::StoredTensor> storedByDefault(const TuneKernel &kernel, const sema::Kernel &fallback,
                                                  format::FormatLoader &loader) {
  std::vector<format::StoredTensor> stored;
  for (sema::TensorId id : fallback.parameters) {
    const sema::Tensor &tensor = fallback.tensors[id];
    const std::string &name = wholeName(tensor);
    const auto isIt = [&](const format::Binding &binding) { return binding.tensor == name; };
    const auto bound = std::find_if(kernel.bindings.begin(), kernel.bindings.end(), isIt);
    const bool isTuned = std::find(kernel.sparse.begin(), kernel.sparse.end(), name) != kernel.sparse.end();
    if (tensor.part > 0 || (bound == kernel.bindings.end() && !isTuned))
      continue;
    format::StoredTensor one{name, tensor.format, "", ""};
    if (bound != kernel.bindings.end() && bound->structureOf)
      one.structureOf = *bound->structureOf;
    else if (bound != kernel.bindings.end() && bound->family)
      one.format = bound->family->instantiate(tensor.order()).value_or(one.format);
    if (!one.format.isSum())
      one.knownName = knownNameOf(loader, one.format);
    stored.push_back(std::move(one));
  }
  return stored;
}

/// The schedule of the user's own format files, with which candidates begin.
format::Schedule givenSchedule(const std::vector<format::Binding> &bindings) {
  format::Schedule schedule;
  for (const format::Binding &binding : bindings)
    format::replaceKeys(schedule, binding.schedule);
  return schedule;
}

sema::Options checksOf(const KernelInput &input, const SharedOptions &options, const std::string &function) {
  sema::Options checks;
  checks.function = function;
  checks.strictFp = options.strictFp;
  checks.dropZeros = options.dropZeros;
  checks.types = input.types;
  checks.indexTypes = input.indexTypes;
  return checks;
}

/// Finds the orders that the settings want on all data; why there is none, or not the one that is wanted.
std::string findOrders(const sema::Kernel &kernel, const std::vector<std::string> &sparse, const TuneSettings &settings,
                       const std::vector<std::unique_ptr<TuneData>> &data) {
  constexpr double kPartsShare = 0.1; // of the budget
  std::string why = tune::whyOrderMatters(kernel);
  const bool findsNone = !why.empty() || settings.order == "none";
  const double mostPartsSeconds = settings.order == "metis" ? INFINITY : kPartsShare * settings.budget;
  for (const std::unique_ptr<TuneData> &one : data)
    one->findOrders(kernel, findsNone ? std::vector<std::string>() : sparse, mostPartsSeconds);
  if (findsNone)
    return why;
  for (const std::unique_ptr<TuneData> &one : data) {
    const auto isWanted = [&](const tune::ExtentOrders &order) { return order.name == settings.order; };
    if (one->orders().size() == 1)
      return "no sparse operand is a matrix";
    if (settings.order != "auto" && std::none_of(one->orders().begin(), one->orders().end(), isWanted))
      return "libmetis.so.5 (Debian: libmetis5) is missing, or a matrix is too small for it";
  }
  return "";
}

int deliver(Session &session, const TuneCommandOptions &options, const TuneSearch &search,
            const std::vector<format::StoredTensor> &stored, const std::vector<std::unique_ptr<TuneData>> &data,
            const std::string &why) {
  OutputSet outputs;
  if (options.output != "-")
    outputs.add("-", tuneTable(search, data) + (why.empty() ? "" : "no other order is tried: " + why + "\n"));
  std::vector<std::string> paths;
  if (!options.output.empty())
    paths = addTuneFiles(outputs, options.output, search, stored, data);
  if (outputs.commit(session.diagnostics()))
    for (const std::string &path : paths)
      log("wrote " + path);
  return session.finish();
}

int tuneKernel(Session &session, TuneCommandOptions &options) {
  PhaseTimer timer;
  std::optional<TuneSettings> settings = readTuneSettings(session, options);
  if (!settings)
    return session.finish();
  if (options.run.shared.formats.empty())
    options.run.shared.formats = defaultFormats(session, options.run);
  const std::optional<KernelInput> input = readKernel(session, options.run.shared, timer);
  const std::optional<sema::Kernel> kernel =
      input ? checkKernel(session, *input, "kernel", options.run.shared, timer) : std::nullopt;
  if (!kernel || !checkNotInputs(session, {options.output == "-" ? "" : options.output}, input->filesRead))
    return session.finish();
  addMissingInputs(*kernel, options.run);
  options.run.leavesOutDense = true;
  std::vector<std::unique_ptr<TuneData>> data = readData(session, *kernel, input->tree, options);
  if (data.empty())
    return session.finish();
  timer.phase("read the inputs");
  session.flush();
  format::FormatLoader loader(formatFolders(options.run.shared.formatFolders), session.sources(),
                              session.diagnostics());
  TuneKernel tuned{input->tree, input->bindings, checksOf(*input, options.run.shared, "kernel"),
                   givenSchedule(input->bindings), sparseOperands(*kernel, *data.front())};
  const std::string why = findOrders(*kernel, tuned.sparse, *settings, data);
  if (!why.empty() && options.order != "auto" && options.order != "none")
    session.diagnostics()
        .report(kOrderRefused, session.findValue("--order", options.order),
                "the order '" + options.order + "' cannot be taken: " + why)
        .advise("leave --order out: all orders that there are will be tried");
  if (session.failed())
    return session.finish();
  timer.phase("find orders");
  keepFreedMemory(); // as programs do that call a kernel often (spc/memory_pool.h)
  const std::vector<format::StoredTensor> stored = storedByDefault(tuned, *kernel, loader);
  TuneSearch search(session, std::move(tuned), *settings, loader, data);
  if (!search.run())
    return session.finish();
  timer.phase("search");
  if (options.run.shared.timePasses)
    timer.print();
  return deliver(session, options, search, stored, data, why);
}

} // namespace

int tuneCommand(Session &session) {
  CLI::App app("Search formats, orders of rows and columns, and schedules that make a kernel fast on given data",
               "spc tune");
  TuneCommandOptions options;
  SharedOptionReader shared(app, options.run.shared);
  addTuneOptions(app, options);
  if (std::optional<int> done = readCommandLine(app, session))
    return *done;
  if (!shared.finish(session))
    return session.finish();
  return tuneKernel(session, options);
}

} // namespace spc::driver
