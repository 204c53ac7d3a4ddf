// Command lines: the options that subcommands share, and how any command line is read. CLI11 is used in this stage
// only.
#pragma once

#include "driver/shell/session.h"

#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace spc::driver {

/// The options that every subcommand which reads a kernel takes.
struct SharedOptions {
  std::string kernel; ///< path, or "-" for standard input
  std::vector<std::string> formats;
  std::vector<std::string> formatFolders;
  std::vector<std::string> types;      ///< [NAME=]TYPE
  std::vector<std::string> indexTypes; ///< [TENSOR=]TYPE
  std::string name;
  std::string function; ///< of a module
  int optLevel = 3;
  bool strictFp = false;
  bool allowsFast = false; ///< --fp says that floats may be added up in any order, whatever the kernel comes from
  bool distributes = false;
  bool asWritten = false; ///< no sum of a product is taken before the others
  std::optional<size_t>
      alternative; ///< the plan, from 0, that is compiled alone where calls would choose among several
  bool dropZeros = false;
  bool checked = false;
  bool verbose = false;
  bool quiet = false;
  bool timePasses = false;
  bool verify = false; ///< the plan, and MLIR's operations after each pass
};

/// Declares the shared options on `app`; their values land in the object, `finish` checks them.
class SharedOptionReader {
public:
  SharedOptionReader(CLI::App &app, SharedOptions &options);

  /// After parsing: checks choices, applies -W options to the session, turns on the log and progress. False with usage
  /// errors reported.
  bool finish(Session &session);

private:
  SharedOptions &options_;
  std::vector<std::string> warnings_;
  std::string diagnostics_ = "text";
  std::string color_ = "auto";
  std::string fp_ = "fast";
  bool isFpGiven_ = false;
  std::string plan_ = "auto";
};

/// Declares an option that takes one value each time it is given; `type` names it in the help.
void addRepeatable(CLI::App &app, const std::string &name, std::vector<std::string> &values, const std::string &help,
                   const std::string &type);

/// Declares --format-path.
void addFormatFolders(CLI::App &app, std::vector<std::string> &folders);

/// `--MD` as the user knows it, `-MD`.
std::string oneDash(const std::string &option);

/// Reads the session's arguments into what `app` declares. Options spelled with one dash and several letters (-MD, -MF,
/// -MT, -MP, -fPIC) are declared with two. An exit code when spc is done, because help was asked for or the command
/// line is wrong (reported, with the nearest option's name), or only what is declared was wanted; nullopt to go on.
std::optional<int> readCommandLine(CLI::App &app, Session &session);

/// The position of `value` in `choices`; nullopt with a usage error that names the nearest one.
std::optional<size_t> readChoice(Session &session, const std::string &option, const std::string &value,
                                 const std::vector<std::string> &choices);

} // namespace spc::driver
