// Text taken apart and put together.
#pragma once

#include <sstream>
#include <string>
#include <vector>

namespace spc::testing {

inline std::vector<std::string> split(const std::string &text, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);)
    parts.push_back(part);
  return parts;
}

inline std::string joined(const std::vector<std::string> &parts, char separator) {
  std::string text;
  for (const std::string &part : parts)
    text += (text.empty() ? "" : std::string(1, separator)) + part;
  return text;
}

} // namespace spc::testing
