#include "driver/front_end.h"
#include "driver/kernel_call.h"
#include "driver/run_cost.h"
#include "driver/run_inputs.h"
#include "driver/run_outputs.h"
#include "driver/subcommands.h"

#include "pipeline/compiler.h"

#include <CLI/CLI.hpp>

namespace spc::driver {

namespace {

/// The function's name shows in nothing that `spc run` gives out, so that any file name will do.
std::optional<std::string> runName(Session &session, const SharedOptions &options, const syntax::Kernel &tree) {
  return options.name.empty() ? "kernel" : functionName(session, options, tree);
}

int runKernel(Session &session, const RunCommandOptions &options) {
  PhaseTimer timer;
  std::optional<KernelInput> input = readKernel(session, options.shared, timer);
  std::optional<std::string> function = input ? runName(session, options.shared, input->tree) : std::nullopt;
  std::optional<sema::Kernel> kernel =
      function ? checkKernel(session, *input, *function, options.shared, timer) : std::nullopt;
  if (!kernel)
    return session.finish();
  std::optional<OutputFiles> files = readOutputFiles(session, *kernel, options);
  std::optional<RunInputs> inputs = files ? readInputs(session, *kernel, input->tree, options) : std::nullopt;
  timer.phase("read the inputs");
  if (!inputs)
    return session.finish();
  session.flush();

  abi::Signature signature = abi::makeSignature(*kernel);
  std::optional<std::vector<CallArgument>> arguments = packArguments(session, *kernel, signature, *inputs);
  timer.phase("pack the inputs");
  if (!arguments)
    return session.finish();
  reportCost(session, *kernel, *inputs, *arguments);
  if (session.failed())
    return session.finish();
  session.flush();
  std::unique_ptr<codegen::JitKernel> code =
      pipeline::compileToMemory(*kernel, options.shared.optLevel, session.diagnostics());
  timer.phase("compile into memory");
  if (!code || !callKernel(session, *code, *kernel, *inputs, signature, *arguments))
    return session.finish();
  timer.phase("run the kernel");
  deliverOutputs(session, *kernel, signature, *files, *arguments);
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
  return runKernel(session, options);
}

} // namespace spc::driver
