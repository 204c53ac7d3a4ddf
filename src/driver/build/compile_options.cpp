#include "driver/build/compile_options.h"

#include "driver/shell/front_end.h"
#include "driver/shell/output_checks.h"
#include "support/depfile.h"

#include <CLI/CLI.hpp>

#include <filesystem>

namespace spc::driver {

namespace {

constexpr DiagnosticKind kDepfileOption{"depfile-option", Severity::Error};
constexpr DiagnosticKind kSanitizeOption{"sanitize-option", Severity::Error};
constexpr DiagnosticKind kOutputPath{"output-path", Severity::Error};

const std::vector<std::string> kEmitNames = {"ast",   "kernel", "plan", "signature", "linalg", "sparse",
                                             "loops", "llvm",   "asm",  "obj",       "shared"};

std::string withSuffix(const std::string &path, const char *suffix) {
  return std::filesystem::path(path).replace_extension(suffix).string();
}

const char *suffixOf(Emit emit) {
  return emit == Emit::Shared ? ".so" : emit == Emit::Object ? ".o" : ".s";
}

bool isBinaryOrAssembly(Emit emit) {
  return isBinary(emit) || emit == Emit::Assembly;
}

/// Whether other outputs can be named after this one: not after standard output, nor after a device or a pipe.
bool hasNeighbours(const std::string &path) {
  std::error_code error;
  return path != "-" && !std::filesystem::is_other(path, error);
}

/// The names as help shows a choice of them.
std::string alternatives(const std::vector<std::string> &names) {
  std::string text;
  for (const std::string &name : names)
    text += (text.empty() ? "" : "|") + name;
  return text;
}

} // namespace

const char *spelling(Emit emit) {
  return kEmitNames[static_cast<size_t>(emit)].c_str();
}

pipeline::Stage stageOf(Emit emit) {
  return isBinary(emit) ? pipeline::Stage::Object
                        : static_cast<pipeline::Stage>(static_cast<int>(emit) - static_cast<int>(Emit::Linalg));
}

bool isBinary(Emit emit) {
  return emit == Emit::Object || emit == Emit::Shared;
}

CompileOptionReader::CompileOptionReader(CLI::App &app, CompileCommandOptions &options) : options_(options) {
  app.add_option("-o,--output", options.output,
                 "Output file (default: the kernel's stem with .o, .so or .s; text stages "
                 "go to standard output); the header lands beside it")
      ->type_name("FILE");
  app.add_option("--header", options.header, "Header file, - for standard output (default: as -o, with .h)")
      ->type_name("FILE");
  app.add_option("--emit", emit_,
                 "The stage whose result is written (default: obj); shared: a library of the kernel alone")
      ->type_name(alternatives(kEmitNames));
  app.add_option("--target", options.target.triple,
                 "Target triple, such as aarch64-linux-gnu (default: this machine's)")
      ->type_name("TRIPLE");
  app.add_option("--mcpu", options.target.cpu,
                 "Processor to compile for, 'native', or levels of x86-64 with commas, among which "
                 "the object chooses (default: x86-64,x86-64-v3,x86-64-v4, elsewhere the baseline)")
      ->type_name("CPU");
  addRepeatable(app, "--sanitize", sanitizers_, "Code that watches itself; a list with commas, repeatable",
                "address|thread|undefined");
  app.add_flag("-g", options.debugInfo, "Line tables for debuggers and profilers; with -O0 index variables, too");
  app.add_option("--visibility", visibility_,
                 "Whether a library that the object is linked into exports the kernel (default: hidden)")
      ->type_name("hidden|default");
  app.add_flag("--fPIC", positionIndependent_, "Position-independent code; always on");
  app.add_flag("--MD", options.writeDepfile, "Write a dependency file for make (default: as -o, with .d)");
  app.add_option("--MF", options.depfile, "Name of the dependency file")->type_name("FILE");
  addRepeatable(app, "--MT", options.depfileTargets, "Target in the dependency file (default: the output); repeatable",
                "TARGET");
  app.add_flag("--MP", options.phonyTargets, "Add a phony target for each format file, so that it may be removed");
}

bool CompileOptionReader::readSanitizers(Session &session) {
  codegen::Sanitizers &sanitizers = options_.sanitizers;
  bool *const flags[] = {&sanitizers.address, &sanitizers.thread, &sanitizers.undefined};
  for (const std::string &list : sanitizers_)
    for (size_t begin = 0, end = 0; begin <= list.size(); begin = end + 1) {
      end = std::min(list.find(',', begin), list.size());
      if (begin == end) {
        session.usage(kSanitizeOption, session.findValue("--sanitize", list),
                      "--sanitize=" + list + " has a comma too many");
        return false;
      }
      const std::optional<size_t> choice =
          readChoice(session, "--sanitize", list.substr(begin, end - begin), {"address", "thread", "undefined"});
      if (!choice)
        return false;
      *flags[*choice] = true;
    }
  if (!sanitizers.address || !sanitizers.thread)
    return true;
  session.usage(kSanitizeOption, session.find("--sanitize"), "--sanitize takes either 'address' or 'thread'")
      .advise("compile the kernel twice: each keeps books of its own on all memory");
  return false;
}

/// Before any file is read, as what is wrong with it lies in the options alone.
bool CompileOptionReader::checkTarget(Session &session) {
  codegen::TargetOptions &target = options_.target;
  target.optLevel = options_.shared.optLevel;
  if (target.triple.empty() && target.cpu.empty() && sanitizers_.empty())
    return true;
  target.tripleAt = session.findValue("--target", target.triple);
  target.cpuAt = session.findValue("--mcpu", target.cpu);
  options_.sanitizers.at = session.find("--sanitize");
  if (pipeline::supports(target, options_.sanitizers, session.diagnostics()))
    return true;
  session.blameCommandLine();
  return false;
}

bool CompileOptionReader::finish(Session &session) {
  const bool sanitizersFine = readSanitizers(session), targetFine = sanitizersFine && checkTarget(session);
  std::optional<size_t> emit = readChoice(session, "--emit", emit_, kEmitNames);
  if (emit)
    options_.emit = static_cast<Emit>(*emit);
  const std::optional<size_t> visibility = readChoice(session, "--visibility", visibility_, {"hidden", "default"});
  options_.isVisible = visibility == 1;
  bool needsDepfile = !options_.depfile.empty() || !options_.depfileTargets.empty() || options_.phonyTargets;
  if (needsDepfile && !options_.writeDepfile) {
    const char *given = !options_.depfile.empty() ? "-MF" : !options_.depfileTargets.empty() ? "-MT" : "-MP";
    session.usage(kDepfileOption, session.find(given), std::string(given) + " does nothing without -MD")
        .advise("add -MD");
    return false;
  }
  return emit.has_value() && visibility.has_value() && targetFine;
}

std::optional<OutputPaths> outputPaths(Session &session, const CompileCommandOptions &options) {
  OutputPaths paths;
  paths.output = options.output;
  if (paths.output.empty() && isBinaryOrAssembly(options.emit)) {
    std::string stem = options.shared.kernel == "-" ? options.shared.name : kernelStem(options.shared);
    paths.output = stem + suffixOf(options.emit);
  } else if (paths.output.empty()) {
    paths.output = "-";
  }
  paths.header = options.header;
  if (paths.header.empty() && isBinaryOrAssembly(options.emit) && hasNeighbours(paths.output))
    paths.header = withSuffix(paths.output, ".h");
  if (options.writeDepfile) {
    if (!hasNeighbours(paths.output) && (options.depfile.empty() || options.depfileTargets.empty())) {
      session.usage(kDepfileOption, session.find("-MD"), "-MD cannot be derived from an output that is no file")
          .advise("name the output with -o, or give both -MF and -MT");
      return std::nullopt;
    }
    if (options.depfileTargets.empty() && !mayBeTarget(paths.output)) {
      session.usage(kDepfileOption, session.find("-MD"), "no makefile can name the target '" + paths.output + "'")
          .advise("name the output without ';', '=', '|' and '%', or give the target as your build tool writes it with "
                  "-MT");
      return std::nullopt;
    }
    paths.depfile = options.depfile.empty() ? withSuffix(paths.output, ".d") : options.depfile;
  }
  const std::string *all[] = {&paths.output, &paths.header, &paths.depfile};
  for (int first = 0; first < 3; ++first)
    for (int second = first + 1; second < 3; ++second)
      if (!all[first]->empty() && !all[second]->empty() && sameFile(*all[first], *all[second])) {
        session.usage(kOutputPath, session.find(*all[first]), "two outputs would be written to '" + *all[first] + "'")
            .advise("name them apart with -o, --header and -MF");
        return std::nullopt;
      }
  return paths;
}

} // namespace spc::driver
