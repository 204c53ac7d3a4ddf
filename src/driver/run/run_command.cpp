#include "driver/run/bench.h"
#include "driver/run/block_run.h"
#include "driver/run/check.h"
#include "driver/run/cost.h"
#include "driver/run/outputs.h"
#include "driver/shell/front_end.h"
#include "driver/shell/input_options.h"
#include "driver/shell/options.h"
#include "driver/shell/output_checks.h"
#include "driver/shell/subcommands.h"
#include "host/arguments.h"
#include "host/call_memory.h"
#include "host/inputs.h"
#include "host/kernel_call.h"
#include "host/measure.h"
#include "host/sources.h"
#include "host/thread_pool.h"

#include "pipeline/compiler.h"
#include "support/memory.h"
#include "support/output_file.h"

#include <CLI/CLI.hpp>

#include <algorithm>

namespace spc::driver {

namespace {

constexpr int kMostRounds = 1'000'000;
constexpr int kMostDigits = 17; ///< which tell all doubles apart

/// The function's name shows in nothing that `spc run` gives out, so that any file name will do.
std::optional<std::string> runName(Session &session, const SharedOptions &options, const syntax::Kernel &tree) {
  return options.name.empty() ? "kernel" : functionName(session, options, tree);
}

bool isMeasured(const RunCommandOptions &options) {
  return options.bench || !options.repeat.empty();
}

/// What the options that are numbers say.
struct RunCounts {
  int threads = 1;
  int rounds = 0; ///< of measuring; 0: as it chooses
  int digits = 0; ///< of values that are written; 0: as usual
  host::Pages pages = host::Pages::Huge;
};

std::optional<RunCounts> readCounts(Session &session, const RunCommandOptions &options) {
  const std::optional<int> threads =
      host::readCount(session, "--threads", options.threads, host::mostThreads(), host::usualThreads());
  const std::optional<int> rounds = host::readCount(session, "--repeat", options.repeat, kMostRounds, 0);
  const std::optional<int> digits = host::readCount(session, "--precision", options.precision, kMostDigits, 0);
  const std::optional<host::Pages> pages = readPages(session, options.pages);
  if (!threads || !rounds || !digits || !pages)
    return std::nullopt;
  return RunCounts{*threads, *rounds, *digits, isMeasured(options) ? *pages : host::Pages::Huge};
}

/// The files of the outputs, which can be written as things are, and are no inputs. nullopt with errors reported.
std::optional<OutputFiles> outputFiles(Session &session, const sema::Kernel &kernel, const RunCommandOptions &options) {
  std::optional<OutputFiles> files = readOutputFiles(session, kernel, options);
  std::vector<std::string> paths;
  for (const std::optional<std::string> &file : files.value_or(OutputFiles()))
    paths.push_back(file.value_or(""));
  const bool isFine =
      checkNotInputs(session, paths, host::dataFiles(options.inputs)) && canBeWritten(paths, session.diagnostics());
  return isFine ? files : std::nullopt;
}

/// Calls the kernel where somebody may look on.
bool callCounted(Session &session, host::KernelCall call) {
  Progress::Phase phase(session.progress(), "running", WorkUnit::Tasks);
  const host::CountingContext counting(call.context, phase.count());
  call.context = counting.context();
  return host::callKernel(session, call);
}

/// Calls the kernel, and measures where that is asked for: what to print in place of the outputs. False with an error
/// reported.
bool call(Session &session, const RunCommandOptions &options, const RunCounts &counts, host::KernelCall &call,
          std::optional<std::string> &report) {
  const bool measures = isMeasured(options);
  std::optional<host::SavedArguments> saved;
  if (measures)
    saved.emplace(call);
  if (!callCounted(session, call))
    return false;
  if (!measures)
    return true;
  const std::optional<host::Measurement> measured =
      host::measureCalls(session, call, *saved, counts.pages, counts.rounds);
  if (!measured)
    return false;
  report = timeLine(*measured, counts.threads) + memoryLine(*measured);
  if (!options.bench)
    return true;
  const Rates rates = ratesOf(*measured, workOf(call.kernel, call.inputs, call.arguments), counts.threads);
  report = options.json ? benchJson(*measured, rates) : *report + rateLines(rates);
  return true;
}

int runKernel(Session &session, const RunCommandOptions &options) {
  PhaseTimer timer;
  const std::optional<RunCounts> counts = readCounts(session, options);
  if (counts)
    host::preparePages(counts->pages);
  std::optional<KernelInput> input = counts ? readKernel(session, options.shared, timer) : std::nullopt;
  std::optional<std::string> function = input ? runName(session, options.shared, input->tree) : std::nullopt;
  std::optional<sema::Program> program =
      function ? checkProgram(session, *input, *function, options.shared) : std::nullopt;
  std::optional<sema::Kernel> kernel =
      program ? planKernel(session, *program, *input, options.shared, timer) : std::nullopt;
  if (!kernel)
    return session.finish();
  std::optional<OutputFiles> files = outputFiles(session, *kernel, options);
  if (files && !options.memory.empty()) {
    runInBlocks(session, options, *kernel, input->tree, *files, {counts->threads, counts->digits}, timer);
    if (options.shared.timePasses)
      timer.print();
    return session.finish();
  }
  std::optional<host::Inputs> inputs =
      files ? host::readInputs(session, *kernel, input->tree, options.inputs) : std::nullopt;
  timer.phase("read the inputs");
  if (!inputs)
    return std::max<int>(session.finish(), host::kInputWrong); // nothing is wrong where the user did not want to begin
  session.flush();

  std::optional<reference::Tensors> expected;
  if (options.check && !(expected = referenceResults(session, *kernel, *program, *inputs, options.shared.distributes)))
    return session.finish();
  timer.phase("evaluate the reference");
  abi::Signature signature = abi::makeSignature(*kernel);
  std::optional<std::vector<host::CallArgument>> arguments = host::packArguments(session, *kernel, signature, *inputs);
  timer.phase("pack the inputs");
  releaseFreedMemory(); // the lists of entries
  if (!arguments)
    return session.finish();
  if (!reportCost(session, *kernel, *inputs, *arguments, counts->rounds, options.yes))
    return host::kInputWrong;
  if (session.failed())
    return session.finish();
  session.flush();
  std::unique_ptr<codegen::JitKernel> code = pipeline::compileToMemory(
      *kernel, options.shared.optLevel, session.diagnostics(), /*codeHash=*/nullptr, options.shared.verify);
  timer.phase("compile into memory");
  if (!code)
    return session.finish();
  host::KernelCall prepared{*code, *kernel, *inputs, signature, *arguments, host::threadContext(counts->threads)};
  std::optional<std::string> report;
  if (!call(session, options, *counts, prepared, report))
    return session.finish();
  timer.phase("run the kernel");
  if (expected && !checkResults(session, prepared, *expected))
    return session.finish();
  deliverOutputs(session, prepared, *files, report, counts->digits);
  timer.phase("write the outputs");
  if (options.shared.timePasses)
    timer.print();
  return session.finish();
}

} // namespace

int runCommand(Session &session) {
  CLI::App app("Compile a kernel into memory and run it on tensor files", "spc run");
  RunCommandOptions options;
  SharedOptionReader shared(app, options.shared);
  addRunOptions(app, options);
  if (std::optional<int> done = readCommandLine(app, session))
    return *done;
  if (!shared.finish(session))
    return session.finish();
  options.inputs.asks = !options.yes;
  options.inputs.packsWhileReading = !options.check;
  return runKernel(session, options);
}

} // namespace spc::driver
