#include "tensor/mirror_pairs.h"

#include "tensor/pieces.h"

#include <atomic>
#include <cmath>
#include <limits>

namespace spc::tensor {

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

} // namespace spc::tensor
