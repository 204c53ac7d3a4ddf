// Dependency files for make and ninja: -MD, -MF, -MT, -MP.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace spc {

/// The contents of a dependency file: `targets` depend on `prerequisites`.
struct Dependencies {
  /// Written as they are, since -MT's text may be make syntax; a file name goes through escapeForMake first.
  std::vector<std::string> targets;
  /// File names; the kernel comes first. Names with a line break, `;` or `|` have no spelling in a
  /// makefile and are left out; those with `=` stand behind the others, or are left out where there are no others.
  std::vector<std::string> prerequisites;
  /// -MP: an empty rule for each prerequisite but the kernel, so that make does not fail once such a file is deleted;
  /// not for names with `%` or `=`, which would be patterns and variables.
  bool phony = false;
};

/// A file name as make reads it: backslash before a blank, `#`, `:`, `*`, `?` and `[`, backslashes in front of those
/// doubled, `$` doubled. Other backslashes stay single. This is as gcc writes it, with `:` and wildcards besides.
std::string escapeForMake(std::string_view path);

/// Whether a makefile can name a file as a target: not with a line break, `;`, `=`, `|` or `%`.
bool mayBeTarget(std::string_view path);

/// The whole text of the dependency file, one prerequisite a line.
std::string makefileText(const Dependencies &dependencies);

} // namespace spc
