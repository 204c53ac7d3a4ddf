#include "driver/shell/crash_guard.h"
#include "driver/shell/manual.h"
#include "driver/shell/standard_files.h"
#include "driver/shell/subcommands.h"
#include "driver/shell/version.h"

#include <array>
#include <exception>

namespace spc::driver {

namespace {

constexpr DiagnosticKind kManualFolder{"usage", Severity::Error};
constexpr DiagnosticKind kUnknownSubcommand{"unknown-subcommand", Severity::Error};

constexpr size_t kNameColumn = 11;
constexpr size_t kOptionColumn = 22;
constexpr std::string_view kWriteManual = "--write-manual";

struct Subcommand {
  const char *name;
  const char *summary;
  int (*run)(Session &);
};

constexpr std::array<Subcommand, 9> kSubcommands = {{
    {"compile", "Compile a kernel to an object file and a C header", compileCommand},
    {"run", "Compile a kernel into memory and run it on tensor files", runCommand},
    {"tune", "Search formats, orders and schedules that make a kernel fast on given data", tuneCommand},
    {"grad", "Write the derivative of a kernel as a kernel", gradCommand},
    {"explain", "Say what a kernel's loops are and cost, or what a diagnostic means", explainCommand},
    {"partition", "Say what processes have and exchange that divide a kernel's data", partitionCommand},
    {"formats", "List storage formats, or show one with its C struct and an example", formatsCommand},
    {"inspect", "Show the signatures of the kernels in an object or a library", inspectCommand},
    {"library", "Make one library and one header of kernels that were compiled singly", libraryCommand},
}};

std::string helpText() {
  std::string text = versionText() + ": an ahead-of-time compiler for sparse tensor kernels\n\n" +
                     "Usage: spc SUBCOMMAND [options]\n\nSubcommands:\n";
  for (const Subcommand &subcommand : kSubcommands) {
    const std::string name = subcommand.name;
    text += "  " + name + std::string(kNameColumn - name.size(), ' ') + subcommand.summary + "\n";
  }
  text += "\nOptions:\n";
  for (const OptionHelp &option : commonOptions()) {
    std::string names;
    for (const std::string &name : option.names)
      names += (names.empty() ? "  " : ",") + name;
    names += (option.value.empty() ? "" : " ") + option.value;
    text += names + std::string(kOptionColumn - names.size(), ' ') + option.text + "\n";
  }
  return text + "\nExit codes: " + exitCodes() + "\n";
}

/// What each subcommand takes.
std::vector<CommandHelp> describeSubcommands() {
  std::vector<CommandHelp> commands;
  for (const Subcommand &subcommand : kSubcommands) {
    Session session({"spc", subcommand.name});
    session.wantHelp(commands.emplace_back());
    subcommand.run(session);
  }
  return commands;
}

int manualCommand(Session &session, const std::string &folder) {
  if (!folder.empty())
    return writeManual(session, folder, describeSubcommands());
  session.usage(kManualFolder, {}, "--write-manual lacks a folder").advise("write --write-manual=DIR");
  return session.finish();
}

int unknownSubcommand(Session &session, const std::string &name) {
  std::vector<std::string> names;
  for (const Subcommand &subcommand : kSubcommands)
    names.push_back(subcommand.name);
  Diagnostic &diagnostic =
      session.usage(kUnknownSubcommand, name.empty() ? Span{} : session.find(name),
                    name.empty() ? "no subcommand is given" : "there is no subcommand '" + name + "'");
  std::optional<std::string> near = didYouMean(name, names);
  diagnostic.advise(near ? "did you mean 'spc " + *near + "'?" : "run 'spc --help' for a list of subcommands");
  return session.finish();
}

int dispatch(int argc, char **argv) {
  Session session({argv, argv + argc});
  std::string name = argc > 1 ? argv[1] : "";
  if (name == "--help" || name == "-h" || name == "help")
    return session.print(helpText());
  if (name == "--version")
    return session.print(versionText() + "\n");
  if (name == kWriteManual)
    return manualCommand(session, argc > 2 ? argv[2] : "");
  if (name.starts_with(std::string(kWriteManual) + "="))
    return manualCommand(session, name.substr(kWriteManual.size() + 1));
  for (const Subcommand &subcommand : kSubcommands)
    if (name == subcommand.name)
      return subcommand.run(session);
  return unknownSubcommand(session, name);
}

} // namespace

} // namespace spc::driver

int main(int argc, char **argv) {
  using namespace spc::driver;
  holdStandardFiles();
  installCrashGuard();
  try {
    return dispatch(argc, argv);
  } catch (const std::exception &error) {
    reportInternalError(error.what());
  } catch (...) {
    reportInternalError("an exception of an unknown type");
  }
  return spc::host::kInternalError;
}
