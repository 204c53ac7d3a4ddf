// `spc explain`: what a kernel's loops are and cost, or what a diagnostic means.
#include "driver/explain/measure.h"
#include "driver/explain/other_formats.h"
#include "driver/shell/front_end.h"
#include "driver/shell/input_options.h"
#include "driver/shell/options.h"
#include "driver/shell/output_checks.h"
#include "driver/shell/subcommands.h"
#include "host/call_memory.h"
#include "host/inputs.h"
#include "host/sources.h"

#include "explain/explanation.h"
#include "explain/page.h"
#include "explain/pages.h"
#include "explain/text.h"
#include "support/output_file.h"

#include "machine/processors.h"
#include "machine/roofs.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cctype>
#include <filesystem>

namespace spc::driver {
namespace {

constexpr DiagnosticKind kNoKernel{"usage", Severity::Error};
constexpr DiagnosticKind kUnknownDiagnostic{"unknown-diagnostic", Severity::Error};

struct ExplainOptions {
  SharedOptions shared;
  host::InputOptions inputs;
  std::string pages = "ordinary"; ///< of what is measured, or "huge"
  std::string cpu;
  bool wantsRoofs = false;
  bool measures = false;
  std::string page; ///< a file, or "-"; empty: text is printed
};

/// Whether an argument looks like the id of a diagnostic rather than a kernel's file.
bool isMeantAsId(const std::string &argument) {
  std::error_code ignored;
  return argument.size() > 1 && argument.find_first_of("./") == std::string::npos &&
         !std::filesystem::exists(argument, ignored);
}

/// The id in an argument that is written as messages have it, "[-Wreorder]", or nearly so.
std::string idIn(const std::string &argument) {
  std::string id;
  for (const char c : argument)
    if (c == '_')
      id += '-';
    else if (c != '[' && c != ']')
      id += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  for (const std::string_view prefix : {"-werror=", "-wno-", "-w", "w"})
    if (id.starts_with(prefix) && !explain::pageOf(id))
      if (const std::string rest = id.substr(prefix.size()); prefix[0] == '-' || explain::pageOf(rest))
        id = rest;
  return id;
}

int explainDiagnostic(Session &session, const std::string &argument) {
  const std::string id = idIn(argument);
  if (std::optional<std::string> page = explain::pageOf(id))
    return session.print(std::move(*page));
  const Span where = session.find(argument);
  Diagnostic &unknown = session.diagnostics().report(
      kUnknownDiagnostic, where, "there is no diagnostic '" + argument + "', and no file of that name");
  if (const std::optional<std::string> near = didYouMean(id, explain::pageIds()))
    unknown.advise("did you mean 'spc explain " + *near + "'?").fix(where, *near);
  else
    unknown.advise("an id is what stands in brackets at the end of a message; a kernel is a file, kernel.tex");
  return session.finish();
}

/// A page says the same whatever the options; false with a usage error where some are of kernels.
bool checkNoKernelOptions(Session &session, const ExplainOptions &options) {
  const bool hasSome = !options.page.empty() || options.wantsRoofs || options.measures || !options.cpu.empty() ||
                       !options.inputs.sizes.empty() || !options.inputs.shapes.empty() ||
                       !options.shared.formats.empty();
  if (hasSome)
    session
        .usage(kNoKernel, session.find(options.shared.kernel),
               "'" + options.shared.kernel + "' is no kernel's file, for which other options could be")
        .advise("for what a diagnostic means, write 'spc explain " + idIn(options.shared.kernel) + "' alone");
  return !hasSome;
}

/// The name shows in the explanation alone, so that any file's will do.
std::optional<std::string> explainName(Session &session, const SharedOptions &options, const syntax::Kernel &tree) {
  const std::string stem = kernelStem(options);
  if (!options.name.empty() || tree.signature || objectionToFunction(stem).empty())
    return functionName(session, options, tree);
  return "kernel";
}

/// Packs the operands that are given. nullopt with an error where one does not fit its format.
bool packGiven(Session &session, const sema::Kernel &kernel, const host::Inputs &inputs, explain::Data &data) {
  for (size_t k = 0; k < kernel.parameters.size(); ++k) {
    const sema::Tensor &tensor = kernel.tensors[kernel.parameters[k]];
    const std::optional<tensor::Coordinates> &entries = inputs.parameters[k].entries;
    std::string error;
    if (entries && !tensor.format.isDense() && !tensor.hasDeclaredOwner() &&
        !data.add(kernel.parameters[k], *entries, error))
      session.diagnostics().report(host::kUnstorable, tensor.where, "'" + tensor.name + "' cannot be stored: " + error);
  }
  return !session.failed();
}

pipeline::CompileOptions compileOptions(Session &session, const ExplainOptions &options) {
  pipeline::CompileOptions compile;
  compile.target.cpu = options.cpu;
  compile.target.optLevel = options.shared.optLevel;
  compile.target.cpuAt = session.find(options.cpu);
  compile.verifyEach = options.shared.verify;
  return compile;
}

/// The bodies as they are compiled; nullopt with errors reported.
std::optional<std::vector<pipeline::BodyFacts>> readCode(Session &session, const sema::Kernel &kernel,
                                                         const ExplainOptions &options) {
  return pipeline::describeCode(kernel, compileOptions(session, options), session.diagnostics());
}

/// What all cores of this machine can do in the type that most of the kernel's outputs have.
explain::Roofs measureRoofs(const sema::Kernel &kernel) {
  const machine::Roofs roofs = machine::measureRoofs(machine::processorCount());
  bool isDouble = false;
  for (const sema::Tensor &tensor : kernel.tensors)
    isDouble |= tensor.isWritten && (tensor.type == sema::ValueType::F64 || tensor.type == sema::ValueType::CF64);
  return {std::max(roofs.read, roofs.triad), isDouble ? roofs.f64 : roofs.f32};
}

/// Does something that may take a while, of which a terminal shows how long.
template <typename Work> auto inPhase(Session &session, const char *what, const Work &work) {
  const Progress::Phase phase(session.progress(), what, WorkUnit::None);
  return work();
}

/// Writes the page.
int writePage(Session &session, const ExplainOptions &options, const sema::Kernel &kernel, const host::Inputs &inputs,
              const explain::Explanation &explanation, std::string_view source) {
  pipeline::CompileOptions compile = compileOptions(session, options);
  if (options.cpu.empty() || options.cpu.find(',') != std::string::npos)
    compile.target.cpu = "native"; // code for one processor is shown
  const auto stages = explain::stagesOf(kernel, source, compile, session.diagnostics());
  if (!stages)
    return session.finish();
  std::vector<explain::SpyPlot> plots;
  for (size_t k = 0; k < inputs.parameters.size(); ++k)
    if (const auto &entries = inputs.parameters[k].entries; entries && entries->order() > 1) {
      const sema::Tensor &tensor = kernel.tensors[kernel.parameters[k]];
      if (!tensor.format.isDense())
        plots.push_back(explain::spyPlotOf(tensor.name, *entries));
    }
  OutputSet outputs;
  outputs.add(options.page, explain::htmlOf(explanation, *stages, plots));
  outputs.commit(session.diagnostics());
  return session.finish();
}

int explainKernelFile(Session &session, ExplainOptions &options) {
  PhaseTimer timer;
  const SharedOptions &shared = options.shared;
  const std::optional<host::Pages> pages = readPages(session, options.pages);
  if (!pages)
    return session.finish();
  if (options.measures)
    host::preparePages(*pages);
  std::optional<KernelInput> input = readKernel(session, shared, timer);
  const std::optional<std::string> function = input ? explainName(session, shared, input->tree) : std::nullopt;
  const std::optional<sema::Kernel> kernel =
      function ? checkKernel(session, *input, *function, shared, timer) : std::nullopt;
  if (!kernel || !checkNotInputs(session, {options.page}, input->filesRead) ||
      !checkNotInputs(session, {options.page}, host::dataFiles(options.inputs)) ||
      !canBeWritten({options.page}, session.diagnostics()))
    return session.finish();
  if (options.measures)
    host::addMissingInputs(*kernel, options.inputs);
  const bool hasData = !options.inputs.given.empty() || !options.inputs.sizes.empty() || !options.inputs.shapes.empty();
  options.inputs.needsAll = options.measures;
  std::optional<host::Inputs> inputs =
      hasData ? host::readInputs(session, *kernel, input->tree, options.inputs) : std::optional(host::Inputs());
  timer.phase("read the inputs");
  if (!inputs)
    return session.finish();
  explain::Data data(*kernel, inputs->extents);
  if (hasData && !packGiven(session, *kernel, *inputs, data))
    return session.finish();
  const auto bodies = inPhase(session, "compiling", [&] { return readCode(session, *kernel, options); });
  timer.phase("compile");
  if (!bodies || session.failed())
    return session.finish();
  explain::Explanation explanation = inPhase(session, "counting steps", [&] {
    return explain::explainKernel(*kernel, *bodies, shared.optLevel, hasData ? &data : nullptr);
  });
  explanation.provenance = provenanceOf(session);
  timer.phase("count");
  if (explanation.cost)
    explanation.alternatives = inPhase(session, "trying other formats", [&] {
      return otherFormats(session, *input, *kernel, shared, *inputs, *explanation.cost);
    });
  timer.phase("try other formats");
  if (explanation.cost && (options.wantsRoofs || options.measures || !options.page.empty()))
    explanation.roofs = inPhase(session, "measuring this machine", [&] { return measureRoofs(*kernel); });
  if (options.measures) {
    explanation.measured = measureCall(session, *kernel, *inputs, shared.optLevel, *pages);
    timer.phase("measure");
    if (!explanation.measured)
      return session.finish();
  }
  if (shared.timePasses)
    timer.print();
  if (!options.page.empty())
    return writePage(session, options, *kernel, *inputs, explanation,
                     input->tree.statements.front().where.file->text());
  return session.print(explain::textOf(explanation));
}

} // namespace

int explainCommand(Session &session) {
  CLI::App app("Say what a kernel's loops are and cost, with what the data says, or what a diagnostic means",
               "spc explain");
  ExplainOptions options;
  SharedOptionReader shared(app, options.shared);
  app.add_option("inputs", options.inputs.given,
                 "TENSOR=FILE or a generator, as for spc run; what is left out is not needed")
      ->type_name("");
  addSizeOptions(app, options.inputs);
  app.add_option("--mcpu", options.cpu, "The processor to explain the code for, as for spc compile")->type_name("CPU");
  app.add_option("--html", options.page,
                 "Write a page with loops, pictures and the text of each stage in place of text; - for standard output")
      ->type_name("FILE");
  app.add_flag("--roofs", options.wantsRoofs,
               "Measure what this machine can do, for a second, and say how long a call takes at best");
  app.add_flag(
      "--measure", options.measures,
      "Measure calls, on operands that are made up where none are given, and say how far that is from the best");
  addPagesOption(app, options.pages);
  const std::vector<std::string> arguments = session.arguments();
  if (arguments.size() == 1 && arguments.front().starts_with("-W")) // as warnings end; else an option
    return explainDiagnostic(session, arguments.front());
  if (std::optional<int> done = readCommandLine(app, session))
    return *done;
  if (isMeantAsId(options.shared.kernel) && options.inputs.given.empty())
    return checkNoKernelOptions(session, options) ? explainDiagnostic(session, options.shared.kernel)
                                                  : session.finish();
  if (!shared.finish(session))
    return session.finish();
  return explainKernelFile(session, options);
}

} // namespace spc::driver
