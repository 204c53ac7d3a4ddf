#include "driver/shell/manual.h"

#include "support/output_file.h"

#include <cctype>
#include <filesystem>

namespace spc::driver {

namespace {

/// Text as man shows it: '-' is one that can be copied, nothing is a request.
std::string roff(const std::string &text) {
  std::string escaped;
  for (char c : text) {
    if (c == '\\')
      escaped += "\\e";
    else if (c == '-')
      escaped += "\\-";
    else if (c == '\'')
      escaped += "\\(aq";
    else
      escaped += c;
  }
  return escaped.starts_with('.') ? "\\&" + escaped : escaped;
}

std::string bold(const std::string &text) {
  return "\\fB" + roff(text) + "\\fR";
}

std::string italic(const std::string &text) {
  return "\\fI" + roff(text) + "\\fR";
}

/// "spc-compile", the page's name.
std::string pageName(const CommandHelp &command) {
  std::string name = command.name;
  for (char &c : name)
    c = c == ' ' ? '-' : c;
  return name;
}

std::string header(const std::string &name, const std::string &summary) {
  std::string upper = name;
  for (char &c : upper)
    c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return ".TH " + upper + " 1 \"\" \"spc " SPC_VERSION "\" \"User Commands\"\n.SH NAME\n" + roff(name) + " \\- " +
         roff(summary) + "\n";
}

/// "Compile a kernel" as "compile a kernel".
std::string lowered(std::string text) {
  if (!text.empty())
    text[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(text[0])));
  return text;
}

std::string entry(const OptionHelp &option) {
  std::string text = ".TP\n";
  for (const std::string &name : option.names)
    text += (&name == &option.names.front() ? "" : ", ") + (option.positional ? italic(name) : bold(name));
  if (!option.value.empty() && !option.positional)
    text += (option.isAttached() ? "" : " ") + italic(option.value);
  return text + "\n" + roff(option.text) + ".\n";
}

std::string entries(const std::string &title, const std::vector<OptionHelp> &options, bool positional = false) {
  std::string text;
  for (const OptionHelp &option : options)
    if (option.positional == positional)
      text += entry(option);
  return text.empty() ? "" : ".SH " + title + "\n" + text;
}

std::string footer(const std::string &own, const std::vector<CommandHelp> &commands) {
  std::string text = ".SH EXIT STATUS\n" + roff(exitCodes()) + "\n" + entries("ENVIRONMENT", environmentVariables()) +
                     ".SH SEE ALSO\n";
  std::string list = own == "spc" ? "" : bold("spc") + "(1)";
  for (const CommandHelp &command : commands)
    if (pageName(command) != own)
      list += (list.empty() ? "" : ", ") + bold(pageName(command)) + "(1)";
  return text + list +
         "\n.PP\nKernels, formats and the C interface are described in the documentation that comes with spc, " +
         "in docs/language.md, docs/formats.md and docs/abi.md.\n";
}

} // namespace

std::string mainPage(const std::vector<CommandHelp> &commands) {
  std::string text =
      header("spc", "an ahead-of-time compiler for sparse tensor kernels") + ".SH SYNOPSIS\n" + bold("spc") + " " +
      italic("subcommand") + " [" + italic("options") + "]\n.SH DESCRIPTION\n" +
      "spc turns a kernel in index notation and a description of how its tensors are stored into an object "
      "file and a C header, which any C or C++ program links.\n.SH SUBCOMMANDS\n";
  for (const CommandHelp &command : commands)
    text += ".TP\n" + bold(command.name) + "\n" + roff(command.summary) + ". See " + bold(pageName(command)) + "(1).\n";
  return text + entries("OPTIONS", commonOptions()) + footer("spc", commands);
}

std::string commandPage(const CommandHelp &command, const std::vector<CommandHelp> &commands) {
  std::string text = header(pageName(command), lowered(command.summary)) + ".SH SYNOPSIS\n" + bold(command.name) +
                     " [" + italic("options") + "]";
  for (const OptionHelp &option : command.options)
    if (option.positional)
      text += " " + italic(option.names.front()) + (option.repeatable ? " ..." : "");
  return text + "\n.SH DESCRIPTION\n" + roff(command.summary) + ".\n" + entries("ARGUMENTS", command.options, true) +
         entries("OPTIONS", command.options) + footer(pageName(command), commands);
}

int writeManual(Session &session, const std::string &folder, const std::vector<CommandHelp> &commands) {
  const std::filesystem::path root = folder;
  const std::filesystem::path pages = root / "man" / "man1";
  OutputSet outputs;
  const auto add = [&](const std::filesystem::path &path, std::string text) {
    std::error_code seenWhenWriting;
    std::filesystem::create_directories(path.parent_path(), seenWhenWriting);
    outputs.add(path.string(), std::move(text));
  };
  add(pages / "spc.1", mainPage(commands));
  for (const CommandHelp &command : commands)
    add(pages / (pageName(command) + ".1"), commandPage(command, commands));
  add(root / "bash-completion" / "completions" / "spc", bashCompletion(commands));
  add(root / "fish" / "vendor_completions.d" / "spc.fish", fishCompletion(commands));
  add(root / "zsh" / "site-functions" / "_spc", zshCompletion(commands));
  outputs.commit(session.diagnostics());
  return session.finish();
}

} // namespace spc::driver
