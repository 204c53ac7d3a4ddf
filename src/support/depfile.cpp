#include "support/depfile.h"

#include <algorithm>

namespace spc {

namespace {

constexpr std::string_view kEscaped = " \t#:*?[";
/// What no makefile can say of a prerequisite: these begin a recipe, a variable, a list or another line.
constexpr std::string_view kUnspeakable = ";=|\r\n";
/// As a target, this is a pattern.
constexpr char kPattern = '%';

} // namespace

std::string escapeForMake(std::string_view path) {
  std::string escaped;
  size_t backslashes = 0;
  for (char c : path) {
    bool special = kEscaped.find(c) != std::string_view::npos;
    if (special)
      escaped.append(backslashes + 1, '\\');
    else if (c == '$')
      escaped += '$';
    escaped += c;
    backslashes = c == '\\' ? backslashes + 1 : 0;
  }
  return escaped;
}

bool mayBeTarget(std::string_view path) {
  return path.find_first_of(kUnspeakable) == std::string_view::npos && path.find(kPattern) == std::string_view::npos;
}

std::string makefileText(const Dependencies &dependencies) {
  std::string text;
  for (const std::string &target : dependencies.targets)
    text += (text.empty() ? "" : " ") + target;
  text += ':';
  std::vector<std::string> escaped;
  for (const std::string &path : dependencies.prerequisites) {
    if (path.find_first_of(kUnspeakable) != std::string::npos)
      continue;
    std::string name = escapeForMake(path);
    if (std::find(escaped.begin(), escaped.end(), name) == escaped.end())
      escaped.push_back(std::move(name));
  }
  for (const std::string &name : escaped)
    text += (&name == &escaped.front() ? " " : " \\\n  ") + name;
  text += '\n';
  if (dependencies.phony)
    for (size_t i = 1; i < escaped.size(); ++i)
      if (escaped[i].find(kPattern) == std::string::npos)
        text += escaped[i] + ":\n";
  return text;
}

} // namespace spc
