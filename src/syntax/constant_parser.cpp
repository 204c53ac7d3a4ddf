#include "syntax/constant_parser.h"

#include <charconv>
#include <cmath>
#include <limits>

namespace spc::syntax {
namespace {

using language::ConstantDecl;
using language::ConstantNumber;

constexpr DiagnosticKind kConstantValue{"constant-value", Severity::Error};
constexpr DiagnosticKind kConstantShape{"constant-shape", Severity::Error};

bool isDecimal(char c) {
  return c >= '0' && c <= '9';
}

bool isWordPart(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '.' || isDecimal(c);
}

std::string counted(size_t count, const std::string &what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

/// Reads the characters of a value; the tokens go on behind it.
class ConstantParser {
public:
  ConstantParser(TokenStream &tokens, SyntaxErrors &errors, const TensorDecl &decl)
      : tokens_(tokens), errors_(errors), decl_(decl), text_(tokens.text()), begin_(tokens.current().begin),
        at_(begin_) {}

  std::shared_ptr<const ConstantDecl> run() {
    const bool isFine = peek() == '"' ? file() : value(0);
    if (!isFine)
      skip();
    value_.where = tokens_.span(begin_, at_);
    tokens_.resumeAt(at_);
    return isFine ? std::make_shared<const ConstantDecl>(std::move(value_)) : nullptr;
  }

private:
  size_t order() const { return decl_.extents.size(); }
  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  Span here() const { return tokens_.span(at_, at_ + (at_ < text_.size() && peek() != '\n' ? 1 : 0)); }

  bool fail(const DiagnosticKind &kind, Span where, const std::string &message, const std::string &help) {
    errors_.report(kind, where, message).advise(help);
    return false;
  }

  /// `"e.npy"`
  bool file() {
    const uint32_t open = at_++;
    const size_t end = text_.find_first_of("\"\n", at_);
    if (end == std::string_view::npos || text_[end] != '"' || end == at_)
      return fail(kConstantValue, tokens_.span(open, open + 1), "this '\"' begins no name of a file",
                  "the name of a file stands in quotes, on one line: \"" + decl_.name.text + ".npy\"");
    value_.file = text_.substr(at_, end - at_);
    at_ = static_cast<uint32_t>(end) + 1;
    return true;
  }

  /// What may stand between a list's brackets, commas and numbers.
  void skipBlanks() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '#')
        at_ = static_cast<uint32_t>(std::min(text_.find('\n', at_), text_.size()));
      else if (c == ' ' || c == '\t' || c == '\r' || c == '\n')
        ++at_;
      else
        break;
    }
  }

  bool value(size_t depth) {
    const bool isList = peek() == '[';
    if (depth < order() && isList)
      return list(depth);
    if (depth == order() && !isList)
      return number();
    const bool isNumber = isDecimal(peek()) || peek() == '.' || peek() == '-' || peek() == '+';
    if (!isList && !isNumber)
      return noValue();
    const std::string lists = depth == 0 ? "no list" : counted(depth, "list");
    return fail(kConstantShape, here(),
                "'" + decl_.name.text + "' has " + counted(order(), "dimension") + ", and here " +
                    (isList ? "a list is within " : "a number is within ") + lists,
                order() == 0 ? "a constant without dimensions is one number"
                             : "a list for each dimension: the numbers of a row stand in the innermost ones");
  }

  bool noValue() {
    return fail(kConstantValue, here(), "expected a number" + std::string(order() > 0 ? " or a list of numbers" : ""),
                "a constant is a number, lists of numbers such as [[1, 2], [3, 4]], or the name of a file in quotes");
  }

  bool list(size_t depth) {
    const uint32_t open = at_++;
    size_t count = 0;
    skipBlanks();
    while (peek() != ']') {
      if (!value(depth + 1))
        return false;
      ++count;
      end_ = at_;
      skipBlanks();
      if (peek() != ']' && !comma(open))
        return false;
    }
    ++at_;
    if (value_.shape.size() <= depth)
      value_.shape.resize(depth + 1, -1);
    int64_t &size = value_.shape[depth];
    if (size >= 0 && size != static_cast<int64_t>(count))
      return fail(kConstantShape, tokens_.span(open, at_),
                  "this list has " + counted(count, elementsAt(depth)) + ", and those before it have " +
                      std::to_string(size),
                  "all lists of a dimension are of one length");
    size = static_cast<int64_t>(count);
    return true;
  }

  std::string elementsAt(size_t depth) const { return depth + 1 == order() ? "number" : "list"; }

  bool comma(uint32_t open) {
    if (peek() != ',') {
      const bool isMissing = at_ >= text_.size() || text_.substr(end_, at_ - end_).find('\n') != std::string_view::npos;
      errors_
          .report(kConstantValue, isMissing ? tokens_.span(end_, end_) : here(),
                  isMissing ? "a ']' is missing" : "expected ',' or ']' in a list of numbers")
          .note(tokens_.span(open, open + 1), "in the list that begins here");
      return false;
    }
    ++at_;
    skipBlanks();
    return true;
  }

  /// `-1`, `0.5`, `inf`, `true`, `1 + 2i`
  bool number() {
    const uint32_t begin = at_;
    ConstantNumber number;
    bool isImaginary = false;
    if (!part(number, isImaginary))
      return false;
    if (isImaginary)
      number = {0, number.real};
    const uint32_t end = at_;
    skipBlanksOfLine();
    if (!isImaginary && (peek() == '+' || peek() == '-')) {
      ConstantNumber other;
      if (!part(other, isImaginary))
        return false;
      if (!isImaginary)
        return fail(kConstantValue, tokens_.span(begin, at_), "numbers of constants are not computed",
                    "write the number itself; a complex one is '1+2i'");
      number.imaginary = other.real;
    } else {
      at_ = end;
    }
    value_.numbers.push_back(number);
    value_.places.push_back(tokens_.span(begin, at_));
    return true;
  }

  void skipBlanksOfLine() {
    while (peek() == ' ' || peek() == '\t')
      ++at_;
  }

  /// A sign perhaps, and digits or a word; `2i` is imaginary.
  bool part(ConstantNumber &number, bool &isImaginary) {
    const uint32_t begin = at_;
    const bool isNegative = peek() == '-';
    if (isNegative || peek() == '+')
      ++at_;
    skipBlanksOfLine();
    const uint32_t first = at_;
    while (isWordPart(peek()) || (isExponent(first) && (peek() == '+' || peek() == '-')))
      ++at_;
    std::string_view word = text_.substr(first, at_ - first);
    if (word.empty())
      return noValue();
    isImaginary = word.size() > 1 && word.back() == 'i' && isDecimal(word[word.size() - 2]);
    word.remove_suffix(isImaginary ? 1 : 0);
    if (!read(word, number))
      return fail(kConstantValue, tokens_.span(begin, at_),
                  "'" + std::string(text_.substr(begin, at_ - begin)) + "' is not a number that a constant may have",
                  "numbers are such as 2, -0.5, 1e-3, inf, nan, true, false and 1+2i");
    if (isNegative)
      number = {-number.real, number.imaginary, static_cast<int16_t>(-number.rest)};
    return true;
  }

  /// Whether the last character of a number, which began with a digit, is the `e` of an exponent.
  bool isExponent(uint32_t first) const {
    const bool beginsNumber = isDecimal(text_[first]) || text_[first] == '.';
    return at_ > first && beginsNumber && (text_[at_ - 1] == 'e' || text_[at_ - 1] == 'E');
  }

  static bool read(std::string_view word, ConstantNumber &number) {
    if (word == "true" || word == "false")
      number = {word == "true" ? 1.0 : 0.0};
    else if (word == "inf")
      number = {std::numeric_limits<double>::infinity()};
    else if (word == "nan")
      number = {std::numeric_limits<double>::quiet_NaN()};
    else if (word.find_first_not_of("0123456789") == std::string_view::npos)
      number = language::integerOfDigits(word);
    else {
      if (!isDecimal(word.front()) && word.front() != '.')
        return false;
      const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number.real);
      return end == word.data() + word.size() && (error == std::errc() || isTiny(word, number.real));
    }
    return std::isfinite(number.real) || !isDecimal(word.front());
  }

  /// Whether a number is out of range because it is too near to 0, which it then is.
  static bool isTiny(std::string_view word, double &value) {
    if (word.find("e-") == std::string_view::npos && word.find("E-") == std::string_view::npos)
      return false;
    value = 0;
    return true;
  }

  /// After an error, to the end of the lists; where these are not closed, to that of the line.
  void skip() {
    const uint32_t failedAt = at_;
    int depth = 0;
    for (at_ = begin_; at_ < text_.size(); ++at_) {
      depth += text_[at_] == '[' ? 1 : text_[at_] == ']' ? -1 : 0;
      if (depth == 0 && (text_[at_] == '\n' || text_[at_] == ']'))
        break;
    }
    if (depth != 0)
      at_ = static_cast<uint32_t>(std::min(text_.find('\n', end_ > 0 ? end_ : failedAt), text_.size()));
    else if (peek() == ']')
      ++at_;
  }

  TokenStream &tokens_;
  SyntaxErrors &errors_;
  const TensorDecl &decl_;
  const std::string_view text_;
  const uint32_t begin_;
  uint32_t at_;
  uint32_t end_ = 0; ///< of the last number or list
  ConstantDecl value_;
};

} // namespace

std::shared_ptr<const ConstantDecl> parseConstant(TokenStream &tokens, SyntaxErrors &errors, const TensorDecl &decl) {
  return ConstantParser(tokens, errors, decl).run();
}

} // namespace spc::syntax
