#include "support/depfile.h"

#include <algorithm>

namespace spc {

namespace {

constexpr std::string_view kEscaped = " \t#:*?[";
/// What no makefile can say of a file: these begin a recipe, a list or another line.
constexpr std::string_view kUnspeakable = ";|\r\n";
/// A target that holds the first is a pattern. A target, or a first prerequisite, that holds the second is a variable.
constexpr char kPattern = '%', kAssignment = '=';

bool holds(std::string_view path, char c) {
  return path.find(c) != std::string_view::npos;
}

/// The names that can be written, escaped: one that would be a variable at the first place stands behind others.
std::vector<std::string> prerequisiteNames(const std::vector<std::string> &paths) {
  std::vector<std::string> names;
  for (const std::string &path : paths) {
    std::string name = escapeForMake(path);
    if (path.find_first_of(kUnspeakable) == std::string::npos &&
        std::find(names.begin(), names.end(), name) == names.end())
      names.push_back(std::move(name));
  }
  const auto behind = std::stable_partition(names.begin(), names.end(),
                                            [](const std::string &name) { return !holds(name, kAssignment); });
  if (behind == names.begin())
    names.clear();
  return names;
}

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
  return path.find_first_of(kUnspeakable) == std::string_view::npos && !holds(path, kPattern) &&
         !holds(path, kAssignment);
}

std::string makefileText(const Dependencies &dependencies) {
  std::string text;
  for (const std::string &target : dependencies.targets)
    text += (text.empty() ? "" : " ") + target;
  text += ':';
  const std::vector<std::string> names = prerequisiteNames(dependencies.prerequisites);
  for (const std::string &name : names)
    text += (&name == &names.front() ? " " : " \\\n  ") + name;
  text += '\n';
  if (!dependencies.phony || names.empty())
    return text;
  const std::string kernel = escapeForMake(dependencies.prerequisites.front());
  for (const std::string &name : names)
    if (name != kernel && !holds(name, kPattern) && !holds(name, kAssignment))
      text += name + ":\n";
  return text;
}

} // namespace spc
