#include "support/diagnostic.h"

#include <algorithm>
#include <array>

namespace spc {
namespace {

// Every id that is reported with Severity::Warning, sorted.
constexpr std::array<std::string_view, 14> kWarnings{
    "asymptotic",  "broadcast", "densify", "fill",       "long-run", "mlir-arrays",   "much-memory",
    "overwritten", "precision", "reorder", "slow-order", "unused",   "unused-option", "zero-gradient"};

// Every id that is reported with Severity::Note, sorted.
constexpr std::array<std::string_view, 6> kNotes{"checked",    "cost",          "format-bound",
                                                 "old-values", "output-format", "same-extent"};

bool isWarning(std::string_view name) {
  return std::binary_search(kWarnings.begin(), kWarnings.end(), name);
}

bool isNote(std::string_view name) {
  return std::binary_search(kNotes.begin(), kNotes.end(), name);
}

bool isSame(const Diagnostic &a, const DiagnosticKind &kind, Span where, std::string_view message) {
  return a.kind.id == kind.id && a.where.file == where.file && a.where.begin == where.begin &&
         a.where.end == where.end && a.message == message;
}

bool takePrefix(std::string_view &text, std::string_view prefix) {
  if (!text.starts_with(prefix))
    return false;
  text.remove_prefix(prefix.size());
  return true;
}

} // namespace

Diagnostic &Diagnostic::note(Span at, std::string text) {
  notes.push_back({at, std::move(text)});
  return *this;
}

Diagnostic &Diagnostic::fix(Span at, std::string text) {
  if (at)
    fixes.push_back({at, std::move(text)});
  return *this;
}

Diagnostic &Diagnostic::advise(std::string text) {
  help = std::move(text);
  return *this;
}

Diagnostic &Diagnostic::at(std::string file) {
  path = std::move(file);
  return *this;
}

bool WarningOptions::apply(std::string_view option) {
  bool on = !takePrefix(option, "no-");
  if (option == "error") {
    allErrors_ = on;
    return true;
  }
  bool asError = takePrefix(option, "error=");
  if (!isWarning(option) && (asError || !isNote(option)))
    return false;
  std::string name(option);
  if (asError)
    errors_[name] = on;
  if (on || !asError)
    enabled_[name] = on;
  return true;
}

std::optional<Severity> WarningOptions::severityOf(std::string_view id) const {
  auto enabled = enabled_.find(id);
  if (enabled != enabled_.end() && !enabled->second)
    return std::nullopt;
  if (isNote(id))
    return quiet_ ? std::nullopt : std::optional(Severity::Note);
  auto error = errors_.find(id);
  bool isError = error != errors_.end() ? error->second : allErrors_;
  return isError ? Severity::Error : Severity::Warning;
}

const std::vector<std::string_view> &WarningOptions::known() {
  static const std::vector<std::string_view> names(kWarnings.begin(), kWarnings.end());
  return names;
}

const std::vector<std::string_view> &WarningOptions::knownNotes() {
  static const std::vector<std::string_view> names(kNotes.begin(), kNotes.end());
  return names;
}

Diagnostics::Diagnostics(WarningOptions options) : options_(std::move(options)) {}

Diagnostic &Diagnostics::report(const DiagnosticKind &kind, Span where, std::string message) {
  Diagnostic diagnostic{};
  diagnostic.kind = kind;
  diagnostic.severity = kind.severity;
  diagnostic.where = where;
  diagnostic.message = std::move(message);
  if (kind.severity == Severity::Warning || isNote(kind.id)) {
    std::optional<Severity> severity = options_.severityOf(kind.id);
    if (!severity || wasSaid(kind, where, diagnostic.message))
      return discarded_ = std::move(diagnostic);
    diagnostic.severity = *severity;
  }
  return diagnostics_.emplace_back(std::move(diagnostic));
}

bool Diagnostics::wasSaid(const DiagnosticKind &kind, Span where, std::string_view message) const {
  return where && std::any_of(diagnostics_.begin(), diagnostics_.end(),
                              [&](const Diagnostic &earlier) { return isSame(earlier, kind, where, message); });
}

void Diagnostics::append(Diagnostics other) {
  std::move(other.diagnostics_.begin(), other.diagnostics_.end(), std::back_inserter(diagnostics_));
}

void Diagnostics::appendInternal(const Diagnostics &other) {
  std::copy_if(other.diagnostics_.begin(), other.diagnostics_.end(), std::back_inserter(diagnostics_),
               [](const Diagnostic &one) { return one.severity == Severity::Internal; });
}

bool Diagnostics::hasErrors() const {
  return std::any_of(diagnostics_.begin(), diagnostics_.end(),
                     [](const Diagnostic &d) { return d.severity >= Severity::Error; });
}

} // namespace spc
