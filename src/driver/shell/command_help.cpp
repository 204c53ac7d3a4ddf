#include "driver/shell/command_help.h"

#include "driver/shell/options.h"
#include "support/diagnostic.h"

#include <CLI/CLI.hpp>

#include <sstream>

namespace spc::driver {

namespace {

constexpr char kChoice = '|';

std::vector<std::string> choicesIn(const std::string &value) {
  std::vector<std::string> choices;
  std::istringstream list(value);
  for (std::string choice; value.find(kChoice) != std::string::npos && std::getline(list, choice, kChoice);)
    choices.push_back(choice);
  return choices;
}

/// What -W takes, as WarningOptions reads it.
std::vector<std::string> warningChoices() {
  std::vector<std::string> choices = {"error"};
  for (std::string_view name : WarningOptions::known())
    for (const char *prefix : {"", "no-", "error=", "no-error="})
      choices.push_back(prefix + std::string(name));
  for (std::string_view name : WarningOptions::knownNotes())
    for (const char *prefix : {"", "no-"})
      choices.push_back(prefix + std::string(name));
  return choices;
}

OptionHelp helpOf(const CLI::Option &option) {
  OptionHelp help;
  help.positional = option.get_positional();
  if (help.positional)
    help.names = {option.get_name(true)};
  for (const std::string &name : option.get_snames())
    help.names.push_back("-" + name);
  for (const std::string &name : option.get_lnames())
    help.names.push_back(oneDash("--" + name));
  if (option.get_items_expected_max() > 0)
    help.value = option.get_type_name();
  help.text = option.get_description();
  help.choices = help.names.front() == "-W" ? warningChoices() : choicesIn(help.value);
  help.repeatable = option.get_expected_max() > 1;
  return help;
}

} // namespace

bool OptionHelp::isAttached() const {
  return !positional && !value.empty() && names.size() == 1 && names.front().size() == 2 && !choices.empty();
}

const std::vector<OptionHelp> &commonOptions() {
  static const std::vector<OptionHelp> options = {
      {{"-h", "--help"}, "", "Print this help; 'spc SUBCOMMAND --help' prints a subcommand's", {}},
      {{"--version"}, "", "Print the version", {}},
      {{"--write-manual"},
       "DIR",
       "Write manual pages and completions for bash, fish and zsh, as they lie in /usr/share",
       {}},
  };
  return options;
}

const std::vector<OptionHelp> &environmentVariables() {
  static const std::vector<OptionHelp> variables = {
      {{"SPC_FORMAT_PATH"}, "", "Folders in which formats are found by name, after those of --format-path", {}},
      {{"NO_COLOR"}, "", "Where it is set, diagnostics have no colours unless --color=always asks for them", {}},
  };
  return variables;
}

const char *exitCodes() {
  return "0, all is well; 1, the input is wrong; 2, the command line is wrong; 70, a bug of spc. Unless spc exits with "
         "0, "
         "no output file is written or changed.";
}

CommandHelp helpOf(const CLI::App &app) {
  CommandHelp help = {app.get_name(), app.get_description(), {}};
  for (const bool positional : {true, false})
    for (const CLI::Option *option : app.get_options())
      if (option->get_positional() == positional && !option->get_group().empty()) // of no group: hidden
        help.options.push_back(helpOf(*option));
  return help;
}

} // namespace spc::driver
