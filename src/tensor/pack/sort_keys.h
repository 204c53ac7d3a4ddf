// Coordinates of all levels of a format in one number. Private to this folder.
#pragma once

#include "format/format.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace spc::tensor {

/// The part of an entry's coordinates that a level stores, and its place in the key.
struct KeyField {
  format::Part part;
  int dim, minus;
  int64_t block;
  int64_t low; ///< the level's least coordinate
  int shift;

  uint64_t of(const int64_t *at) const {
    int64_t coordinate = at[dim];
    switch (part) {
    case format::Part::Whole:
      break;
    case format::Part::Quotient:
      coordinate /= block;
      break;
    case format::Part::Remainder:
      coordinate %= block;
      break;
    case format::Part::Difference:
      coordinate -= at[minus];
      break;
    }
    return static_cast<uint64_t>(coordinate - low) << shift;
  }
};

/// Fields from the first level, in the highest bits, to the last one.
struct KeyLayout {
  std::vector<KeyField> fields;
  std::vector<uint64_t> masks; ///< of each field, moved to bit 0
  int bits = 0;

  /// nullopt where 64 bits do not hold all levels.
  static std::optional<KeyLayout> of(const format::Format &format, const std::vector<int64_t> &shape);

  /// Calls `use` with a function that makes the key of the coordinates at an address: whole coordinates, which most
  /// levels store, are put together without a look at what each level stores.
  template <typename Use> void with(const Use &use) const {
    bool isWhole = true;
    for (const KeyField &field : fields)
      isWhole = isWhole && field.part == format::Part::Whole;
    if (isWhole && fields.size() == 2) {
      const int first = fields[0].dim, second = fields[1].dim, shift = fields[0].shift;
      return use([=](const int64_t *at) {
        return static_cast<uint64_t>(at[first]) << shift | static_cast<uint64_t>(at[second]);
      });
    }
    use([this](const int64_t *at) {
      uint64_t key = 0;
      for (const KeyField &field : fields)
        key |= field.of(at);
      return key;
    });
  }
};

} // namespace spc::tensor
