#include "fuzz/rewriting.h"

#include <algorithm>
#include <cctype>

namespace spc::testing {

std::string renamed(const std::string &text, const std::map<std::string, std::string> &names) {
  std::string result;
  for (size_t at = 0; at < text.size();) {
    size_t end = at;
    while (end < text.size() && (std::isalnum(static_cast<unsigned char>(text[end])) || text[end] == '_'))
      ++end;
    const std::string word = text.substr(at, std::max<size_t>(end - at, 1));
    // A number's exponent is no word of its own.
    const auto name = end > at && !std::isdigit(static_cast<unsigned char>(text[at])) ? names.find(word) : names.end();
    result += name == names.end() ? word : name->second;
    at += word.size();
  }
  return result;
}

} // namespace spc::testing
