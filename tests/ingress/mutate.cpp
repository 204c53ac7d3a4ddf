#include "ingress/mutate.h"

#include <cctype>
#include <cstddef>

namespace spc::testing {

namespace {

bool isWord(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.' || c == '%' || c == '@' || c == '#';
}

/// Names of values, of functions and of types; numbers; words; signs.
int kindOf(const std::string &token) {
  const char first = token.front();
  return first == '%' || first == '@' || first == '#' || !isWord(first) ? first
         : std::isdigit(static_cast<unsigned char>(first))              ? '0'
                                                                        : 'a';
}

size_t below(size_t bound, std::mt19937_64 &random) {
  return std::uniform_int_distribution<size_t>(0, bound - 1)(random);
}

} // namespace

std::vector<std::string> tokensOf(const std::string &text) {
  std::vector<std::string> tokens;
  for (size_t at = 0; at < text.size();) {
    const size_t begin = at++;
    while (isWord(text[begin]) && at < text.size() && isWord(text[at]))
      ++at;
    while (at < text.size() && std::isspace(static_cast<unsigned char>(text[at])))
      ++at;
    tokens.push_back(text.substr(begin, at - begin));
  }
  return tokens;
}

std::string damaged(const std::string &text, const std::vector<std::string> &others, std::mt19937_64 &random) {
  std::vector<std::string> tokens = tokensOf(text);
  for (size_t change = 1 + below(3, random); change > 0 && !tokens.empty(); --change) {
    const size_t place = below(tokens.size(), random);
    const auto at = tokens.begin() + static_cast<std::ptrdiff_t>(place);
    switch (below(8, random)) {
    case 0:
      tokens.erase(at);
      break;
    case 1:
      tokens.insert(at, tokens[place]);
      break;
    case 2:
      std::swap(tokens[place], tokens[below(tokens.size(), random)]);
      break;
    default: // most often, as it leaves more modules valid: another one of its kind
      for (int tries = 0; tries < 50; ++tries)
        if (const std::string &other = others[below(others.size(), random)]; kindOf(other) == kindOf(tokens[place])) {
          tokens[place] = other;
          break;
        }
      break;
    }
  }
  std::string result;
  for (const std::string &token : tokens)
    result += token;
  return result;
}

} // namespace spc::testing
