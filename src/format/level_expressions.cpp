#include "format/level_expressions.h"

#include <algorithm>
#include <cctype>

namespace spc::format {

namespace {

constexpr int64_t kMaxNumber = 1 << 20;

/// Names, numbers and single characters, one after the other.
class Tokens {
public:
  explicit Tokens(std::string_view text) : text_(text) { advance(); }

  bool isEnd() const { return token_.empty(); }
  bool isName() const { return !isEnd() && (std::isalpha(byte(token_[0])) || token_[0] == '_'); }
  bool isNumber() const { return !isEnd() && std::isdigit(byte(token_[0])); }
  bool is(char c) const { return token_.size() == 1 && token_[0] == c; }
  std::string take() {
    std::string taken(token_);
    advance();
    return taken;
  }

  ExpressionProblem problem(std::string message) const {
    return {std::move(message), begin_, isEnd() ? text_.size() : at_, std::nullopt};
  }

private:
  static unsigned char byte(char c) { return static_cast<unsigned char>(c); }

  void advance() {
    while (at_ < text_.size() && text_[at_] == ' ')
      ++at_;
    begin_ = at_;
    if (at_ < text_.size()) {
      const bool isWord = std::isalnum(byte(text_[at_])) || text_[at_] == '_';
      do
        ++at_;
      while (isWord && at_ < text_.size() && (std::isalnum(byte(text_[at_])) || text_[at_] == '_'));
    }
    token_ = text_.substr(begin_, at_ - begin_);
  }

  std::string_view text_;
  std::string_view token_;
  size_t begin_ = 0, at_ = 0;
};

/// A number up to a limit; larger ones are the limit plus one.
int64_t numberFrom(const std::string &digits) {
  int64_t value = 0;
  for (char c : digits)
    value =
        std::isdigit(static_cast<unsigned char>(c)) ? std::min(kMaxNumber + 1, 10 * value + (c - '0')) : kMaxNumber + 1;
  return value;
}

std::optional<ExpressionProblem> readDimension(Tokens &tokens, const std::vector<std::string> &dims, int &dim) {
  if (!tokens.isName())
    return tokens.problem("a dimension's name is missing");
  ExpressionProblem unknown = tokens.problem("");
  const std::string name = tokens.take();
  const auto found = std::find(dims.begin(), dims.end(), name);
  if (found == dims.end()) {
    unknown.unknownName = name;
    return unknown;
  }
  dim = static_cast<int>(found - dims.begin());
  return std::nullopt;
}

} // namespace

std::optional<ExpressionProblem> readCoordinate(std::string_view text, const std::vector<std::string> &dims,
                                                Level &level) {
  Tokens tokens(text);
  if (auto problem = readDimension(tokens, dims, level.dim))
    return problem;
  if (tokens.isEnd())
    return std::nullopt;
  if (tokens.is('-')) {
    tokens.take();
    level.part = Part::Difference;
    if (auto problem = readDimension(tokens, dims, level.minus))
      return problem;
    if (level.minus == level.dim)
      return tokens.problem("the difference of a dimension with itself is always 0");
  } else if (tokens.is('/') || tokens.is('%')) {
    level.part = tokens.take() == "/" ? Part::Quotient : Part::Remainder;
    if (!tokens.isNumber())
      return tokens.problem("the block's size is missing");
    ExpressionProblem range = tokens.problem("a block has 1 to " + std::to_string(kMaxNumber) + " coordinates");
    level.block = numberFrom(tokens.take());
    if (level.block < 1 || level.block > kMaxNumber)
      return range;
  }
  if (!tokens.isEnd())
    return tokens.problem("a level stores 'i', 'i / 4', 'i % 4' or 'j - i'");
  return std::nullopt;
}

std::vector<std::string> ClosedFormNames::all() const {
  std::vector<std::string> names = {parent, "size(" + own + ")"};
  if (isSizeAlsoN)
    names.push_back("n");
  return names;
}

std::optional<ExpressionProblem> readClosedForm(std::string_view text, const ClosedFormNames &names, ClosedForm &form) {
  Tokens tokens(text);
  form = {};
  int64_t sign = 1;
  if (tokens.is('-')) {
    tokens.take();
    sign = -1;
  }
  while (true) {
    int64_t factor = sign;
    bool isProduct = false;
    if (tokens.isNumber()) {
      ExpressionProblem range = tokens.problem("numbers go up to " + std::to_string(kMaxNumber));
      const int64_t number = numberFrom(tokens.take());
      if (number > kMaxNumber)
        return range;
      factor *= number;
      isProduct = tokens.is('*');
      if (isProduct)
        tokens.take();
      else
        form.constant += factor;
    } else {
      isProduct = true;
    }
    if (isProduct) {
      if (!tokens.isName())
        return tokens.problem("a number, '" + names.parent + "' or 'size(" + names.own + ")' is missing");
      ExpressionProblem unknown = tokens.problem("");
      const std::string name = tokens.take();
      if (name == "size" && tokens.is('(')) {
        tokens.take();
        ExpressionProblem other =
            tokens.problem("only the level's own dimension's size can stand here, size(" + names.own + ")");
        if (!tokens.isName() || tokens.take() != names.own)
          return other;
        if (!tokens.is(')'))
          return tokens.problem("')' is missing");
        tokens.take();
        form.size += factor;
      } else if (name == names.parent) {
        form.slope += factor;
      } else if (name == "n" && names.isSizeAlsoN) {
        form.size += factor;
      } else {
        unknown.unknownName = name;
        return unknown;
      }
    }
    if (tokens.isEnd())
      return std::nullopt;
    if (!tokens.is('+') && !tokens.is('-'))
      return tokens.problem("'+' or '-' is missing");
    sign = tokens.take() == "+" ? 1 : -1;
  }
}

} // namespace spc::format
