// Completions for shells: which options a subcommand has, and which values these take.

#include "driver/shell/manual.h"

#include "format/builtin_formats.h"

namespace spc::driver {

namespace {

constexpr std::string_view kFormat = "FORMAT"; // a value that names a format or a file

std::string joined(const std::vector<std::string> &words, const char *between = " ") {
  std::string text;
  for (const std::string &word : words)
    text += (text.empty() ? "" : between) + word;
  return text;
}

/// "compile", as it is typed.
std::string verb(const CommandHelp &command) {
  return command.name.substr(command.name.find(' ') + 1);
}

std::vector<std::string> verbs(const std::vector<CommandHelp> &commands) {
  std::vector<std::string> names;
  for (const CommandHelp &command : commands)
    names.push_back(verb(command));
  return names;
}

std::vector<std::string> formatNames() {
  std::vector<std::string> names;
  for (const format::BuiltinFormat &format : format::builtinFormats())
    names.emplace_back(format.name);
  return names;
}

/// The values that an option may have, as far as they are words.
std::vector<std::string> words(const OptionHelp &option) {
  return option.value == kFormat ? formatNames() : option.choices;
}

bool takesFile(const OptionHelp &option) {
  return option.value == kFormat || option.value.ends_with("FILE");
}

bool takesFolder(const OptionHelp &option) {
  return option.value == "DIR";
}

/// Single-quoted text of a shell in which `quote` stands for a quote inside of it.
std::string quoted(const std::string &text, const char *quote) {
  std::string result = "'";
  for (char c : text)
    result += c == '\'' ? std::string(quote) : std::string(1, c);
  return result + "'";
}

/// Every spelling of the options of a command; those whose values are attached, with each of these.
std::vector<std::string> bashOptions(const std::vector<OptionHelp> &options) {
  std::vector<std::string> names;
  for (const OptionHelp &option : options) {
    if (option.positional)
      continue;
    for (const std::string &name : option.names)
      if (!option.isAttached())
        names.push_back(name);
    for (const std::string &choice : option.isAttached() ? option.choices : std::vector<std::string>())
      names.push_back(option.names.front() + choice);
  }
  return names;
}

std::string bashValues(const CommandHelp &command, const OptionHelp &option) {
  std::string patterns;
  for (const std::string &name : option.names)
    patterns += (patterns.empty() ? "" : " | ") + ("'" + verb(command) + " " + name + "'");
  std::string text = "  " + patterns + ")";
  if (const std::vector<std::string> values = words(option); !values.empty())
    text += " words='" + joined(values) + "'";
  text += text.ends_with(')') ? " files=" : "; files=";
  return text + (takesFile(option) ? "-f" : takesFolder(option) ? "-d" : "") + " ;;\n";
}

/// What stands without an option's name: files, and words where it has some.
std::string bashArguments(const CommandHelp &command) {
  std::vector<std::string> values;
  for (const OptionHelp &option : command.options)
    if (option.positional)
      values = words(option);
  return values.empty() ? "" : "    '0 " + verb(command) + " '*) words='" + joined(values) + "' ;;\n";
}

/// `*` before what may be given more than once, else the other spellings, which it excludes.
std::string zshPrefix(const OptionHelp &option) {
  if (option.repeatable)
    return "*";
  return option.names.size() > 1 ? "(" + joined(option.names) + ")" : "";
}

std::string zshText(const std::string &text) {
  std::string escaped;
  for (char c : text)
    escaped += std::string(c == '[' || c == ']' || c == ':' || c == '\\' ? "\\" : "") + c;
  return escaped;
}

/// What follows an option's text: the name of its value, and what completes it.
std::string zshAction(const OptionHelp &option) {
  if (option.value.empty())
    return "";
  std::string action = " ";
  if (option.value == kFormat)
    action = "_spc_formats";
  else if (!option.choices.empty())
    action = "(" + joined(option.choices) + ")";
  else if (takesFile(option) || takesFolder(option))
    action = takesFolder(option) ? "_files -/" : "_files";
  return ":" + zshText(option.value) + ":" + action;
}

std::string zshOption(const OptionHelp &option) {
  if (option.positional)
    return "";
  std::string text;
  for (const std::string &name : option.names) {
    const char *value = option.value.empty() ? "" : option.isAttached() ? "-" : name.starts_with("--") ? "=" : "+";
    text += " \\\n      " +
            quoted(zshPrefix(option) + name + value + "[" + zshText(option.text) + "]" + zshAction(option), "'\\''");
  }
  return text;
}

std::string zshArguments(const CommandHelp &command) {
  std::string action = ":file:_files";
  for (const OptionHelp &option : command.options)
    if (option.positional && !words(option).empty())
      action = zshAction(option);
  return " \\\n      " + quoted("*" + action, "'\\''");
}

std::string fishOption(const std::string &condition, const OptionHelp &option) {
  if (option.positional && words(option).empty())
    return "";
  std::string text = "complete -c spc -n '" + condition + "'";
  if (option.positional)
    return text + " -a '" + joined(words(option)) + "'\n";
  for (const std::string &name : option.names)
    text += name.starts_with("--") ? " -l " + name.substr(2) : (name.size() == 2 ? " -s " : " -o ") + name.substr(1);
  if (!option.value.empty())
    text += takesFile(option) ? " -r -F" : " -x";
  if (const std::vector<std::string> values = words(option); !values.empty())
    text += " -a '" + joined(values) + "'";
  else if (takesFolder(option))
    text += " -a '(__fish_complete_directories)'";
  return text + " -d " + quoted(option.text, "\\'") + "\n";
}

} // namespace

std::string bashCompletion(const std::vector<CommandHelp> &commands) {
  std::string text = R"(# Completion of spc's command line for bash.

_spc() {
  local word=${COMP_WORDS[COMP_CWORD]} at=$((COMP_CWORD - 1)) words= files=-f
  # bash cuts at '=': --fp=strict is three words, --format A=csr four.
  [[ $word == = ]] && { word=; at=$COMP_CWORD; }
  while ((at > 1)) && [[ ${COMP_WORDS[at]} == = ]]; do
    at=$((at - 1))
    [[ ${COMP_WORDS[at]} == -* ]] || at=$((at - 1))
  done
  case "${COMP_WORDS[1]} ${COMP_WORDS[at]}" in
)";
  for (const CommandHelp &command : commands)
    for (const OptionHelp &option : command.options)
      if (!option.positional && !option.value.empty() && !option.isAttached())
        text += bashValues(command, option);
  text += "  *)\n    case \"$((COMP_CWORD == 1)) ${COMP_WORDS[1]} $word\" in\n";
  text += "    1*) words='" + joined(verbs(commands)) + " " + joined(bashOptions(commonOptions())) + "'; files= ;;\n";
  for (const CommandHelp &command : commands)
    text += "    '0 " + verb(command) + " -'*) words='" + joined(bashOptions(command.options)) + "'; files= ;;\n" +
            bashArguments(command);
  return text + R"(    esac
  esac
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word"; [[ -z $files ]] || compgen $files -- "$word")
  [[ -z $files ]] || compopt -o filenames 2>/dev/null
}
complete -F _spc spc
)";
}

std::string fishCompletion(const std::vector<CommandHelp> &commands) {
  std::string text = "# Completion of spc's command line for fish.\n\ncomplete -c spc -n __fish_use_subcommand -f\n";
  for (const CommandHelp &command : commands)
    text +=
        "complete -c spc -n __fish_use_subcommand -a " + verb(command) + " -d " + quoted(command.summary, "\\'") + "\n";
  for (const OptionHelp &option : commonOptions())
    text += fishOption("__fish_use_subcommand", option);
  for (const CommandHelp &command : commands)
    for (const OptionHelp &option : command.options)
      text += fishOption("__fish_seen_subcommand_from " + verb(command), option);
  return text;
}

std::string zshCompletion(const std::vector<CommandHelp> &commands) {
  std::string text =
      "#compdef spc\n# Completion of spc's command line for zsh.\n\n_spc_formats() {\n  _alternative 'names:format:(" +
      joined(formatNames()) + ")' 'files:file:_files'\n}\n\n_spc() {\n  local -a subcommands=(\n";
  for (const CommandHelp &command : commands)
    text += "    " + quoted(verb(command) + ":" + zshText(command.summary), "'\\''") + "\n";
  text += "  )\n  if ((CURRENT == 2)) && [[ $words[2] != -* ]]; then\n    _describe subcommand subcommands\n    "
          "return\n  fi\n" +
          std::string("  local command=$words[2]\n  case $command in\n");
  for (const CommandHelp &command : commands) {
    text += "  " + verb(command) + ")\n    shift words\n    ((CURRENT--))\n    _arguments";
    for (const OptionHelp &option : command.options)
      text += zshOption(option);
    text += zshArguments(command) + "\n    ;;\n";
  }
  text += "  *)\n    _arguments";
  for (const OptionHelp &option : commonOptions())
    text += zshOption(option);
  return text + "\n    ;;\n  esac\n}\n\n_spc \"$@\"\n";
}

} // namespace spc::driver
