// The one text on a command behind --help, manual pages and completions.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace spc::driver {

struct OptionHelp {
  std::vector<std::string> names; ///< as typed: "-o", "--output", "-MD"; of a positional argument its name alone
  std::string value; ///< what it takes, as help calls it: "FILE", "text|json"; empty where it takes nothing
  std::string text;
  std::vector<std::string> choices; ///< the values that it takes, where these are a list
  bool positional = false;
  bool repeatable = false;

  /// Whether the value may only be attached, as in -O3 and -Wno-unused.
  bool isAttached() const;
};

struct CommandHelp {
  std::string name; ///< "spc compile", or "spc" alone
  std::string summary;
  std::vector<OptionHelp> options;
};

/// The options of spc as a whole, without a subcommand.
const std::vector<OptionHelp> &commonOptions();

/// The environment variables that spc reads, and what they do.
const std::vector<OptionHelp> &environmentVariables();

/// How spc exits, in a line.
const char *exitCodes();

/// The declarations on `app`, positional arguments first.
CommandHelp helpOf(const CLI::App &app);

} // namespace spc::driver
