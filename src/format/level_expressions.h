// The little expressions of format files: what a level stores ("i / 4", "j - i") and closed extents ("n - i").
#pragma once

#include "format/format.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace spc::format {

/// A mistake in an expression, and its place: `begin` and `end` count bytes of its text.
struct ExpressionProblem {
  std::string message;
  size_t begin = 0;
  size_t end = 0;
  std::optional<std::string> unknownName; ///< a name that is no dimension's
};

/// Reads `i`, `i / 4`, `i % 4` or `j - i` into dim, part, block and minus of `level`. `dims`: the dimensions' names.
std::optional<ExpressionProblem> readCoordinate(std::string_view text, const std::vector<std::string> &dims,
                                                Level &level);

/// The names that a closed form may use.
struct ClosedFormNames {
  std::string parent;      ///< the parent's dimension, whose coordinate it is
  std::string own;         ///< the level's own one: size(own) is its extent
  bool isSizeAlsoN = true; ///< n is the same, as long as no other dimension is called n

  /// Everything that a form may name.
  std::vector<std::string> all() const;
};

/// Reads a sum of terms `3`, `i`, `2 * i`, `size(j)`, `n`.
std::optional<ExpressionProblem> readClosedForm(std::string_view text, const ClosedFormNames &names, ClosedForm &form);

} // namespace spc::format
