// Formats as lists of levels, spelled in a line, and made up at random.
#pragma once

#include "harness/data.h"

#include <string>
#include <vector>

namespace spc::testing {

/// Levels from the outside in, separated by commas: `DIM=STORAGE`, with DIM `0`, `0/2`, `0%2` or `1-0` and STORAGE one
/// of `d` dense, `r` ragged dense, `m` dense by lengths, `L` and `U` the closed forms of a triangle, `c` compressed,
/// `l` compressed by lengths, `f4` of width 4 with repeats, `u4` of width 4 without (0: a width at run time); `*` after
/// it: not unique, `?`: not ordered. Throws std::invalid_argument on anything else.
std::vector<format::Level> readLevels(const std::string &text);

/// The spelling of a list of levels for tensors of `order` that a format file may hold.
std::string randomLevels(int order, Random &random);

} // namespace spc::testing
