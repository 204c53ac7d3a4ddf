// An index of a tensor: a sum of multiples of index variables and a constant.
#pragma once

#include "language/declarations.h"

#include <cstdint>
#include <string>
#include <vector>

namespace spc::language {

/// `scale` times an index variable.
struct IndexTerm {
  Name variable;
  int64_t scale = 1;
};

/// `i`, `3`, `2*i + k - 1`. Its name is the variable of a plain index, else the whole as it is written out.
struct Index : Name {
  std::vector<IndexTerm> terms; ///< scales are positive
  int64_t constant = 0;

  bool isPlain() const { return terms.size() == 1 && terms.front().scale == 1 && constant == 0; }
};

/// An index written out: `2*i + k - 1`.
std::string spellingOf(const Index &index);

} // namespace spc::language
