// Work over a range, divided among this machine's processors. Private to this folder.
#pragma once

#include <cstddef>
#include <functional>

namespace spc::tensor {

/// Into how many pieces `size` elements are worth dividing: 1 for few of them, and no more than this process may use
/// processors.
int piecesOf(size_t size);

/// The element with which piece `piece` of `pieces` of a range of `size` elements begins; it is `size` for `pieces`.
constexpr size_t pieceBegin(size_t size, int piece, int pieces) {
  const auto at = static_cast<size_t>(piece), count = static_cast<size_t>(pieces);
  return size / count * at + size % count * at / count;
}

/// Calls `work(piece, begin, end)` once for each piece of a range of `size` elements, on this thread and as many others
/// as are free to help, and comes back when all pieces are done. The first piece's exception is thrown on.
void inPieces(size_t size, int pieces, const std::function<void(int piece, size_t begin, size_t end)> &work);

} // namespace spc::tensor
