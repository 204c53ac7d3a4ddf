#include "support/diagnostic.h"

#include <algorithm>
#include <cstdlib>

namespace spc {
namespace {

constexpr size_t kLongestWord = 128; // keeps the quadratic table small whatever the input

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

// Edits between two words: insert, delete, replace, swap neighbours; case does not count.
size_t editDistance(std::string_view a, std::string_view b) {
  std::vector<size_t> beforeLast(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j)
    last[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      bool same = lower(a[i - 1]) == lower(b[j - 1]);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (same ? 0 : 1)});
      bool swapped = i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) && lower(a[i - 2]) == lower(b[j - 1]);
      if (swapped)
        row[j] = std::min(row[j], beforeLast[j - 2] + 1);
    }
    beforeLast.swap(last);
    last.swap(row);
  }
  return last[b.size()];
}

} // namespace

std::optional<std::string> didYouMean(std::string_view word, const std::vector<std::string> &candidates) {
  if (word.empty() || word.size() > kLongestWord)
    return std::nullopt;
  // A third of the word may be wrong, but never all of it: `x` is no slip for `y`.
  size_t allowed = std::min((word.size() + 2) / 3, word.size() - 1);
  std::optional<std::string> nearest;
  size_t nearestDistance = allowed + 1;
  for (const std::string &candidate : candidates) {
    size_t longer = std::max(word.size(), candidate.size());
    if (candidate.empty() || longer - std::min(word.size(), candidate.size()) > allowed || candidate == word)
      continue;
    size_t distance = editDistance(word, candidate);
    if (distance < nearestDistance) {
      nearest = candidate;
      nearestDistance = distance;
    }
  }
  return nearest;
}

} // namespace spc
