// Source texts and places in them.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace spc {

/// A 1-based place for people: `column` counts characters (UTF-8 code points), tabs as one.
struct LineColumn {
  uint32_t line = 1;
  uint32_t column = 1;
};

/// One text that diagnostics can point into: a kernel, a format file, a command-line argument or a data file.
class SourceFile {
public:
  /// `text` is shorter than 4 GiB, since offsets have 32 bits.
  SourceFile(std::string name, std::string text);

  const std::string &name() const { return name_; }
  std::string_view text() const { return text_; }

  /// The place of byte `offset`; an offset past the end names the end.
  LineColumn lineColumn(uint32_t offset) const;

  /// The text of 1-based `line`, without its line break.
  std::string_view lineText(uint32_t line) const;

  /// The byte offset at which 1-based `line` starts.
  uint32_t lineStart(uint32_t line) const;

private:
  std::string name_;
  std::string text_;
  std::vector<uint32_t> lineStarts_;
  bool ascii_ = true; ///< columns need no counting
};

/// A half-open range of bytes of one source. A null `file` means "no place".
struct Span {
  const SourceFile *file = nullptr;
  uint32_t begin = 0;
  uint32_t end = 0;

  explicit operator bool() const { return file != nullptr; }
};

/// The smallest span that covers both, which lie in the same file.
Span join(Span first, Span second);

/// `length` bytes of a span, from its byte `offset` on; no place of none.
Span partOf(Span whole, size_t offset, size_t length);

/// Owns every source of a run, so that spans stay valid as long as it lives.
class SourceManager {
public:
  /// Adds a text under the name that diagnostics show.
  const SourceFile &add(std::string name, std::string text);

private:
  std::deque<SourceFile> files_;
};

} // namespace spc
