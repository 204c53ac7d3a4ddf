// FROSTT tensor files: one entry a line, 1-based coordinates and then the value (Smith et al., frostt.io, 2017).
#include "format/rule.h"
#include "tensor/files/readers.h"

#include <algorithm>
#include <limits>

namespace spc::tensor {

namespace {

using format::kMaxOrder;

std::string coordinateName(int dim) {
  return "coordinate " + std::to_string(dim + 1);
}

/// Whether what stands in front of the first entries is a header of two lines, as MLIR's runtime writes it: the order
/// and how many entries there are, then the sizes.
bool endsLine(TextReader &text, int order, size_t entries) {
  if (order > 1 || entries > 2 || text.atLineEnd())
    return text.lineEnd();
  return text.malformed("'" + std::string(text.token()) +
                        "' stands where the line ends in those before it: a .tns file has no header of order, entries "
                        "and sizes; leave these two lines out");
}

/// Reads the line that `text` is at and all that follow.
bool readEntries(TextReader &text, const Shape &shape, int order, const PieceSink &sink, Coordinates &result) {
  size_t read = 0;
  constexpr int64_t kNoLimit = std::numeric_limits<int64_t>::max();
  std::vector<std::string> names;
  for (int d = 0; d < order; ++d)
    names.push_back(coordinateName(d));
  std::vector<int64_t> largest(order, 0), at(order, 0);
  result.shape = largest; // says how many coordinates an entry has
  do {
    for (int d = 0; d < order; ++d) {
      if (!text.coordinate(at[d], names[d], shape ? (*shape)[d] : kNoLimit))
        return false;
      largest[d] = std::max(largest[d], at[d] + 1);
    }
    Number value;
    if (!text.real(value) || !endsLine(text, order, read++))
      return false;
    result.append(at.data(), value);
    requireRoom(result);
    if (!givePiece(result, sink, kPieceEntries))
      return false;
  } while (text.nextLine('#'));
  result.shape = shape ? *shape : largest;
  return givePiece(result, sink, 1);
}

} // namespace

std::optional<Coordinates> readTns(TextReader &text, const Shape &shape, const PieceSink &sink) {
  const int tokens = text.nextLine('#') ? text.countTokens(kMaxOrder + 2) : 0;
  Coordinates result;
  if (tokens == 0) {
    if (shape)
      return Coordinates{*shape, {}, {}};
    text.malformed("a file without entries has no shape of its own; give one with --shape");
    return std::nullopt;
  }
  const int order = tokens - 1;
  if (order == 0) {
    text.malformed("a line holds coordinates and a value");
    return std::nullopt;
  }
  if (order > kMaxOrder) {
    text.unsupported("tensors of more than " + std::to_string(kMaxOrder) + " dimensions are not supported");
    return std::nullopt;
  }
  if (shape && static_cast<int>(shape->size()) != order) {
    text.wrongShape("its entries have " + std::to_string(order) + " coordinates, the given shape has " +
                    std::to_string(shape->size()) + " extents");
    return std::nullopt;
  }
  if (!readEntries(text, shape, order, sink, result))
    return std::nullopt;
  return result;
}

} // namespace spc::tensor
