// Why two dimensions of a kernel's tensors have one size, for messages about sizes that differ.
#pragma once

#include "support/source.h"
#include "syntax/ast.h"

#include <string>
#include <vector>

namespace spc::host {

/// A dimension of a tensor of the source text.
struct Dimension {
  std::string tensor;
  size_t dim = 0;
  auto operator<=>(const Dimension &) const = default;
};

/// The reason why two dimensions are one size, in words, and where the kernel says so.
struct Tie {
  Span where;
  std::string message; ///< "'j' runs over dimension 1 of 'A' and dimension 0 of 'x'"
};

/// "dimension 1 of 'A'"
std::string spelled(const Dimension &dimension);

/// The shortest chain of ties from one dimension to the other: declared names that both have, and index variables that
/// run over both. Empty where the text alone does not tie them.
std::vector<Tie> tiesBetween(const syntax::Kernel &kernel, const Dimension &from, const Dimension &to);

} // namespace spc::host
