// Reading input files.
#pragma once

#include "support/diagnostic.h"
#include "support/open_file.h"

#include <cstddef>
#include <optional>
#include <string>

namespace spc {

/// Texts above this size are refused: no kernel is that long, but /dev/zero is.
constexpr size_t kMaxText = size_t{16} << 20;

/// The bytes of `file` up to its end, or to one byte past the limit; nullopt where it cannot be read.
std::optional<std::string> readUpTo(InputFile &file, size_t limit);

/// Reports that `file`, which is named `path`, cannot be opened or read, with the nearest name in its folder where it
/// is missing.
void reportUnreadable(const std::string &path, const InputFile &file, Diagnostics &diagnostics);

/// The bytes of a file, or of standard input where `path` is "-". Reports a missing file (with the nearest name in its
/// folder), a folder, an unreadable file or more than `limit` bytes, and gives nullopt then.
std::optional<std::string> readBytes(const std::string &path, Diagnostics &diagnostics, size_t limit = kMaxText);

/// The same as a source that diagnostics can point into, named by its path or `<stdin>`; null after an error.
const SourceFile *readSource(const std::string &path, SourceManager &sources, Diagnostics &diagnostics);

} // namespace spc
