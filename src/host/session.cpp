#include "host/session.h"

#include "support/output_file.h"
#include "support/render.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <unistd.h>

namespace spc::host {

namespace {

/// The value of `--option VALUE` or `--option=VALUE`, read before the command line is known to be well-formed, so that
/// complaints about it are shown as asked for.
std::string_view peek(const std::vector<std::string> &argv, std::string_view option) {
  for (size_t k = 1; k < argv.size(); ++k) {
    std::string_view argument = argv[k];
    if (argument == option && k + 1 < argv.size())
      return argv[k + 1];
    if (argument.starts_with(option) && argument.substr(option.size()).starts_with('='))
      return argument.substr(option.size() + 1);
  }
  return {};
}

/// Whether standard error is a terminal that takes control sequences.
bool isCapableTerminal() {
  const char *term = std::getenv("TERM");
  return isatty(STDERR_FILENO) && term && std::string_view(term) != "dumb";
}

} // namespace

Session::Session(std::vector<std::string> argv) : argv_(std::move(argv)), progress_(STDERR_FILENO) {
  std::string text;
  for (const std::string &argument : argv_) {
    if (!text.empty())
      text += ' ';
    offsets_.push_back(static_cast<uint32_t>(text.size()));
    text += argument;
  }
  line_ = &sources_.add("<command line>", std::move(text));
  std::string_view color = peek(argv_, "--color");
  color_ = color == "always" || (color != "never" && isCapableTerminal() && !std::getenv("NO_COLOR"));
  json_ = peek(argv_, "--diagnostics") == "json";
}

std::vector<std::string> Session::arguments() const {
  return {argv_.begin() + std::min<size_t>(2, argv_.size()), argv_.end()};
}

Span Session::find(std::string_view text) const {
  auto matches = [&](int way, std::string_view argument) {
    return way == 0 ? argument == text : way == 1 ? argument.starts_with(text) : argument.ends_with(text);
  };
  for (int way = 0; way < 3 && !text.empty(); ++way)
    for (size_t k = 1; k < argv_.size(); ++k)
      if (matches(way, argv_[k]))
        return {line_, offsets_[k], static_cast<uint32_t>(offsets_[k] + argv_[k].size())};
  return {};
}

Span Session::findValue(const std::string &option, const std::string &value) const {
  const std::string together = option + "=" + value;
  for (size_t k = 1; k < argv_.size(); ++k) {
    const Span argument = {line_, offsets_[k], static_cast<uint32_t>(offsets_[k] + argv_[k].size())};
    if (argv_[k] == together)
      return partOf(argument, option.size() + 1, value.size());
    if (argv_[k] == value && argv_[k - 1] == option)
      return argument;
  }
  return {};
}

Diagnostic &Session::usage(const DiagnosticKind &kind, Span where, std::string message) {
  usageWrong_ = true;
  return diagnostics_.report(kind, where, std::move(message));
}

void Session::setWarnings(WarningOptions warnings) {
  flush();
  diagnostics_ = Diagnostics(std::move(warnings));
  shown_ = 0;
}

void Session::showProgress() {
  if (isCapableTerminal())
    progress_.turnOn();
}

void Session::flush() {
  std::string text;
  for (; shown_ < diagnostics_.all().size(); ++shown_) {
    Diagnostic diagnostic = diagnostics_.all()[shown_];
    if (!diagnostic.where && diagnostic.path.empty())
      diagnostic.at(subject_);
    internal_ |= diagnostic.severity == Severity::Internal;
    std::string one = json_ ? renderJson(diagnostic) : renderText(diagnostic, color_);
    text += one;
    if (!one.ends_with('\n'))
      text += '\n';
  }
  std::fwrite(text.data(), 1, text.size(), stderr);
}

int Session::print(std::string text) {
  OutputSet outputs;
  outputs.add("-", std::move(text));
  outputs.commit(diagnostics_);
  return finish();
}

int Session::finish() {
  flush();
  return internal_ ? kInternalError : usageWrong_ ? kUsageWrong : diagnostics_.hasErrors() ? kInputWrong : kFine;
}

bool mayBeginByTerminal(Session &session) {
  if (!isatty(STDIN_FILENO) || !isatty(STDERR_FILENO))
    return true;
  session.flush();
  std::fputs("begin? [y/N] ", stderr);
  std::fflush(stderr);
  const int answer = std::getchar();
  for (int rest = answer; rest != '\n' && rest != EOF;)
    rest = std::getchar();
  return answer == 'y' || answer == 'Y';
}

} // namespace spc::host
