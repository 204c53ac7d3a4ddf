// `spc tune`: what makes a kernel fast on given data, by measurement.
#include "driver/shell/front_end.h"
#include "driver/shell/options.h"
#include "driver/shell/output_checks.h"
#include "driver/shell/subcommands.h"
#include "driver/tune/options.h"
#include "driver/tune/report.h"
#include "host/call_memory.h"
#include "host/inputs.h"
#include "host/log.h"
#include "host/sources.h"

#include "support/memory.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <sstream>

namespace spc::driver {

namespace {

constexpr DiagnosticKind kNothingToTune{"nothing-to-tune", Severity::Error};
constexpr DiagnosticKind kOrderRefused{"order-refused", Severity::Error};

/// The name in the kernel's text of a tensor that may be a part.
const std::string &wholeName(const sema::Tensor &tensor) {
  return tensor.partOf.empty() ? tensor.name : tensor.partOf;
}

/// The operands whose storage is tuned, by descending number of entries; those with another one's structure follow it.
std::vector<std::string> sparseOperands(const sema::Kernel &kernel, const TuneData &data) {
  std::vector<std::string> names;
  for (sema::TensorId id : kernel.parameters) {
    const sema::Tensor &tensor = kernel.tensors[id];
    const bool isSparse = !tensor.format.isDense() || !tensor.partOf.empty();
    if (isSparse && tensor.isRead && tensor.part == 0 && tensor.order() >= 2 && !tensor.shared() &&
        !tensor.keepsStructure && data.entriesOf(wholeName(tensor)))
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
  data.push_back(TuneData::read(session, kernel, tree, options.inputs));
  if (!data.back())
    return {};
  const std::vector<std::string> sparse = sparseOperands(kernel, *data.back());
  if (sparse.empty()) {
    session.diagnostics()
        .report(kNothingToTune, {}, "the kernel reads no sparse operand of order 2 or more")
        .at(options.shared.kernel)
        .advise("give one a sparse format, as --format A=csr, or a file that lists coordinates, as A=a.mtx");
    return {};
  }
  const auto sourceOf = [&](const std::string &input) { return input.substr(input.find('=') + 1); };
  std::string first;
  for (const std::string &input : options.inputs.given)
    if (input.starts_with(sparse.front() + "="))
      first = sourceOf(input);
  std::istringstream files(options.set);
  for (std::string file; files >> file;) {
    host::InputOptions inputs = options.inputs;
    for (std::string &input : inputs.given)
      if (sourceOf(input) == first)
        input = input.substr(0, input.find('=') + 1) + file;
    data.push_back(TuneData::read(session, kernel, tree, inputs));
    if (!data.back())
      return {};
  }
  return data;
}

/// How the default stores what is sparse, as the format file says it.
std::vector<format::StoredTensor> storedByDefault(const TuneKernel &kernel, const sema::Kernel &fallback,
                                                  format::FormatLoader &loader) {
  std::vector<format::StoredTensor> stored;
  std::vector<sema::TensorId> all = fallback.parameters;
  for (sema::TensorId id : fallback.tensors.ids())
    if (fallback.tensors[id].is<sema::Constant>())
      all.push_back(id);
  for (sema::TensorId id : all) {
    const sema::Tensor &tensor = fallback.tensors[id];
    const std::string &name = wholeName(tensor);
    const auto isIt = [&](const format::Binding &binding) { return binding.tensor == name; };
    const auto bound = std::find_if(kernel.bindings.begin(), kernel.bindings.end(), isIt);
    const bool isTuned = std::find(kernel.sparse.begin(), kernel.sparse.end(), name) != kernel.sparse.end();
    const bool isSparseConstant = tensor.is<sema::Constant>() && (!tensor.format.isDense() || !tensor.partOf.empty());
    if (tensor.part > 0 || (bound == kernel.bindings.end() && !isTuned && !isSparseConstant))
      continue;
    format::StoredTensor one{name, tensor.format, "", ""};
    if (bound != kernel.bindings.end() && bound->structureOf)
      one.structureOf = *bound->structureOf;
    else if (bound != kernel.bindings.end() && bound->family)
      one.format = bound->family->instantiate(tensor.order()).value_or(one.format);
    one.keepsStructure = tensor.keepsStructure;
    if (!one.format.isSum())
      one.knownName = knownNameOf(loader, one.format);
    stored.push_back(std::move(one));
  }
  return stored;
}

/// As --index has it, for formats that have index types.
void setIndexTypes(format::Format &format, const std::string &tensor, const std::vector<sema::GivenIndexType> &types) {
  for (format::Format &part : format.parts)
    setIndexTypes(part, tensor, types);
  const sema::GivenIndexType *given = nullptr; // one that names the tensor goes ahead
  for (const sema::GivenIndexType &one : types)
    if (one.tensor ? one.tensor == tensor : !given)
      given = &one;
  if (!given || format.isDense() || format.isSum())
    return;
  if (format.hasPointers())
    format.pointers = given->type;
  if (format.hasIndices())
    format.indices = given->type;
}

/// How the trial that was chosen stores what is sparse.
std::vector<format::StoredTensor> storedByChoice(const TuneSearch &search, std::vector<format::StoredTensor> stored,
                                                 const std::vector<sema::GivenIndexType> &types,
                                                 format::FormatLoader &loader) {
  const TunePoint &point = search.trials()[search.chosen()].point;
  for (format::StoredTensor &one : stored) {
    if (const auto choice = point.formats.find(one.tensor); choice != point.formats.end())
      one = {one.tensor, choice->second.format, choice->second.knownName, ""};
    if (types.empty() || !one.structureOf.empty())
      continue;
    setIndexTypes(one.format, one.tensor, types);
    one.knownName = one.format.isSum() ? "" : knownNameOf(loader, one.format);
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

/// Why there is no graph to find orders by.
std::string whyNoOrders(const std::vector<std::string> &sparse, const TuneData &data) {
  bool hasMatrix = false;
  double lines = 0;
  for (const std::string &name : sparse)
    if (const std::vector<int64_t> &shape = data.entriesOf(name)->shape; shape.size() == 2) {
      hasMatrix = true;
      lines += static_cast<double>(shape[0]) + static_cast<double>(shape[1]);
    }
  return !hasMatrix   ? "no sparse operand is a matrix"
         : lines == 0 ? "the sparse matrices have no rows and columns"
                      : "more than 2^31 - 1 rows and columns are too many to find one";
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
      return whyNoOrders(sparse, *one);
    if (settings.order != "auto" && std::none_of(one->orders().begin(), one->orders().end(), isWanted))
      return "libmetis.so.5 (Debian: libmetis5) is missing, or a matrix is too small for it";
  }
  return "";
}

int deliver(Session &session, const TuneCommandOptions &options, const TuneSearch &search,
            const std::vector<format::StoredTensor> &stored, const std::vector<std::unique_ptr<TuneData>> &data,
            const std::string &why) {
  OutputSet outputs;
  std::vector<std::string> paths, stale;
  if (!options.output.empty())
    paths = addTuneFiles(outputs, options.output, search, stored, data);
  std::string text = tuneTable(search, data) + (why.empty() ? "" : "no other order is tried: " + why + "\n");
  if (options.output != "-") {
    if (!options.output.empty())
      stale = staleOrders(options.output, paths);
    for (const std::string &path : stale)
      text += "removed: " + path + ", of an earlier search\n";
    outputs.add("-", text);
  }
  if (!outputs.commit(session.diagnostics()))
    return session.finish();
  for (const std::string &path : paths)
    host::log("wrote " + path);
  std::error_code ignored;
  for (const std::string &path : stale)
    std::filesystem::remove(path, ignored);
  return session.finish();
}

/// Whether what is to be written can be, and overwrites nothing that is read; false with errors reported.
bool checkOutputs(Session &session, const TuneCommandOptions &options, const KernelInput &input) {
  if (options.output.empty() || options.output == "-")
    return true;
  std::vector<std::string> outputs = orderFilesBeside(options.output), inputs = host::dataFiles(options.inputs);
  outputs.insert(outputs.begin(), options.output);
  inputs.insert(inputs.end(), input.filesRead.begin(), input.filesRead.end());
  std::istringstream files(options.set);
  for (std::string file; files >> file;)
    inputs.push_back(file);
  return checkNotInputs(session, outputs, inputs) && canBeWritten(outputs, session.diagnostics());
}

int tuneKernel(Session &session, TuneCommandOptions &options) {
  PhaseTimer timer;
  std::optional<TuneSettings> settings = readTuneSettings(session, options);
  if (!settings)
    return session.finish();
  host::preparePages(settings->pages);
  std::optional<KernelInput> input = readKernel(session, options.shared, timer);
  if (!input || !checkReadAgain(session, options))
    return session.finish();
  format::FormatLoader loader(formatFolders(options.shared.formatFolders), session.sources(), session.diagnostics());
  if (options.shared.formats.empty())
    input->bindings = defaultFormats(session, options.inputs, input->tree, loader);
  const std::optional<sema::Kernel> kernel =
      session.failed() ? std::nullopt : checkKernel(session, *input, "kernel", options.shared, timer);
  if (!kernel || !checkOutputs(session, options, *input))
    return session.finish();
  host::addMissingInputs(*kernel, options.inputs);
  options.inputs.leavesOutDense = true;
  std::vector<std::unique_ptr<TuneData>> data = readData(session, *kernel, input->tree, options);
  if (data.empty())
    return session.finish();
  timer.phase("read the inputs");
  session.flush();
  TuneKernel tuned{input->tree, input->bindings, checksOf(*input, options.shared, "kernel"),
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
  if (settings->pages == host::Pages::Huge)
    keepFreedMemory(); // as programs do that have spc/memory_pool.h
  std::vector<format::StoredTensor> stored = storedByDefault(tuned, *kernel, loader);
  TuneSearch search(session, std::move(tuned), *settings, loader, data);
  if (!search.run())
    return session.finish();
  timer.phase("search");
  if (options.shared.timePasses)
    timer.print();
  stored = storedByChoice(search, std::move(stored), input->indexTypes, loader);
  return deliver(session, options, search, stored, data, why);
}

} // namespace

int tuneCommand(Session &session) {
  CLI::App app("Search formats, orders of rows and columns, and schedules that make a kernel fast on given data",
               "spc tune");
  TuneCommandOptions options;
  SharedOptionReader shared(app, options.shared);
  addTuneOptions(app, options);
  if (std::optional<int> done = readCommandLine(app, session))
    return *done;
  if (!shared.finish(session))
    return session.finish();
  return tuneKernel(session, options);
}

} // namespace spc::driver
