#include "support/input.h"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

namespace spc {
namespace {

namespace fs = std::filesystem;

constexpr DiagnosticKind kCannotRead{"cannot-read", Severity::Error};

constexpr size_t kChunk = size_t{64} << 10;
constexpr size_t kFolderEntries = 2000; // looking for a near name is not worth more

std::string shownName(const std::string &path) {
  return path == "-" ? "<stdin>" : path;
}

Diagnostic &cannotRead(const std::string &path, const std::string &why, Diagnostics &diagnostics) {
  return diagnostics.report(kCannotRead, {}, "cannot read the file: " + why).at(shownName(path));
}

std::string systemMessage(int error) {
  return std::generic_category().message(error);
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

// Reads on to the end; 0 or the error number. Stops one byte past the limit.
int readAll(int file, size_t limit, std::string &bytes) {
  while (bytes.size() <= limit) {
    size_t old = bytes.size();
    size_t step = std::min(std::max(kChunk, old), limit + 1 - old);
    bytes.resize(old + step);
    ssize_t got = ::read(file, bytes.data() + old, step);
    int error = errno;
    bytes.resize(old + static_cast<size_t>(std::max<ssize_t>(got, 0)));
    if (got == 0)
      return 0;
    if (got < 0 && error != EINTR)
      return error;
  }
  return 0;
}

} // namespace

std::optional<std::string> readBytes(const std::string &path, Diagnostics &diagnostics, size_t limit) {
  int file = path == "-" ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) {
    int error = errno;
    Diagnostic &diagnostic = cannotRead(path, systemMessage(error), diagnostics);
    std::optional<std::string> near = error == ENOENT ? nearestFile(path) : std::nullopt;
    if (near)
      diagnostic.advise("did you mean '" + *near + "'?");
    return std::nullopt;
  }
  std::string bytes;
  int error = readAll(file, limit, bytes);
  if (path != "-")
    ::close(file);
  if (error == EISDIR)
    cannotRead(path, "it is a folder", diagnostics);
  else if (error != 0)
    cannotRead(path, systemMessage(error), diagnostics);
  else if (bytes.size() > limit)
    cannotRead(path, "it has more than " + std::to_string(limit) + " bytes", diagnostics);
  else
    return bytes;
  return std::nullopt;
}

const SourceFile *readSource(const std::string &path, SourceManager &sources, Diagnostics &diagnostics) {
  std::optional<std::string> bytes = readBytes(path, diagnostics);
  if (!bytes)
    return nullptr;
  return &sources.add(shownName(path), std::move(*bytes));
}

} // namespace spc
