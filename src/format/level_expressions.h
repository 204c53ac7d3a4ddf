// The little expressions of format files: what a level stores ("i / 4", "j - i") and closed extents ("n - i").
#pragma once

#include "format/format.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace spc::format {

/// What is wrong with an expression, and where: `begin` and `end` count bytes of its text.
struct ExpressionProblem {
  std::string message;
  size_t begin = 0;
  size_t end = 0;
  std::optional<std::string> unknownName; ///< a name that is no dimension's
};

/// Reads `i`, `i / 4`, `i % 4` or `j - i` into dim, part, block and minus of `level`. `dims`: the dimensions' names.
std::optional<ExpressionProblem> readCoordinate(std::string_view text, const std::vector<std::string> &dims,
                                                Level &level);

/// Reads a sum of terms `3`, `i`, `2 * i`, `size(j)`, `n`: i is the parent's dimension `parent`, j and n the level's
/// own one, `own`. (A dimension called n is that dimension.)
std::optional<ExpressionProblem> readClosedForm(std::string_view text, const std::string &parent,
                                                const std::string &own, ClosedForm &form);

} // namespace spc::format
