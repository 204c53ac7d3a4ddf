// `spc grad`: a kernel's derivative as a kernel file.
#include "driver/build/compile_options.h"
#include "driver/build/derivative_check.h"
#include "driver/shell/front_end.h"
#include "driver/shell/options.h"
#include "driver/shell/output_checks.h"
#include "driver/shell/subcommands.h"
#include "driver/shell/written_kernel.h"
#include "host/constants.h"
#include "host/log.h"

#include "format/bindings_writer.h"
#include "grad/gradient.h"
#include "support/output_file.h"

#include <CLI/CLI.hpp>

namespace spc::driver {
namespace {

struct GradOptions {
  SharedOptions shared;
  std::string of, wrt; ///< names with commas between them
  std::string mode = "reverse";
  std::string output, formats;
};

/// The names in a list, each with its place on the command line.
std::vector<language::Name> namesIn(const Session &session, const std::string &option, const std::string &list) {
  std::vector<language::Name> names;
  const Span whole = session.findValue(option, list);
  for (size_t begin = 0, end = 0; begin <= list.size(); begin = end + 1) {
    end = std::min(list.find(',', begin), list.size());
    names.push_back({list.substr(begin, end - begin), whole ? partOf(whole, begin, end - begin) : whole});
  }
  return names;
}

/// What is asked for; the derivative's function has the kernel's name with a suffix, or what --name says.
std::optional<grad::Request> requestOf(Session &session, const GradOptions &options, const syntax::Kernel &tree) {
  const std::optional<size_t> mode = readChoice(session, "--mode", options.mode, {"reverse", "forward"});
  if (!mode)
    return std::nullopt;
  grad::Request request{namesIn(session, "--of", options.of), namesIn(session, "--wrt", options.wrt),
                        *mode == 0 ? grad::Mode::Reverse : grad::Mode::Forward, ""};
  SharedOptions named = options.shared;
  const std::string stem = tree.signature ? tree.signature->name.text : kernelStem(options.shared);
  if (named.name.empty() && !stem.empty())
    named.name = stem + (*mode == 0 ? "_grad" : "_jvp");
  std::optional<std::string> function = functionName(session, named, tree);
  if (!function)
    return std::nullopt;
  request.function = *function;
  request.fileFrom = [from = host::constantFolder(options.shared.kernel), to = host::constantFolder(options.output)](
                         const std::string &file) { return host::fileFrom(file, from, to); };
  return request;
}

/// How the derivative's tensors are stored, for --format-out and for the check.
std::vector<format::StoredTensor> storageOf(Session &session, const GradOptions &options,
                                            const grad::Gradient &gradient, const sema::Kernel &forward) {
  format::FormatLoader loader(formatFolders(options.shared.formatFolders), session.sources(), session.diagnostics());
  std::vector<format::StoredTensor> stored;
  for (const grad::StoredLike &argument : gradient.stored)
    stored.push_back(storedLike(loader, forward, argument.name, argument.like, argument.sharesStructure));
  return stored;
}

int writeDerivative(Session &session, GradOptions &options) {
  PhaseTimer timer;
  const std::optional<KernelInput> input = readKernel(session, options.shared, timer);
  const std::optional<grad::Request> request = input ? requestOf(session, options, input->tree) : std::nullopt;
  if (request && options.output.empty())
    options.output = request->function + ".tex"; // in the working folder, as an empty name is
  if (!request || !checkNotInputs(session, {options.output, options.formats}, input->filesRead))
    return session.finish();
  const std::string stem = kernelStem(options.shared);
  const std::string function = input->tree.signature ? input->tree.signature->name.text
                               : stem.empty()        ? "kernel"
                                                     : stem;
  const std::optional<sema::Program> program = checkProgram(session, *input, function, options.shared);
  const std::optional<sema::Kernel> forward =
      program ? planKernel(session, *program, *input, options.shared, timer, /*fuses=*/false) : std::nullopt;
  const std::optional<grad::Gradient> gradient =
      forward ? grad::differentiate(*program, *forward, *request, session.diagnostics()) : std::nullopt;
  if (!gradient || session.failed())
    return session.finish();
  timer.phase("differentiate");
  const std::vector<format::StoredTensor> stored = storageOf(session, options, *gradient, *forward);
  if (!checkDerivative(session, options.output, gradient->text, stored, input->types, verifiesPlans(options.shared)))
    return session.finish();
  timer.phase("check the derivative");
  OutputSet outputs;
  outputs.add(options.output, gradient->text);
  if (!options.formats.empty())
    outputs.add(options.formats, format::bindingsText("The tensors of " + request->function, stored));
  if (outputs.commit(session.diagnostics()))
    host::log("wrote " + options.output);
  if (options.shared.timePasses)
    timer.print();
  return session.finish();
}

} // namespace

int gradCommand(Session &session) {
  CLI::App app("Write the derivative of a kernel as a kernel", "spc grad");
  GradOptions options;
  SharedOptionReader shared(app, options.shared);
  app.add_option("--of", options.of, "The outputs that are differentiated, with commas between them")
      ->type_name("NAME,...")
      ->required();
  app.add_option("--wrt", options.wrt, "The operands by which they are, with commas between them")
      ->type_name("NAME,...")
      ->required();
  app.add_option("--mode", options.mode,
                 "'reverse' (default): vector-Jacobian products, which are gradients; 'forward': Jacobian-vector ones")
      ->type_name("reverse|forward");
  app.add_option("-o,--output", options.output,
                 "The derivative; - for standard output (default: NAME_grad.tex, or NAME_jvp.tex)")
      ->type_name("FILE");
  app.add_option("--format-out", options.formats, "Also write a format file that stores its sparse arguments")
      ->type_name("FILE");
  if (std::optional<int> done = readCommandLine(app, session))
    return *done;
  if (!shared.finish(session))
    return session.finish();
  return writeDerivative(session, options);
}

} // namespace spc::driver
