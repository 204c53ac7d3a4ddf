#include "driver/shell/options.h"

#include "driver/shell/command_help.h"
#include "driver/shell/foreign_options.h"
#include "driver/shell/version.h"
#include "host/log.h"
#include "sema/alternatives.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>

namespace spc::driver {

namespace {

constexpr DiagnosticKind kUnknownOption{"unknown-option", Severity::Error};
constexpr DiagnosticKind kUnknownChoice{"unknown-choice", Severity::Error};
constexpr DiagnosticKind kUnknownWarning{"unknown-warning", Severity::Error};
constexpr DiagnosticKind kUsage{"usage", Severity::Error};

/// Options of compilers' tradition that CLI11 cannot declare: it reads -MD as -M with the value D.
constexpr std::array<std::string_view, 5> kOneDash = {"-MD", "-MP", "-fPIC", "-MF", "-MT"};
constexpr size_t kFirstWithValue = 3;
constexpr size_t kMostExtras = 20; // mistaken arguments that are reported, each with the whole command line

/// `-MFfile` as `--MF=file` and the like.
std::string twoDashes(const std::string &argument) {
  for (size_t k = 0; k < kOneDash.size(); ++k) {
    if (argument == kOneDash[k])
      return "-" + argument;
    if (k >= kFirstWithValue && argument.starts_with(kOneDash[k])) {
      std::string value = argument.substr(kOneDash[k].size());
      return "-" + std::string(kOneDash[k]) + (value.starts_with('=') ? value : "=" + value);
    }
  }
  return argument;
}

/// An empty argument is no name, path or number: more likely a variable of a script that is not set. CLI11 takes the
/// next argument for the value of `--name=`.
bool refuseEmpty(Session &session, const std::vector<std::string> &arguments) {
  for (size_t k = 0; k < arguments.size(); ++k) {
    const std::string &argument = arguments[k];
    if (argument.empty() && k > 0)
      session.usage(kUsage, session.find(arguments[k - 1]), "the argument after '" + arguments[k - 1] + "' is empty");
    else if (argument.empty())
      session.usage(kUsage, {}, "the first argument is empty");
    else if (argument.starts_with('-') && argument.find('=') == argument.size() - 1)
      session.usage(kUsage, session.find(argument), "'" + argument + "' lacks a value");
  }
  return session.failed();
}

class HelpFormatter : public CLI::Formatter {
public:
  HelpFormatter() { column_width(34); }

  std::string make_option_name(const CLI::Option *option, bool isPositional) const override {
    std::string name = CLI::Formatter::make_option_name(option, isPositional);
    return isPositional ? name : oneDash(name);
  }
};

std::vector<std::string> optionNames(const CLI::App &app) {
  std::vector<std::string> names;
  for (const CLI::Option *option : app.get_options()) {
    for (const std::string &name : option->get_lnames())
      names.push_back(oneDash("--" + name));
    for (const std::string &name : option->get_snames())
      names.push_back("-" + name);
  }
  return names;
}

/// The option that begins like the given one, where it alone does, else the nearest one.
std::optional<std::string> likelyOption(const std::string &option, const std::vector<std::string> &names) {
  constexpr size_t kTelling = 4; // `--t` begins too many
  const auto continues = [&](const std::string &name) { return name.starts_with(option); };
  if (option.size() >= kTelling && std::count_if(names.begin(), names.end(), continues) == 1)
    return *std::find_if(names.begin(), names.end(), continues);
  return didYouMean(option, names);
}

void reportExtra(CLI::App &app, Session &session, const std::string &extra) {
  Span where = session.find(extra);
  std::string help = "run '" + app.get_name() + " --help' for a list of options";
  if (!extra.starts_with('-') || extra == "-") {
    session.usage(kUsage, where, "there is nothing for the argument '" + extra + "' to be").advise(help);
    return;
  }
  size_t equals = extra.find('=');
  std::string option = extra.substr(0, equals);
  Diagnostic &diagnostic = session.usage(kUnknownOption, where, "unknown option '" + option + "'");
  const std::vector<std::string> known = optionNames(app);
  if (adviseForeignOption(extra, where, known, diagnostic))
    return;
  if (std::optional<std::string> near = likelyOption(option, known)) {
    diagnostic.advise("did you mean '" + *near + "'?").fix(partOf(where, 0, option.size()), *near);
  } else {
    diagnostic.advise(help);
  }
}

std::string listOf(const std::vector<std::string_view> &names) {
  std::string list;
  for (std::string_view name : names)
    list += (list.empty() ? "" : ", ") + std::string(name);
  return list;
}

bool isNoteAsError(std::string_view option) {
  option.remove_prefix(option.starts_with("no-") ? 3 : 0);
  const auto &notes = WarningOptions::knownNotes();
  return option.starts_with("error=") && std::find(notes.begin(), notes.end(), option.substr(6)) != notes.end();
}

void reportUnknownWarning(Session &session, const std::string &option) {
  Diagnostic &diagnostic =
      session.usage(kUnknownWarning, session.find("-W" + option), "unknown warning option '-W" + option + "'");
  if (isNoteAsError(option)) {
    diagnostic.advise("a note is no error; -Wno-" + option.substr(option.find('=') + 1) + " turns it off");
    return;
  }
  std::vector<std::string> candidates = {"error"};
  for (std::string_view name : WarningOptions::known())
    for (const char *prefix : {"", "no-", "error=", "no-error="})
      candidates.push_back(prefix + std::string(name));
  for (std::string_view name : WarningOptions::knownNotes())
    for (const char *prefix : {"", "no-"})
      candidates.push_back(prefix + std::string(name));
  if (option == "all" || option == "extra" || option == "everything")
    diagnostic.advise("leave it out: all warnings are on; -Wno-NAME turns one off, -Werror makes errors of them");
  else if (std::optional<std::string> near = didYouMean(option, candidates))
    diagnostic.advise("did you mean '-W" + *near + "'?");
  else
    diagnostic.advise("known warnings: " + listOf(WarningOptions::known()) +
                      "; known notes: " + listOf(WarningOptions::knownNotes()));
}

/// As the command line spells an option of which CLI11 gives the long name.
std::string asGiven(const CLI::App &app, const Session &session, const std::string &option) {
  const CLI::Option *known = app.get_option_no_throw(option);
  if (known != nullptr && !session.find(option))
    for (const std::string &shorter : known->get_snames())
      if (session.find("-" + shorter))
        return "-" + shorter;
  return oneDash(option);
}

/// A number out of range, which may be several arguments that a script gave as one, or -Ofast.
void reportRange(Session &session, const std::string &option, const std::string &value, const std::string &range,
                 const std::string &otherwise) {
  Diagnostic &diagnostic = session.usage(kUsage, session.find(option),
                                         option + " takes a whole number from " + range + ", not '" + value + "'");
  if (const size_t blank = value.find(' '); blank != std::string::npos && value.find('-', blank) != std::string::npos)
    diagnostic.advise("these are several arguments, which were given as one: quote each by itself");
  else if (option == "-O" && value == "fast")
    diagnostic.advise("write -O3; --fp=fast is the default");
  else
    diagnostic.advise(otherwise);
}

/// What CLI11 finds wrong, in this program's words.
void reportParseError(const CLI::App &app, Session &session, const CLI::ParseError &error) {
  constexpr std::string_view kRequired = " is required";
  std::string message = error.what();
  const size_t colon = std::min(message.find(':'), message.size());
  const std::string option = message.starts_with('-') ? asGiven(app, session, message.substr(0, colon)) : "";
  if (!option.empty()) {
    constexpr std::string_view kValue = ": Value ", kRange = " not in range ";
    const std::string wrong = message.substr(colon);
    const size_t range = wrong.find(kRange);
    if (wrong.starts_with(": At Most 1 "))
      message = "'" + option + "' is given more than once";
    else if (wrong.ends_with(" missing"))
      message = "'" + option + "' lacks a value";
    else if (wrong.starts_with(kValue) && range != std::string::npos)
      return reportRange(session, option, wrong.substr(kValue.size(), range - kValue.size()),
                         wrong.substr(range + kRange.size()), "run '" + app.get_name() + " --help'");
    else
      message = option + wrong;
  } else if (message.ends_with(kRequired)) {
    message = "no " + message.substr(0, message.size() - kRequired.size()) + " are given";
  }
  session.usage(kUsage, session.find(option), message).advise("run '" + app.get_name() + " --help'");
}

} // namespace

std::string oneDash(const std::string &option) {
  bool known = std::find(kOneDash.begin(), kOneDash.end(), option.substr(0, 1) == "-" ? option.substr(1) : option) !=
               kOneDash.end();
  return known ? option.substr(1) : option;
}

void addRepeatable(CLI::App &app, const std::string &name, std::vector<std::string> &values, const std::string &help,
                   const std::string &type) {
  app.add_option(name, values, help)->type_name(type)->allow_extra_args(false);
}

void addFormatFolders(CLI::App &app, std::vector<std::string> &folders) {
  addRepeatable(app, "--format-path", folders, "Folder in which formats are found by name; repeatable", "DIR");
}

SharedOptionReader::SharedOptionReader(CLI::App &app, SharedOptions &options) : options_(options) {
  app.add_option("kernel", options.kernel, "Kernel file, or - for standard input")->type_name("");
  addRepeatable(app, "--format", options.formats,
                "How tensors are stored: [TENSOR=]NAME or [TENSOR=]FILE.json, with modes as in csf:2,0,1; repeatable",
                "FORMAT");
  addFormatFolders(app, options.formatFolders);
  addRepeatable(app, "--type", options.types,
                "Value types: T=f32 of a type parameter, A=i8 of a tensor, f32 of all whose type nothing else says; "
                "repeatable",
                "[NAME=]TYPE");
  addRepeatable(app, "--index", options.indexTypes,
                "Pointers and indices of all formats that are bound, or of one tensor: u8, u16, i32 or i64; repeatable",
                "[TENSOR=]TYPE");
  app.add_option("--name", options.name, "Name of the function (default: the kernel file's stem)")->type_name("NAME");
  app.add_option("--function", options.function,
                 "Function of an MLIR module that is the kernel (default: the only one)")
      ->type_name("NAME");
  app.add_option("-O", options.optLevel, "Optimisation level (default: 3)")
      ->check(CLI::Range(0, 3).description(""))
      ->type_name("0|1|2|3");
  app.add_option(
         "--fp", fp_,
         "Floating point: 'fast' reassociates sums and contracts, 'strict' does not, 'distribute' also multiplies out "
         "sums that may cancel (default: fast; of an MLIR module strict, unless its operations have fastmath<reassoc>)")
      ->each([this](const std::string &) { isFpGiven_ = true; })
      ->type_name("fast|strict|distribute");
  app.add_option(
         "--plan", plan_,
         "Products of several factors: 'auto' (default) takes sums first that save steps, in calls that choose by "
         "their sizes where these decide, 'as-written' takes all at once and runs each statement for itself, a number "
         "is the only plan that is compiled")
      ->type_name("auto|as-written|N");
  app.add_flag("--drop-zeros", options.dropZeros,
               "Leave elements that come out as 0 out of outputs that the kernel assembles");
  app.add_flag("--checked", options.checked,
               "Check the contents of all index arrays, and that arguments do not overlap, at each call");
  addRepeatable(app, "-W", warnings_, "-WNAME, -Wno-NAME, -Werror, -Werror=NAME: choose warnings and notes; repeatable",
                "NAME");
  app.add_option("--diagnostics", diagnostics_, "Diagnostics as 'text' (default) or 'json', one object a line")
      ->type_name("text|json");
  app.add_option("--color", color_, "Colour diagnostics: 'auto' (default), 'always' or 'never'")
      ->type_name("auto|always|never");
  app.add_flag("--time-passes", options.timePasses, "Say on standard error what takes how long");
  // For reports of bugs, and for tests.
  app.add_flag("--verify", options.verify, "Verify the plan, and what each pass leaves")->group("");
  app.add_flag("-q,--quiet", options.quiet, "Leave notes and progress out: say only what is or may be wrong");
  app.add_flag("-v,--verbose", options.verbose, "Say on standard error what is done");
  app.set_version_flag("--version", versionText(), "Print the version");
}

bool SharedOptionReader::finish(Session &session) {
  readChoice(session, "--diagnostics", diagnostics_, {"text", "json"});
  readChoice(session, "--color", color_, {"auto", "always", "never"});
  if (std::optional<size_t> mode = readChoice(session, "--fp", fp_, {"fast", "strict", "distribute"})) {
    options_.strictFp = *mode == 1;
    options_.allowsFast = isFpGiven_ && *mode != 1;
    options_.distributes = *mode == 2;
  }
  const std::vector<std::string> plans{"auto", "as-written", "1", "2", "3", "4"};
  static_assert(sema::kMostAlternatives == 4);
  if (std::optional<size_t> plan = readChoice(session, "--plan", plan_, plans)) {
    options_.asWritten = *plan == 1;
    options_.alternative = *plan < 2 ? std::nullopt : std::optional(*plan - 2);
  }
  WarningOptions warnings;
  warnings.setQuiet(options_.quiet);
  for (const std::string &option : warnings_)
    if (!warnings.apply(option))
      reportUnknownWarning(session, option);
  if (options_.kernel.empty() && !session.failed())
    session.usage(kUsage, {}, "no kernel file is given").advise("give its path, or - for standard input");
  if (session.failed())
    return false;
  session.setWarnings(std::move(warnings));
  if (options_.verbose)
    host::enableLog();
  if (!options_.quiet)
    session.showProgress();
  return true;
}

std::optional<int> readCommandLine(CLI::App &app, Session &session) {
  app.allow_extras();
  app.formatter(std::make_shared<HelpFormatter>());
  if (CommandHelp *help = session.wantedHelp()) {
    *help = helpOf(app);
    return host::kFine;
  }
  std::vector<std::string> arguments = session.arguments();
  if (refuseEmpty(session, arguments))
    return session.finish();
  std::transform(arguments.begin(), arguments.end(), arguments.begin(), twoDashes);
  std::reverse(arguments.begin(), arguments.end());
  try {
    app.parse(std::move(arguments));
  } catch (const CLI::CallForHelp &) {
    return session.print(app.help());
  } catch (const CLI::CallForVersion &version) {
    return session.print(std::string(version.what()) + "\n");
  } catch (const CLI::ParseError &error) {
    reportParseError(app, session, error);
    return session.finish();
  }
  bool mayBeValue = false; // of the unknown option before it, which is the one mistake then
  std::vector<std::string> extras = app.remaining();
  extras.resize(std::min(extras.size(), kMostExtras));
  for (const std::string &extra : extras) {
    const bool isOption = extra.starts_with('-') && extra != "-";
    if (extra != "--" && (isOption || !mayBeValue))
      reportExtra(app, session, oneDash(extra));
    mayBeValue = isOption && extra.find('=') == std::string::npos;
  }
  return session.failed() ? std::optional<int>(session.finish()) : std::nullopt;
}

std::optional<size_t> readChoice(Session &session, const std::string &option, const std::string &value,
                                 const std::vector<std::string> &choices) {
  auto found = std::find(choices.begin(), choices.end(), value);
  if (found != choices.end())
    return static_cast<size_t>(found - choices.begin());
  std::string list;
  for (const std::string &choice : choices)
    list += (list.empty() ? "" : ", ") + choice;
  Span where = session.find(option + "=" + value);
  Diagnostic &diagnostic = session.usage(kUnknownChoice, where ? where : session.find(value),
                                         option + " knows no '" + value + "'; it takes one of " + list);
  if (std::optional<std::string> near = didYouMean(value, choices))
    diagnostic.advise("did you mean '" + *near + "'?");
  return std::nullopt;
}

} // namespace spc::driver
