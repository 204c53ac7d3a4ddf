// Sorting of coordinate lists.
#pragma once

#include "format/format.h"
#include "support/memory.h"
#include "tensor/tensor.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace spc::tensor {

/// Entries sorted by level (level_coordinates.h), the first level most significant, without repeats.
class SortedEntries {
public:
  /// An entry's coordinates in one number: a field of bits a level. The value is its real part.
  struct Entry {
    uint64_t key;
    double value;
  };

  /// The coordinates of one level, each less the level's least one.
  class Column {
  public:
    int64_t operator[](size_t entry) const {
      return far_ ? far_[entry] : static_cast<int64_t>(entries_[entry].key >> shift_ & mask_);
    }

  private:
    friend class SortedEntries;
    const Entry *entries_ = nullptr;
    const int64_t *far_ = nullptr;
    int shift_ = 0;
    uint64_t mask_ = 0;
  };

  size_t size() const { return entries.size(); }
  Column column(int level) const;
  Number value(size_t entry) const {
    return {entries[entry].value, imaginary.empty() ? 0 : imaginary[entry], rests.empty() ? int16_t{0} : rests[entry]};
  }

  std::vector<Entry, LargePages<Entry>> entries;
  std::vector<double> imaginary;         ///< as many, or empty where all are 0
  std::vector<int16_t> rests;            ///< see Number::rest; as many, or empty where all are 0
  std::vector<int> shifts;               ///< by level: where its field begins in a key
  std::vector<uint64_t> masks;           ///< by level: its field, moved to bit 0
  std::vector<std::vector<int64_t>> far; ///< by level, in place of keys, where 64 bits do not hold all levels
};

/// Sorts a few or many entries by their keys, which differ in the low `bits` bits alone; those of one key stay in
/// order.
void sortStably(std::span<SortedEntries::Entry> entries, int bits);

/// The entries sorted by dimensions, with repeats combined; false, with the reason in `error`, where they are a
/// mistake.
bool sortAndCombine(Coordinates &entries, sema::ValueType type, format::Duplicates duplicates, std::string &error);

/// Whether no two entries are of one place; else says in `error` which are.
bool haveNoRepeats(const Coordinates &entries, std::string &error);

/// The entries sorted by the levels of a format, with repeats combined as it says in the order in which they stand in
/// `entries`, whose arrays are freed on the way: as integers where `type` is one, else as doubles. Requires coordinates
/// within the shape.
SortedEntries sortedBy(Coordinates &&entries, const format::Format &format, sema::ValueType type);

} // namespace spc::tensor
