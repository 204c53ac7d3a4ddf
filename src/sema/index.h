// Coordinates in terms of the loops around them.
#pragma once

#include "support/ids.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace spc::sema {

using LoopId = Id<struct LoopTag>; ///< into Term::loops: position in the loop nest, outermost first

/// `scale` times a loop's variable.
struct IndexTerm {
  LoopId loop;
  int64_t scale = 1;
  auto operator<=>(const IndexTerm &) const = default;
};

/// A coordinate: the sum of its terms and of a constant. One term with scale 1 unless a loop runs over a part of the
/// variable: then i = 4 * (i / 4) + i % 4, or j = i + (j - i). A constant other than 0 is that of a dense tensor's
/// index or of an index value; whoever makes one sees to it that the sum stays inside.
struct Index {
  std::vector<IndexTerm> terms;
  int64_t constant = 0;

  /// Whether it is one loop's variable as it is.
  bool isLoop() const { return terms.size() == 1 && terms.front().scale == 1 && constant == 0; }
  bool has(LoopId loop) const {
    return std::any_of(terms.begin(), terms.end(), [&](const IndexTerm &term) { return term.loop == loop; });
  }
  auto operator<=>(const Index &) const = default;
};

} // namespace spc::sema
