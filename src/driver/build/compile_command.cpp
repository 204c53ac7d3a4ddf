#include "driver/build/compile_options.h"
#include "driver/build/several_kernels.h"
#include "driver/build/shared_library.h"
#include "driver/shell/front_end.h"
#include "driver/shell/options.h"
#include "driver/shell/output_checks.h"
#include "driver/shell/subcommands.h"
#include "driver/shell/version.h"
#include "host/log.h"

#include "abi/header.h"
#include "abi/signature_json.h"
#include "machine/processors.h"
#include "pipeline/compiler.h"
#include "sema/analyze.h"
#include "support/depfile.h"
#include "support/memory.h"
#include "support/output_file.h"
#include "syntax/parser.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <filesystem>

namespace spc::driver {

namespace {

/// A hash of what an object's code follows from: this spc, the kernel as it is planned, and the options but for the
/// target, so that one header serves several.
std::string contentsOf(const sema::Kernel &kernel, const pipeline::CompileOptions &options) {
  std::string text =
      versionText() + "\n" + kernel.function + "\n" + sema::describe(kernel) + "\n" + options.target.cpu + "\n";
  for (const bool flag : {kernel.strictFp, kernel.checked, options.debugInfo, options.sanitizers.address,
                          options.sanitizers.thread, options.sanitizers.undefined})
    text += flag ? '1' : '0';
  for (const sema::Tensor &tensor : kernel.tensors)
    if (const auto *constant = tensor.as<sema::Constant>())
      text += language::bytesOf(*constant->entries);
  return abi::hashOf(text + std::to_string(options.target.optLevel));
}

pipeline::CompileOptions compileOptions(const CompileCommandOptions &options, const sema::Kernel &kernel) {
  pipeline::CompileOptions compile;
  compile.target = options.target;
  compile.sanitizers = options.sanitizers;
  compile.debugInfo = options.debugInfo;
  compile.timePasses = options.shared.timePasses;
  compile.verifyEach = options.shared.verify;
  compile.producer = versionText();
  compile.threads = limitsAddresses() ? 1 : machine::processorCount();
  if (!options.isVisible)
    compile.contents = contentsOf(kernel, compile);
  return compile;
}

std::string signatureText(const sema::Kernel &kernel, const pipeline::CompileOptions &options) {
  abi::Signature signature = abi::makeSignature(kernel, options.contents);
  signature.producer = options.producer;
  return abi::signatureJson(signature, kernel) + "\n";
}

/// The text or bytes of the stage that was asked for; nullopt with errors reported.
std::optional<std::string> produce(Session &session, const CompileCommandOptions &options, const KernelInput &input,
                                   const std::string &function, const sema::Kernel *kernel, PhaseTimer &timer) {
  if (options.emit == Emit::Ast)
    return syntax::print(input.tree);
  if (options.emit == Emit::Kernel) {
    const std::optional<sema::Program> program = checkProgram(session, input, function, options.shared);
    return program ? std::optional(sema::toText(*program)) : std::nullopt;
  }
  if (options.emit == Emit::Plan)
    return sema::describe(*kernel);
  const pipeline::CompileOptions compile = compileOptions(options, *kernel);
  if (options.emit == Emit::Signature)
    return signatureText(*kernel, compile);
  std::optional<std::string> result = pipeline::compile(*kernel, stageOf(options.emit), compile, session.diagnostics());
  timer.phase("compile to " + std::string(spelling(options.emit)));
  return result;
}

std::string headerOf(const CompileCommandOptions &options, const sema::Kernel &kernel) {
  return abi::writeHeader(abi::makeSignature(kernel, compileOptions(options, kernel).contents), kernel);
}

/// Adds the dependency file, where one is wanted.
void addDepfile(const CompileCommandOptions &options, const OutputPaths &paths,
                const std::vector<std::string> &filesRead, OutputSet &outputs) {
  if (paths.depfile.empty())
    return;
  Dependencies dependencies;
  dependencies.targets = options.depfileTargets;
  if (dependencies.targets.empty())
    dependencies.targets = {escapeForMake(paths.output)};
  dependencies.prerequisites = filesRead;
  dependencies.phony = options.phonyTargets;
  outputs.add(paths.depfile, makefileText(dependencies));
}

/// Writes what was made, and ends.
int finish(Session &session, const CompileCommandOptions &options, const OutputPaths &paths, OutputSet &outputs,
           PhaseTimer &timer) {
  if (outputs.commit(session.diagnostics()))
    for (const std::string &path : {paths.output, paths.header, paths.depfile})
      if (!path.empty())
        host::log("wrote " + path);
  timer.phase("write the outputs");
  if (options.shared.timePasses)
    timer.print();
  return session.finish();
}

/// The object or the library of kernels, with one header; nullopt with errors reported.
std::optional<CodeAndHeader> linkKernels(Session &session, const CompileCommandOptions &options,
                                         const OutputPaths &paths, std::vector<SingleKernel> kernels) {
  if (options.emit == Emit::Shared)
    return shareKernels(session, paths.output, std::move(kernels));
  const std::filesystem::path named = paths.output == "-" ? kernelStem(options.shared) : paths.output;
  return joinKernels(session, named.stem().string(), std::move(kernels));
}

/// The kernels of a module as one object, or kernels as a library, with one header.
int compileSeveral(Session &session, const CompileCommandOptions &options, const OutputPaths &paths,
                   const std::vector<KernelInput> &inputs, PhaseTimer &timer) {
  std::vector<SingleKernel> kernels;
  std::vector<std::string> filesRead;
  for (const KernelInput &input : inputs) {
    const std::optional<std::string> function = functionName(session, options.shared, input.tree);
    const std::optional<sema::Kernel> kernel =
        function ? checkKernel(session, input, *function, options.shared, timer) : std::nullopt;
    session.flush();
    std::optional<std::string> object =
        kernel ? produce(session, options, input, *function, &*kernel, timer) : std::nullopt;
    for (const std::string &path : input.filesRead)
      if (std::find(filesRead.begin(), filesRead.end(), path) == filesRead.end())
        filesRead.push_back(path);
    if (object)
      kernels.push_back({input.tree.signature ? input.tree.signature->name.where : Span{}, std::move(*object),
                         headerOf(options, *kernel)});
  }
  if (session.failed() || !checkNotInputs(session, {paths.output, paths.header, paths.depfile}, filesRead))
    return session.finish();
  std::optional<CodeAndHeader> linked = linkKernels(session, options, paths, std::move(kernels));
  timer.phase("link");
  if (!linked)
    return session.finish();
  OutputSet outputs;
  outputs.add(paths.output, std::move(linked->code));
  if (!paths.header.empty())
    outputs.add(paths.header, std::move(linked->header));
  addDepfile(options, paths, filesRead, outputs);
  return finish(session, options, paths, outputs, timer);
}

int compileKernel(Session &session, const CompileCommandOptions &options) {
  PhaseTimer timer;
  std::optional<OutputPaths> paths = outputPaths(session, options);
  bool needsKernel = (options.emit != Emit::Ast && options.emit != Emit::Kernel) || (paths && !paths->header.empty());
  if (!paths)
    return session.finish();
  const std::optional<std::vector<KernelInput>> inputs =
      readKernels(session, options.shared, timer, /*takesSeveral=*/isBinary(options.emit));
  if (!inputs)
    return session.finish();
  if (inputs->size() > 1 || options.emit == Emit::Shared)
    return compileSeveral(session, options, *paths, *inputs, timer);
  const KernelInput &input = inputs->front();
  std::optional<std::string> function =
      options.emit == Emit::Ast && !needsKernel ? std::string() : functionName(session, options.shared, input.tree);
  if (!function || !checkNotInputs(session, {paths->output, paths->header, paths->depfile}, input.filesRead))
    return session.finish();
  std::optional<sema::Kernel> kernel;
  if (needsKernel && !(kernel = checkKernel(session, input, *function, options.shared, timer)))
    return session.finish();
  session.flush();
  std::optional<std::string> product = produce(session, options, input, *function, kernel ? &*kernel : nullptr, timer);
  if (!product || session.failed())
    return session.finish();

  OutputSet outputs;
  outputs.add(paths->output, std::move(*product));
  if (!paths->header.empty() && kernel)
    outputs.add(paths->header, headerOf(options, *kernel));
  addDepfile(options, *paths, input.filesRead, outputs);
  return finish(session, options, *paths, outputs, timer);
}

} // namespace

int compileCommand(Session &session) {
  CLI::App app("Compile a kernel to an object file and a C header, or to the text of any stage", "spc compile");
  CompileCommandOptions options;
  SharedOptionReader shared(app, options.shared);
  CompileOptionReader own(app, options);
  if (std::optional<int> done = readCommandLine(app, session))
    return *done;
  bool ownFine = own.finish(session);
  if (!shared.finish(session) || !ownFine)
    return session.finish();
  growHeap();
  return compileKernel(session, options);
}

} // namespace spc::driver
