// Reads whitespace-separated numbers from the lines of a data file.
#pragma once

#include "support/diagnostic.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace spc::tensor {

/// Walks through a text line by line. Lines are counted only where an error needs their number. The functions that
/// read report what they cannot read and give false.
class TextReader {
public:
  /// The text outlives this. `path` is what diagnostics name.
  TextReader(std::string_view text, const std::string &path, Diagnostics &diagnostics);

  /// Goes to the next line that holds anything but blanks and is no comment, which starts with `comment`. False at the
  /// end of the text.
  bool nextLine(char comment);

  /// The next token of this line; empty at the line's end.
  std::string_view token();

  /// True where nothing more than blanks follows on this line.
  bool atLineEnd();

  bool integer(int64_t &number, std::string_view what);
  /// A 1-based coordinate, made 0-based; out of 1 … extent is reported as such.
  bool coordinate(int64_t &number, std::string_view what, int64_t extent);
  bool real(double &number);
  /// Reads the end of the line: nothing but blanks may be left.
  bool lineEnd();

  size_t bytesLeft() const { return static_cast<size_t>(end_ - at_); }

  /// Reports malformed text at the current line, and gives false.
  bool malformed(const std::string &message);
  /// Reports a well-formed file that asks for what is not supported, and gives false.
  bool unsupported(const std::string &message);
  /// Reports a number outside of what the file or its reader allow, and gives false.
  bool outOfRange(const std::string &message);
  /// Reports a shape that the file as a whole cannot have, without a line, and gives false.
  bool wrongShape(const std::string &message);

private:
  std::string_view peek();
  template <typename Number> bool fastNumber(Number &number);
  bool report(const DiagnosticKind &kind, const std::string &message);

  const char *begin_;
  const char *at_;
  const char *end_;
  const std::string &path_;
  Diagnostics &diagnostics_;
  bool started_ = false;
};

} // namespace spc::tensor
