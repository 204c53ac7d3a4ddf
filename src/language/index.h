// An index of a tensor: a sum of multiples of index variables and a constant.
#pragma once

#include "language/declarations.h"

#include <cstdint>
#include <string>
#include <vector>

namespace spc::language {

/// `scale` times an index variable and the numbers that a call knows: sizes and scalars of integers.
struct IndexTerm {
  Name variable; ///< empty where numbers alone are multiplied
  int64_t scale = 1;
  std::vector<Name> numbers = {};
};

/// `i`, `3`, `2*i + k - 1`, `n - 1 - i`, `p(i)`. Its name is the variable of a plain index, else the whole as it is
/// written out.
struct Index : Name {
  std::vector<IndexTerm> terms;   ///< multiples of variables
  std::vector<IndexTerm> offsets; ///< multiples of numbers that a call knows
  int64_t constant = 0;
  Name holder;               ///< the tensor of integers that holds the index; empty where it is a sum
  std::vector<Index> within; ///< the holder's own indices

  bool isPlain() const {
    return terms.size() == 1 && terms.front().scale == 1 && terms.front().numbers.empty() && offsets.empty() &&
           constant == 0;
  }
  bool isHeld() const { return !holder.text.empty(); }
  /// Whether it adds up positive multiples that are written out, as a window of an operand does.
  bool isWindow() const;
};

/// Calls `visit` for the index variables of an index, those of its holder's indices among them, but no numbers.
template <typename Visit> void forEachVariable(const Index &index, const Visit &visit) {
  for (const IndexTerm &term : index.terms)
    visit(term.variable);
  for (const Index &inner : index.within)
    forEachVariable(inner, visit);
}

/// An index written out: `2*i + k - 1`.
std::string spellingOf(const Index &index);

} // namespace spc::language
