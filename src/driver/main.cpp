#include "driver/crash_guard.h"
#include "driver/standard_files.h"
#include "driver/subcommands.h"
#include "driver/version.h"

#include <array>
#include <exception>

namespace spc::driver {

namespace {

constexpr DiagnosticKind kUnknownSubcommand{"unknown-subcommand", Severity::Error};

constexpr size_t kNameColumn = 11;

struct Subcommand {
  const char *name;
  const char *summary;
  int (*run)(Session &);
};

constexpr std::array<Subcommand, 3> kSubcommands = {{
    {"compile", "Compile a kernel to an object file and a C header", compileCommand},
    {"run", "Compile a kernel into memory and run it on tensor files", runCommand},
    {"formats", "List storage formats, or show one with its C struct and an example", formatsCommand},
}};

std::string helpText() {
  std::string text = versionText() + ": an ahead-of-time compiler for sparse tensor kernels\n\n" +
                     "Usage: spc SUBCOMMAND [options]\n\nSubcommands:\n";
  for (const Subcommand &subcommand : kSubcommands) {
    const std::string name = subcommand.name;
    text += "  " + name + std::string(kNameColumn - name.size(), ' ') + subcommand.summary + "\n";
  }
  return text + "\nOptions:\n  -h,--help  Print this help; 'spc SUBCOMMAND --help' prints a subcommand's\n" +
         "  --version  Print the version\n";
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
  return kInternalError;
}
