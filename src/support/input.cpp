#include "support/input.h"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>

namespace spc {
namespace {

namespace fs = std::filesystem;

constexpr DiagnosticKind kCannotRead{"cannot-read", Severity::Error};

constexpr size_t kChunk = size_t{64} << 10;
constexpr size_t kFolderEntries = 2000; // looking for a near name is not worth more

std::string shownName(const std::string &path) {
  return path == "-" ? "<stdin>" : path;
}

std::optional<std::string> nearestFile(const std::string &path) {
  fs::path wanted(path);
  fs::path folder = wanted.parent_path();
  std::error_code error;
  fs::directory_iterator entries(folder.empty() ? fs::path(".") : folder, error);
  std::vector<std::string> names;
  for (; !error && entries != fs::directory_iterator() && names.size() < kFolderEntries; entries.increment(error))
    names.push_back(entries->path().filename().string());
  std::optional<std::string> near = didYouMean(wanted.filename().string(), names);
  if (!near)
    return std::nullopt;
  return (folder / *near).string();
}

} // namespace

std::optional<std::string> readUpTo(InputFile &file, size_t limit) {
  std::string bytes;
  while (bytes.size() <= limit) {
    const size_t old = bytes.size();
    const size_t step = std::min(std::max(kChunk, old), limit + 1 - old);
    bytes.resize(old + step);
    const std::optional<size_t> got = file.read(bytes.data() + old, step);
    if (!got)
      return std::nullopt;
    bytes.resize(old + *got);
    if (*got == 0)
      break;
  }
  return bytes;
}

void reportUnreadable(const std::string &path, const InputFile &file, Diagnostics &diagnostics) {
  Diagnostic &diagnostic =
      diagnostics.report(kCannotRead, {}, "cannot read the file: " + file.why()).at(shownName(path));
  if (std::optional<std::string> near = file.openError() == ENOENT ? nearestFile(path) : std::nullopt)
    diagnostic.advise("did you mean '" + *near + "'?");
}

std::optional<std::string> readBytes(const std::string &path, Diagnostics &diagnostics, size_t limit) {
  InputFile file(path);
  std::optional<std::string> bytes = readUpTo(file, limit);
  if (!bytes) {
    reportUnreadable(path, file, diagnostics);
  } else if (bytes->size() > limit) {
    diagnostics.report(kCannotRead, {}, "cannot read the file: it has more than " + std::to_string(limit) + " bytes")
        .at(shownName(path));
    return std::nullopt;
  }
  return bytes;
}

const SourceFile *readSource(const std::string &path, SourceManager &sources, Diagnostics &diagnostics) {
  std::optional<std::string> bytes = readBytes(path, diagnostics);
  if (!bytes)
    return nullptr;
  return &sources.add(shownName(path), std::move(*bytes));
}

} // namespace spc
