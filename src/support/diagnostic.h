// Diagnostics: what they are, how they are collected. Rendering is in render.h.
//
// A kind is declared in the .cpp file that reports it, as
//     constexpr DiagnosticKind kOrderMismatch{"order-mismatch", Severity::Error};
// A test collects every such declaration and fails when an id has no golden case under tests/diagnostics/.
#pragma once

#include "support/source.h"

#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace spc {

/// Internal is a bug of ours (exit 70); Note stands alone ("--format bound A"), not attached to another diagnostic.
enum class Severity { Note, Warning, Error, Internal };

/// `id` is kebab-case and never changes once released; a warning's id is its -W name.
struct DiagnosticKind {
  std::string_view id;
  Severity severity;
};

/// A remark attached to a diagnostic, with or without a place.
struct AttachedNote {
  Span where;
  std::string message;
};

/// "Replace `where` by `text`."
struct FixIt {
  Span where;
  std::string text;
};

struct Diagnostic {
  DiagnosticKind kind;
  Severity severity; ///< the kind's, or Error where -Werror raised it
  Span where;        ///< no place: `path` is shown instead, or nothing
  std::string path;
  std::string message;
  std::vector<AttachedNote> notes;
  std::vector<FixIt> fixes;
  std::string help; ///< what to do about it, one sentence; may be empty

  Diagnostic &note(Span at, std::string text);
  Diagnostic &fix(Span at, std::string text); ///< nothing where there is no place
  Diagnostic &advise(std::string text);
  Diagnostic &at(std::string file);
};

/// Which warnings and notes are on, and which warnings are errors: -W<name>, -Wno-<name>, -Werror, -Werror=<name>,
/// -Wno-error=<name>, -q.
class WarningOptions {
public:
  /// Takes one option's text after "-W" ("densify", "no-reorder", "error", "error=densify").
  /// Returns false when it names no known warning or note, or wants a note to be an error.
  bool apply(std::string_view option);

  /// Turns a warning off unless an option says that it is on.
  void presumeOff(std::string_view warning) { enabled_.try_emplace(std::string(warning), false); }

  /// Turns all notes off.
  void setQuiet(bool quiet) { quiet_ = quiet; }

  /// The severity a warning or a note is reported with; nullopt: not at all.
  std::optional<Severity> severityOf(std::string_view id) const;

  /// The names of warnings that -W takes, sorted.
  static const std::vector<std::string_view> &known();

  /// The names of notes that -W takes, sorted.
  static const std::vector<std::string_view> &knownNotes();

private:
  bool quiet_ = false;
  bool allErrors_ = false;
  std::map<std::string, bool, std::less<>> enabled_;
  std::map<std::string, bool, std::less<>> errors_;
};

/// Collects the diagnostics of a run in the order in which they are found.
class Diagnostics {
public:
  explicit Diagnostics(WarningOptions options = {});

  /// Adds a diagnostic. The reference stays valid; a warning or a note that is off, or that has been given in the same
  /// words for the same place, is built, and thrown away.
  Diagnostic &report(const DiagnosticKind &kind, Span where, std::string message);

  /// As that of its options.
  void presumeOff(std::string_view warning) { options_.presumeOff(warning); }

  /// An empty collection with the same options: for what may yet be done otherwise.
  Diagnostics alike() const { return Diagnostics(options_); }
  /// Adds all diagnostics of another collection.
  void append(Diagnostics other);
  /// Adds those of another collection that are bugs of ours.
  void appendInternal(const Diagnostics &other);

  bool hasErrors() const;
  const std::deque<Diagnostic> &all() const { return diagnostics_; }

private:
  bool wasSaid(const DiagnosticKind &kind, Span where, std::string_view message) const;

  WarningOptions options_;
  std::deque<Diagnostic> diagnostics_;
  Diagnostic discarded_;
};

/// The candidate nearest to `word` in edit distance, where it is near enough to be a likely slip; else nullopt.
std::optional<std::string> didYouMean(std::string_view word, const std::vector<std::string> &candidates);

} // namespace spc
