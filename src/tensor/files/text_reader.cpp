#include "tensor/files/text_reader.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>

namespace spc::tensor {

namespace {

constexpr DiagnosticKind kTensorSyntax{"tensor-syntax", Severity::Error};
constexpr DiagnosticKind kTensorUnsupported{"tensor-unsupported", Severity::Error};
constexpr DiagnosticKind kTensorRange{"tensor-range", Severity::Error};

constexpr size_t kLongestQuote = 40;
constexpr size_t kBuffer = kLongestLine + (size_t{256} << 10); // holds a line as it is read, whatever came before it

bool isBlank(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v';
}

bool isSpace(char c) {
  return c == '\n' || isBlank(c);
}

std::string quoted(std::string_view token) {
  if (token.empty())
    return "the end of the line";
  bool isCut = token.size() > kLongestQuote;
  return "'" + std::string(token.substr(0, kLongestQuote)) + (isCut ? "...'" : "'");
}

} // namespace

TextReader::TextReader(TextSource &source, const std::string &path, Diagnostics &diagnostics)
    : source_(source), buffer_(kBuffer), at_(buffer_.data()), end_(at_), whole_(at_), path_(path),
      diagnostics_(diagnostics) {}

/// Reads on, keeping what follows `at_`. False where there is no more, or no room for more.
bool TextReader::refill() {
  const size_t kept = static_cast<size_t>(end_ - at_);
  std::memmove(buffer_.data(), at_, kept);
  size_t size = kept;
  while (!ended_ && size < buffer_.size()) {
    const std::optional<size_t> got = source_.read(buffer_.data() + size, buffer_.size() - size);
    failed_ = !got;
    ended_ = got.value_or(0) == 0;
    size += got.value_or(0);
  }
  at_ = buffer_.data();
  end_ = at_ + (failed_ ? 0 : size);
  const size_t lineEnd = std::string_view(at_, static_cast<size_t>(end_ - at_)).rfind('\n');
  whole_ = ended_ ? end_ : lineEnd == std::string_view::npos ? at_ : at_ + lineEnd;
  return static_cast<size_t>(end_ - at_) > kept;
}

bool TextReader::startsWith(std::string_view text) {
  if (at_ == end_)
    refill();
  return std::string_view(at_, static_cast<size_t>(end_ - at_)).starts_with(text);
}

void TextReader::skipByteOrderMark() {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (startsWith(kByteOrderMark))
    at_ += kByteOrderMark.size();
}

size_t TextReader::bytes(char *to, size_t count) {
  size_t have = std::min(count, static_cast<size_t>(end_ - at_));
  std::memcpy(to, at_, have);
  at_ += have;
  while (have < count && !ended_ && !failed_) {
    const std::optional<size_t> got = source_.read(to + have, count - have);
    failed_ = !got;
    ended_ = got.value_or(0) == 0;
    have += got.value_or(0);
  }
  return have;
}

FileBytes TextReader::rest() {
  FileBytes rest;
  rest.reserve(source_.size().value_or(0) + buffer_.size()); // which the system makes as it is filled
  while ((at_ != end_ || !ended_) && !failed_) {
    const size_t have = rest.size(), room = std::max(rest.capacity() - have, have / 2);
    rest.resize(have + room);
    rest.resize(have + bytes(rest.data() + have, room));
  }
  return failed_ ? FileBytes() : rest;
}

/// Goes to where the next line begins, or to the end.
void TextReader::skipLine() {
  do {
    const void *found = std::memchr(at_, '\n', static_cast<size_t>(end_ - at_));
    at_ = found ? static_cast<const char *>(found) : end_;
  } while (at_ == end_ && refill());
  if (at_ == end_)
    return;
  ++at_;
  ++line_;
}

/// Goes to the next character that is no blank; false at the end of the text.
bool TextReader::skipBlanks() {
  do {
    while (at_ != end_ && isBlank(*at_))
      ++at_;
  } while (at_ == end_ && refill());
  return at_ != end_;
}

/// Makes sure that the rest of this line is in the buffer.
bool TextReader::holdLine() {
  if (at_ < whole_)
    return true;
  refill();
  if (at_ < whole_ || failed_)
    return !failed_;
  malformed("the line is longer than " + std::to_string(kLongestLine) + " bytes");
  failed_ = true;
  return false;
}

bool TextReader::nextLine(char comment) {
  while (!failed_) {
    if (started_)
      skipLine();
    started_ = true;
    if (!skipBlanks())
      return false;
    if (*at_ != '\n' && *at_ != comment)
      return holdLine();
  }
  return false;
}

int TextReader::countTokens(int most) {
  const char *begin = at_;
  int count = 0;
  while (count < most && !token().empty())
    ++count;
  at_ = begin;
  return count;
}

std::string_view TextReader::peek() {
  while (at_ != end_ && isBlank(*at_))
    ++at_;
  const char *stop = at_;
  while (stop != end_ && *stop != '\n' && !isBlank(*stop))
    ++stop;
  return {at_, static_cast<size_t>(stop - at_)};
}

std::string_view TextReader::token() {
  std::string_view found = peek();
  at_ += found.size();
  return found;
}

bool TextReader::atLineEnd() {
  while (at_ != end_ && isBlank(*at_))
    ++at_;
  return at_ == end_ || *at_ == '\n';
}

/// Reads a number that ends its token, straight from the text; false, with nothing read, for anything unusual.
template <typename Parsed> bool TextReader::fastNumber(Parsed &number) {
  while (at_ != end_ && isBlank(*at_))
    ++at_;
  auto [stop, error] = std::from_chars(at_, end_, number);
  if (error != std::errc() || (stop != end_ && !isSpace(*stop)))
    return false;
  at_ = stop;
  return true;
}

bool TextReader::integer(int64_t &number, std::string_view what) {
  if (fastNumber(number))
    return true;
  std::string_view text = peek();
  std::string_view digits = text.substr(text.starts_with('+') ? 1 : 0);
  auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  bool isWhole = stop == digits.data() + digits.size() && !digits.empty();
  if (isWhole && error == std::errc::result_out_of_range)
    return outOfRange(std::string(what) + " " + quoted(text) +
                      (text.starts_with('-') ? " is too small" : " is too large"));
  if (!isWhole || error != std::errc())
    return malformed("expected " + std::string(what) + ", an integer, found " + quoted(text));
  at_ += text.size();
  return true;
}

bool TextReader::coordinate(int64_t &number, std::string_view what, int64_t extent) {
  if (!integer(number, what))
    return false;
  if (number == 0 && extent != 0)
    return outOfRange(std::string(what) + " is 0, but they count from 1: add 1 to those of a file that begins at 0");
  if (number < 1 || number > extent) {
    std::string range = extent == std::numeric_limits<int64_t>::max() ? "less than 1"
                        : extent == 0                                 ? "in a dimension without elements"
                                                                      : "not between 1 and " + std::to_string(extent);
    return outOfRange(std::string(what) + " " + std::to_string(number) + " is " + range);
  }
  --number;
  return true;
}

bool TextReader::integerValue(Number &number) {
  int64_t integer = 0;
  uint64_t large = 0;
  if (fastNumber(large)) {
    number = fromInteger(large);
    return true;
  }
  if (!this->integer(integer, "a value"))
    return false;
  number = fromInteger(integer);
  return true;
}

bool TextReader::real(Number &value) {
  double number = 0;
  while (at_ != end_ && isBlank(*at_))
    ++at_;
  const char *begin = at_;
  if (fastNumber(number)) {
    value = withRest(number, {begin, static_cast<size_t>(at_ - begin)});
    return true;
  }
  std::string_view text = peek();
  std::string_view digits = text.substr(text.starts_with('+') ? 1 : 0);
  auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  bool isWhole = stop == digits.data() + digits.size() && !digits.empty();
  if (isWhole && error == std::errc::result_out_of_range) {
    // Numbers nearer to 0 than any double round to what strtod gives; those too large have no double.
    number = std::strtod(std::string(digits).c_str(), nullptr);
    if (std::isinf(number))
      return outOfRange("value " + quoted(text) + (number < 0 ? " is too small" : " is too large") + " for a double");
  } else if (!isWhole || error != std::errc()) {
    return malformed("expected a value, found " + quoted(text));
  }
  value = withRest(number, text);
  at_ += text.size();
  return true;
}

bool TextReader::lineEnd() {
  if (atLineEnd())
    return true;
  return malformed("unexpected " + quoted(peek()) + " at the end of the line");
}

bool TextReader::malformed(const std::string &message) {
  return report(kTensorSyntax, message);
}

bool TextReader::unsupported(const std::string &message) {
  return report(kTensorUnsupported, message);
}

bool TextReader::outOfRange(const std::string &message) {
  return report(kTensorRange, message);
}

bool TextReader::malformedFile(const std::string &message) {
  diagnostics_.report(kTensorSyntax, {}, message).at(path_);
  return false;
}

bool TextReader::unsupportedFile(const std::string &message) {
  diagnostics_.report(kTensorUnsupported, {}, message).at(path_);
  return false;
}

bool TextReader::tooLong(uint64_t most) {
  source_.reportTooLong("its members hold more than " + std::to_string(most) + " bytes");
  return false;
}

bool TextReader::wrongShape(const std::string &message) {
  diagnostics_.report(kTensorRange, {}, message).at(path_);
  return false;
}

bool TextReader::report(const DiagnosticKind &kind, const std::string &message) {
  if (!failed_)
    diagnostics_.report(kind, {}, path_ + ":" + std::to_string(line_) + ": " + message).at(path_);
  return false;
}

} // namespace spc::tensor
