#include "language/index.h"

#include <cstdlib>

namespace spc::language {

std::string spellingOf(const Index &index) {
  std::string text;
  for (const Index &inner : index.within)
    text += (text.empty() ? index.holder.text + "(" : ", ") + spellingOf(inner);
  if (index.isHeld())
    return text + ")";
  for (const IndexTerm &term : index.terms)
    text +=
        (text.empty() ? "" : " + ") + (term.scale == 1 ? "" : std::to_string(term.scale) + "*") + term.variable.text;
  if (text.empty())
    return std::to_string(index.constant);
  if (index.constant != 0)
    text += (index.constant < 0 ? " - " : " + ") + std::to_string(std::abs(index.constant));
  return text;
}

} // namespace spc::language
