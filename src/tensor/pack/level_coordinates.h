// Entries in level space: one coordinate for each level of a format.
#pragma once

#include "format/format.h"
#include "tensor/tensor.h"

#include <cstdint>
#include <vector>

namespace spc::tensor {

/// The least coordinate of a level, negative for differences, and how many there are.
struct LevelRange {
  int64_t low = 0;
  int64_t count = 0;
};

LevelRange rangeOf(const format::Level &level, const std::vector<int64_t> &shape);

/// The entries with one coordinate a level, less the level's least one; the shape holds the levels' counts.
Coordinates toLevels(const Coordinates &entries, const format::Format &format);

/// A closed form's value under a parent with this coordinate.
int64_t valueOf(const format::ClosedForm &form, int64_t parent, int64_t size);

} // namespace spc::tensor
