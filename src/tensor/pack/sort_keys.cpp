#include "tensor/pack/sort_keys.h"

#include "tensor/pack/level_coordinates.h"

#include <bit>

namespace spc::tensor {

std::optional<KeyLayout> KeyLayout::of(const format::Format &format, const std::vector<int64_t> &shape) {
  constexpr int kBits = 64;
  KeyLayout layout;
  for (const format::Level &level : format.levels) {
    const LevelRange range = rangeOf(level, shape);
    const int bits = range.count > 1 ? std::bit_width(static_cast<uint64_t>(range.count - 1)) : 0;
    for (KeyField &field : layout.fields)
      field.shift += bits;
    layout.fields.push_back({level.part, level.dim, level.minus, level.block, range.low, 0});
    layout.masks.push_back((uint64_t{1} << bits) - 1);
    layout.bits += bits;
  }
  if (layout.bits > kBits)
    return std::nullopt;
  for (KeyField &field : layout.fields)
    if (field.shift == kBits) // of a level with one coordinate, whose field has no bits
      field.shift = 0;
  return layout;
}

} // namespace spc::tensor
