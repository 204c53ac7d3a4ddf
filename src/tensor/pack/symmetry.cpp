#include "tensor/pack/symmetry.h"

#include "tensor/pack/pieces.h"

#include <atomic>
#include <cmath>
#include <limits>
#include <numeric>

namespace spc::tensor {

namespace {

/// Where the mirror image of entry `e` is among sorted entries of a square matrix; size() where there is none.
size_t mirrorOf(const Coordinates &entries, size_t e) {
  const int64_t row = entries.coordinates[2 * e + 1], column = entries.coordinates[2 * e];
  size_t low = 0, high = entries.size();
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    const int64_t *at = entries.coordinates.data() + 2 * middle;
    if (at[0] < row || (at[0] == row && at[1] < column))
      low = middle + 1;
    else
      high = middle;
  }
  const int64_t *at = entries.coordinates.data() + 2 * low;
  return low < entries.size() && at[0] == row && at[1] == column ? low : entries.size();
}

bool isMirrorImage(const Coordinates &entries, size_t a, size_t b, bool isConjugate) {
  const Number value = entries.value(a);
  return (isConjugate ? Number{value.real, -value.imaginary, value.rest} : value) == entries.value(b);
}

/// Whether every one of the sorted entries has its mirror image, in time linear in entries and rows. Walking through
/// the rows from the first to the last, the entries beyond the diagonal ask each other row for its entries before the
/// diagonal one after the other.
bool areMirrored(const Coordinates &entries, bool isConjugate) {
  const size_t size = entries.size();
  const auto rows = static_cast<size_t>(entries.shape[0]);
  const auto same = [&](size_t a, size_t b) { return isMirrorImage(entries, a, b, isConjugate); };
  std::vector<size_t> next(rows + 1);
  for (size_t e = 0; e < size; ++e)
    ++next[static_cast<size_t>(entries.coordinates[2 * e]) + 1];
  std::partial_sum(next.begin(), next.end(), next.begin());
  const int64_t *at = entries.coordinates.data();
  for (size_t e = 0; e < size; ++e) {
    const int64_t row = at[2 * e], column = at[2 * e + 1];
    if (column < row) { // asked for by the row above it, or else there is no such mirror image
      if (next[static_cast<size_t>(row)] <= e)
        return false;
      continue;
    }
    const size_t mirror = column == row ? e : next[static_cast<size_t>(column)]++;
    if (mirror >= size || at[2 * mirror] != column || at[2 * mirror + 1] != row || !same(e, mirror))
      return false;
  }
  return true;
}

} // namespace

Pairs pairsOf(const Coordinates &entries, int pieces) {
  const size_t size = entries.size();
  const int64_t *at = entries.coordinates.data();
  const double *values = entries.values.data();
  const auto extent = static_cast<uint64_t>(entries.shape[0]);
  const double most = std::numeric_limits<double>::max() / static_cast<double>(size);
  const auto mirrorsNext = [=](size_t e) {
    return at[2 * e] == at[2 * e + 3] && at[2 * e + 1] == at[2 * e + 2] && values[e] == values[e + 1];
  };
  std::vector<size_t> begins(static_cast<size_t>(pieces)), ends(begins.size());
  std::atomic<bool> isPaired = true, isSmall = true;
  inPieces(size, pieces, [&](int piece, size_t begin, size_t end) {
    size_t e = begin + (begin > 0 && begin < end && at[2 * begin] != at[2 * begin + 1] && mirrorsNext(begin - 1));
    begins[static_cast<size_t>(piece)] = e;
    bool staysSmall = true;
    while (e < end) {
      const bool isDiagonal = at[2 * e] == at[2 * e + 1];
      if (isDiagonal ? !(values[e] == values[e]) : e + 1 == size || !mirrorsNext(e)) {
        isPaired = false;
        break;
      }
      staysSmall &= static_cast<uint64_t>(at[2 * e]) < extent && static_cast<uint64_t>(at[2 * e + 1]) < extent &&
                    std::abs(values[e]) <= most;
      e += isDiagonal ? 1 : 2;
    }
    ends[static_cast<size_t>(piece)] = e;
    if (!staysSmall)
      isSmall = false;
  });
  bool isCovered = ends.back() == size;
  for (size_t piece = 1; piece < begins.size(); ++piece)
    isCovered &= begins[piece] == ends[piece - 1];
  return !isPaired || !isCovered ? Pairs::None : isSmall ? Pairs::Small : Pairs::Any;
}

std::optional<size_t> withoutMirrorImage(const Coordinates &entries, bool isConjugate) {
  const bool hasFewRows = static_cast<size_t>(entries.shape[0]) <= 4 * entries.size() + (size_t{1} << 16);
  if (hasFewRows && areMirrored(entries, isConjugate))
    return std::nullopt;
  for (size_t e = 0; e < entries.size(); ++e)
    if (const size_t mirror = mirrorOf(entries, e);
        mirror == entries.size() || !isMirrorImage(entries, mirror, e, isConjugate))
      return e;
  return std::nullopt;
}

bool isSymmetric(Coordinates matrix) {
  if (matrix.shape[0] != matrix.shape[1])
    return false;
  const bool isReal = matrix.size() > 0 && matrix.imaginary.empty() && matrix.rests.empty();
  if (isReal && pairsOf(matrix, piecesOf(matrix.size())) == Pairs::Small)
    return true;
  sortAndSum(matrix);
  return !withoutMirrorImage(matrix);
}

} // namespace spc::tensor
