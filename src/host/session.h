// One run of spc: the command line, sources, diagnostics, and the exit code they amount to.
#pragma once

#include "support/diagnostic.h"
#include "support/progress.h"

#include <string>
#include <string_view>
#include <vector>

namespace spc::host {

/// The exit codes of spc; stable.
enum ExitCode { kFine = 0, kInputWrong = 1, kUsageWrong = 2, kInternalError = 70 };

/// One run of spc. Owns the texts that diagnostics point into and renders the diagnostics on standard error.
class Session {
public:
  /// `argv`: the whole command line; diagnostics about arguments point into it.
  explicit Session(std::vector<std::string> argv);

  SourceManager &sources() { return sources_; }
  Diagnostics &diagnostics() { return diagnostics_; }

  /// The arguments after `spc SUBCOMMAND`.
  std::vector<std::string> arguments() const;

  /// The place of the first argument that is `text`, starts with it, or ends with it, in that order of preference;
  /// no place where there is none.
  Span find(std::string_view text) const;

  /// The place of an option's value, as `--option=value` or `--option value`; no place where it is given otherwise.
  Span findValue(const std::string &option, const std::string &value) const;

  /// Reports a wrong use of the command line (exit code 2).
  Diagnostic &usage(const DiagnosticKind &kind, Span where, std::string message);

  /// Takes what has been reported so far for wrong uses of the command line (exit code 2).
  void blameCommandLine() { usageWrong_ |= diagnostics_.hasErrors(); }

  /// Sets which warnings are on, before anything but usage errors was reported.
  void setWarnings(WarningOptions warnings);

  /// Names the file that diagnostics without a place are about, from here on.
  void setSubject(std::string path) { subject_ = std::move(path); }

  /// The line that says how far long work is; off unless showProgress() has turned it on. Diagnostics are shown between
  /// phases, not in them.
  const Progress &progress() const { return progress_; }

  /// Turns that line on where standard error is a terminal that can erase lines.
  void showProgress();

  /// Writes `text` to standard output, which may fail as any output may, and says how spc exits.
  int print(std::string text);

  /// Shows what has been reported since the last call.
  void flush();

  bool failed() const { return usageWrong_ || diagnostics_.hasErrors(); }

  /// Shows the rest and says how spc exits.
  int finish();

private:
  std::vector<std::string> argv_;
  std::vector<uint32_t> offsets_; ///< where each argument begins in `line_`
  SourceManager sources_;
  const SourceFile *line_ = nullptr;
  bool json_ = false;
  bool color_ = false;
  Diagnostics diagnostics_;
  Progress progress_;
  std::string subject_;
  size_t shown_ = 0;
  bool usageWrong_ = false;
  bool internal_ = false;
};

/// Where standard input and error are terminals, shows what has been reported and asks whether to begin. False where
/// the answer is not yes.
bool mayBeginByTerminal(Session &session);

} // namespace spc::host
