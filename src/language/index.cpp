#include "language/index.h"

#include <algorithm>
#include <cstdlib>

namespace spc::language {

namespace {

/// `2*n*i`, without its sign.
std::string sizeOf(const IndexTerm &term) {
  std::string text = std::abs(term.scale) == 1 ? "" : std::to_string(std::abs(term.scale));
  const auto multiply = [&](const std::string &factor) { text += (text.empty() ? "" : "*") + factor; };
  for (const Name &number : term.numbers)
    multiply(number.text);
  if (!term.variable.text.empty())
    multiply(term.variable.text);
  return text;
}

} // namespace

bool Index::isWindow() const {
  return !isHeld() && offsets.empty() && std::all_of(terms.begin(), terms.end(), [](const IndexTerm &term) {
    return term.scale > 0 && term.numbers.empty();
  });
}

std::string spellingOf(const Index &index) {
  std::string text;
  for (const Index &inner : index.within)
    text += (text.empty() ? index.holder.text + "(" : ", ") + spellingOf(inner);
  if (index.isHeld())
    return text + ")";
  const auto add = [&](bool isNegative, const std::string &size) {
    text += text.empty() ? (isNegative ? "-" : "") : isNegative ? " - " : " + ";
    text += size;
  };
  // What is subtracted first of all would begin with a sign.
  const bool startsWithOffset = !index.offsets.empty() && (index.terms.empty() || index.terms.front().scale < 0) &&
                                index.offsets.front().scale > 0;
  for (const bool ofOffsets : {startsWithOffset, !startsWithOffset})
    for (const IndexTerm &term : ofOffsets ? index.offsets : index.terms)
      add(term.scale < 0, sizeOf(term));
  if (text.empty())
    return std::to_string(index.constant);
  const bool startsWithConstant = text.front() == '-' && index.constant > 0;
  if (startsWithConstant)
    return std::to_string(index.constant) + " - " + text.substr(1);
  if (index.constant != 0)
    add(index.constant < 0, std::to_string(std::abs(index.constant)));
  return text;
}

} // namespace spc::language
