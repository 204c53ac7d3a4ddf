// How much a format stores of a tensor: the slots of each level, and the bytes of all arrays.
#pragma once

#include "format/format.h"

namespace spc::format {

/// Numbers are doubles, so that what fits no machine has a size, too.
struct Footprint {
  std::vector<double> positions; ///< by level: its slots
  double values = 0;             ///< slots of the values array, padding included
  double bytes = 0;              ///< of all arrays
};

/// The footprint of a tensor of `shape` in a format, its values having `valueBytes`. Some levels depend on the entries,
/// which are those of the stored triangle where the format is symmetric: `counts` holds how many positions each
/// compressed and each ragged dense level has in all, and how wide a level of fixed width is whose width the format
/// leaves open; its other numbers are not looked at. Requires: a format of one part, with a number for each level and
/// an extent for each dimension.
Footprint footprintOf(const Format &format, const std::vector<int64_t> &shape, int valueBytes,
                      const std::vector<double> &counts);

/// The least that a format stores of so many entries, wherever they are. Requires the same.
Footprint leastFootprint(const Format &format, const std::vector<int64_t> &shape, int valueBytes, double entries);

} // namespace spc::format
