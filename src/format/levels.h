// The kinds of a format's levels, and what follows from them. Each question about a level is answered once, here;
// stages switch over the answer.
#pragma once

#include "format/format.h"

namespace spc::format {

/// The kind of level `k` of `levels`, which run from the outside in.
LevelKind kindOf(const std::vector<Level> &levels, int k);
inline LevelKind kindOf(const Format &format, int k) {
  return kindOf(format.levels, k);
}

/// Whether level `k` is a singleton: it has one coordinate for each entry of the listed level above, and that one's
/// positions. Below a dense level one coordinate for each parent is a fixed width of 1, since a parent may have none.
/// False for the level after the last one.
bool continuesParent(const std::vector<Level> &levels, int k);
inline bool continuesParent(const Format &format, int k) {
  return continuesParent(format.levels, k);
}

/// The coordinates that a level may have: from 0, or for differences from 1 - size(`minus`), up to but without
/// size(`dim`) / `block`, rounded up, or `block` itself where there is no `dim`.
struct CoordinateRange {
  std::optional<int> minus;
  std::optional<int> dim;
  int64_t block = 1;
};
CoordinateRange coordinateRange(const Level &level);

/// A compressed root with nothing but singletons below it (COO): one entry, one value.
bool isCoordinateList(const Format &format);

/// How many values lie below each entry of level `k`, where the levels below are singletons, parts of blocks and widths
/// that the format gives; at least 1. Null where that depends on extents, run-time widths or arrays.
std::optional<int64_t> valuesPerEntry(const Format &format, int k);

/// The number that a level's coordinate adds to column - row of a symmetric matrix, or to row - column where the upper
/// triangle is stored: their sum is not positive in the triangle.
int64_t triangleWeight(const Format &format, int k);

/// Whether the format may have slots that hold no entry, and a 0 instead where they are inside of the tensor: the rest
/// of a fixed width or of a closed form, of a ragged row or a triangle, places of a block or of a diagonal. True of a
/// sum where it is of a part.
bool hasPadding(const Format &format);

/// Whether a dense level stands below a list: runs are stored whole, and all of their elements are entries.
bool listsRuns(const Format &format);

/// Whether missing entries have to be 0: where some of them are stored, as padding, in a part of a sum or beside other
/// entries in a dense level below a list.
bool takesZeroFill(const Format &format);

/// Whether loops over the dimensions come to each entry once: neither blocks nor diagonals, one part, all of the
/// tensor, and no entry in several places.
bool isElementwise(const Format &format);

/// Whether a format lists each of its entries once, and nothing else.
bool listsJustEntries(const Format &format);

/// Whether a format holds each entry of a tensor once and in order, and nothing besides.
bool isCanonical(const Format &format);

/// Whether a format has a list at its root, and is else that of a copy whose root is looked up.
bool listsRowsOf(const Format &format, Format found);

/// Whether the sizes alone say which places are stored: those of a triangle or of a band.
bool hasFixedPattern(const Format &format);

/// Whether the format has slots for coordinates outside of the tensor: in its last blocks, or at the ends of diagonals.
bool hasSlotsOutside(const Format &format);

} // namespace spc::format
