// Reads whitespace-separated numbers from the lines of a data file.
#pragma once

#include "support/diagnostic.h"
#include "support/memory.h"
#include "tensor/files/text_source.h"
#include "tensor/numbers.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace spc::tensor {

/// All of a file that is no text.
using FileBytes = std::vector<char, LargePages<char>>;

/// The longest line that is no comment. None that holds numbers comes near it.
constexpr size_t kLongestLine = size_t{64} << 10;

/// Walks through a text line by line, of which it holds a piece at a time: comments and blanks of any length cost no
/// memory. The functions that read report what they cannot read and give false. Once the source has failed there is
/// nothing more to read, and nothing more is reported.
class TextReader {
public:
  /// The source outlives this. `path` is what diagnostics name.
  TextReader(TextSource &source, const std::string &path, Diagnostics &diagnostics);

  /// Whether the text begins so; asked before anything is read.
  bool startsWith(std::string_view text);

  /// Leaves out a byte order mark of UTF-8; asked before anything is read.
  void skipByteOrderMark();

  /// The next bytes of a file that is no text: fewer than asked for at its end and where the source fails alone.
  size_t bytes(char *to, size_t count);

  /// All bytes that are left. Empty where the source fails. Throws std::bad_alloc.
  FileBytes rest();

  /// How many bytes the whole text has, where that is known.
  std::optional<uint64_t> size() const { return source_.size(); }

  /// Goes to the next line that holds anything but blanks and is no comment, which starts with `comment`. False at the
  /// end of the text.
  bool nextLine(char comment);

  /// How many tokens are left on this line, counted up to `most`; none is read.
  int countTokens(int most);

  /// The next token of this line; empty at the line's end.
  std::string_view token();

  /// True where nothing more than blanks follows on this line.
  bool atLineEnd();

  bool integer(int64_t &number, std::string_view what);
  /// A 1-based coordinate, made 0-based; out of 1 … extent is reported as such.
  bool coordinate(int64_t &number, std::string_view what, int64_t extent);
  /// A real number; of an integer beyond what doubles hold the rest, too.
  bool real(Number &number);
  /// An integer of 64 bits, with or without a sign.
  bool integerValue(Number &number);
  /// Reads the end of the line: nothing but blanks may be left.
  bool lineEnd();

  /// How many bytes the text of a regular file can have at most.
  uint64_t most() const { return source_.most(); }

  /// An estimate of how many bytes the text has.
  uint64_t expectedSize() const { return source_.expectedSize(); }

  /// Reports that the file holds more than it may. `most` is what members of an archive may have together.
  bool tooLong(uint64_t most);
  /// How many bytes members of an archive of so many bytes may have together.
  uint64_t mostFromArchive(uint64_t archiveBytes) const { return source_.mostFrom(archiveBytes); }

  /// Whether the source could not be read to its end, which has been reported.
  bool failed() const { return failed_; }

  /// Reports malformed text at the current line, and gives false.
  bool malformed(const std::string &message);
  /// Reports a well-formed file that asks for what is not supported, and gives false.
  bool unsupported(const std::string &message);
  /// Reports a number outside of what the file or its reader allow, and gives false.
  bool outOfRange(const std::string &message);
  /// Reports what is wrong with the file as a whole, without a line, and gives false.
  bool malformedFile(const std::string &message);
  bool unsupportedFile(const std::string &message);
  bool wrongShape(const std::string &message);

private:
  bool refill();
  void skipLine();
  bool skipBlanks();
  bool holdLine();
  std::string_view peek();
  template <typename Parsed> bool fastNumber(Parsed &number);
  bool report(const DiagnosticKind &kind, const std::string &message);

  TextSource &source_;
  std::vector<char> buffer_;
  const char *at_;
  const char *end_;   ///< of what has been read
  const char *whole_; ///< the end of the last line that is there as a whole
  const std::string &path_;
  Diagnostics &diagnostics_;
  uint64_t line_ = 1;
  bool started_ = false;
  bool ended_ = false; ///< the source has
  bool failed_ = false;
};

} // namespace spc::tensor
