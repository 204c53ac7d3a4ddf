#include "tensor/packer.h"

#include "format/levels.h"
#include "tensor/level_coordinates.h"

#include <algorithm>
#include <limits>
#include <new>

namespace spc::tensor {

using abi::FieldRole;
using format::Extent;
using format::Level;
using format::LevelKind;

Packer::Packer(PackedArrays &arrays, const std::vector<int64_t> &shape, SortedEntries entries, std::string &error)
    : arrays_(arrays), shape_(shape), entries_(std::move(entries)), error_(error), at_(entries_.size(), 0) {}

bool Packer::fail(std::string message) {
  error_ = std::move(message);
  return false;
}

bool Packer::pack() {
  for (int k = 0; k < arrays_.format().levelCount(); ++k)
    if (!packLevel(k))
      return false;
  arrays_.valueCount = positions_;
  arrays_.setNumber(FieldRole::Stored, 0, positions_);
  void *values = arrays_.allocate(FieldRole::Values, 0, positions_);
  for (size_t e = 0; e < entries_.size(); ++e) {
    const Number value{entries_.values[e], entries_.imaginary.empty() ? 0 : entries_.imaginary[e]};
    // Parts of one slot (duplicates below a level that is not unique never share one) were summed by the sorting.
    if (!arrays_.storeValue(values, at_[e], value))
      return fail("value " + toText(value) + " " + whyNotStored(value, arrays_.valueType()));
  }
  return true;
}

bool Packer::packLevel(int k) {
  switch (format::kindOf(arrays_.format(), k)) {
  case LevelKind::Dense:
    return dense(k);
  case LevelKind::RaggedDense:
  case LevelKind::ClosedDense:
    return raggedDense(k);
  case LevelKind::Singleton:
    return writeIndices(k);
  case LevelKind::Compressed:
    return compressed(k);
  case LevelKind::FixedWidth:
  case LevelKind::ClosedCompressed:
    return bounded(k);
  }
  return false;
}

bool Packer::multiply(int64_t count) {
  return !__builtin_mul_overflow(positions_, count, &positions_) || fail("it does not fit into memory");
}

bool Packer::dense(int k) {
  const int64_t extent = rangeOf(level(k), shape_).count;
  if (!multiply(extent))
    return false;
  for (size_t e = 0; e < at_.size(); ++e)
    at_[e] = at_[e] * extent + entries_.columns[k][e];
  return true;
}

/// How many slots each parent has, where that does not follow from its entries.
std::vector<int64_t> Packer::capacities(int k) {
  const Level &level = this->level(k);
  std::vector<int64_t> capacity(static_cast<size_t>(positions_));
  if (level.extent == Extent::Closed) {
    const int64_t parents = std::max<int64_t>(1, shape_[this->level(k - 1).dim]);
    for (int64_t p = 0; p < positions_; ++p)
      capacity[p] = valueOf(level.length, p % parents, shape_[level.dim]);
    return capacity;
  }
  int64_t width = level.width.value_or(0);
  if (!level.width) {
    for (size_t e = 0, count = 0; e < at_.size(); ++e) {
      const bool isSameParent = e > 0 && at_[e] == at_[e - 1];
      const bool isRepeat = isSameParent && entries_.columns[k][e] == entries_.columns[k][e - 1];
      count = isSameParent ? count + !isRepeat : 1;
      width = std::max(width, static_cast<int64_t>(count));
    }
    arrays_.setNumber(FieldRole::Width, k, width);
  }
  std::fill(capacity.begin(), capacity.end(), width);
  return capacity;
}

bool Packer::raggedDense(int k) {
  const Level &level = this->level(k);
  std::vector<int64_t> lengths(static_cast<size_t>(positions_)), starts(static_cast<size_t>(positions_));
  if (level.extent == Extent::Closed) {
    const int64_t parents = std::max<int64_t>(1, shape_[this->level(k - 1).dim]);
    lengths = capacities(k);
    for (int64_t p = 0; p < positions_; ++p) {
      starts[p] = valueOf(level.start, p % parents, shape_[level.dim]);
      if (lengths[p] < 0 || starts[p] < 0 || starts[p] + lengths[p] > shape_[level.dim])
        return fail("its shape does not fit the closed form of the format's extent");
    }
  } else {
    for (size_t e = 0; e < at_.size(); ++e)
      lengths[at_[e]] = std::max(lengths[at_[e]], entries_.columns[k][e] + 1);
    if (!writeSegments(k, lengths))
      return false;
  }
  std::vector<int64_t> begin(lengths.size() + 1);
  for (size_t p = 0; p < lengths.size(); ++p)
    begin[p + 1] = begin[p] + lengths[p];
  for (size_t e = 0; e < at_.size(); ++e) {
    const int64_t place = entries_.columns[k][e] - starts[at_[e]];
    if (place < 0 || place >= lengths[at_[e]])
      return fail("it has an entry at coordinate " + std::to_string(entries_.columns[k][e] + 1) +
                  " (from 1) of dimension " + std::to_string(level.dim + 1) + ", outside of what the format stores");
    at_[e] = begin[at_[e]] + place;
  }
  positions_ = begin.back();
  arrays_.setNumber(FieldRole::Count, k, positions_);
  return true;
}

/// Pointers or lengths of a level.
bool Packer::writeSegments(int k, const std::vector<int64_t> &lengths) {
  const format::IndexType type = arrays_.format().pointers;
  const bool isLengths = level(k).hasLengths();
  int64_t total = 0;
  void *array = arrays_.allocate(isLengths ? FieldRole::Lengths : FieldRole::Pointers, k,
                                 static_cast<int64_t>(lengths.size()) + !isLengths);
  for (size_t p = 0; p < lengths.size(); ++p) {
    total += lengths[p];
    PackedArrays::store(array, type, static_cast<int64_t>(p) + !isLengths, isLengths ? lengths[p] : total);
  }
  if (total > format::largest(type))
    return fail("its number of entries " + std::to_string(total) + " does not fit the format's " +
                format::spelling(type) + " pointers");
  return true;
}

bool Packer::compressed(int k) {
  const std::vector<int64_t> &column = entries_.columns[k];
  const bool isRoot = k == 0;
  std::vector<int64_t> lengths(isRoot ? 0 : static_cast<size_t>(positions_));
  std::vector<int64_t> next(at_.size());
  // Levels above a singleton repeat a coordinate for each entry below.
  const bool repeats = format::continuesParent(arrays_.format(), k + 1);
  int64_t count = 0;
  for (size_t e = 0; e < at_.size(); ++e) {
    const bool shares = !repeats && e > 0 && at_[e] == at_[e - 1] && column[e] == column[e - 1];
    if (!shares) {
      ++count;
      if (!isRoot)
        ++lengths[at_[e]];
    }
    next[e] = count - 1;
  }
  arrays_.setNumber(FieldRole::Count, k, count);
  if (!isRoot && !writeSegments(k, lengths))
    return false;
  at_ = std::move(next);
  positions_ = count;
  return writeIndices(k);
}

/// A level with a given number of slots a parent, some of which may be padding.
bool Packer::bounded(int k) {
  const std::vector<int64_t> capacity = capacities(k);
  std::vector<int64_t> begin(capacity.size() + 1);
  for (size_t p = 0; p < capacity.size(); ++p)
    if (capacity[p] < 0 || __builtin_add_overflow(begin[p], capacity[p], &begin[p + 1]))
      return fail("its shape does not fit the format's extent");
  std::vector<int64_t> slots;
  if (!choosePadded(k, capacity, slots))
    return false;
  positions_ = begin.back();
  if (!allocateIndices(k))
    return false;
  for (int64_t p = 0; p < positions_; ++p)
    if (!storeIndex(k, p, slots[static_cast<size_t>(p)]))
      return false;
  // An entry's slot is the first of its parent's with its coordinate.
  for (size_t e = 0; e < at_.size(); ++e) {
    const auto first = slots.begin() + begin[at_[e]], last = slots.begin() + begin[at_[e] + 1];
    at_[e] = std::find(first, last, entries_.columns[k][e]) - slots.begin();
  }
  return true;
}

/// The coordinates of every slot, parent by parent: those of the entries, and padding. Where coordinates are unique the
/// padding takes others, in order; else it repeats the last one.
bool Packer::choosePadded(int k, const std::vector<int64_t> &capacity, std::vector<int64_t> &slots) {
  const int64_t extent = rangeOf(level(k), shape_).count;
  size_t e = 0;
  for (size_t p = 0; p < capacity.size(); ++p) {
    const size_t first = slots.size();
    for (; e < at_.size() && at_[e] == static_cast<int64_t>(p); ++e)
      if (slots.size() == first || slots.back() != entries_.columns[k][e])
        slots.push_back(entries_.columns[k][e]);
    const auto used = static_cast<int64_t>(slots.size() - first);
    if (used > capacity[p])
      return fail("one parent of level " + std::to_string(k) + " has " + std::to_string(used) +
                  " entries, the format's width is " + std::to_string(capacity[p]));
    if (capacity[p] > 0 && extent == 0)
      return fail("its extent is 0, which leaves no coordinate for padding");
    if (level(k).unique && capacity[p] > extent)
      return fail("the format's width " + std::to_string(capacity[p]) + " is above the extent " +
                  std::to_string(extent));
    for (int64_t candidate = 0; static_cast<int64_t>(slots.size() - first) < capacity[p]; ++candidate) {
      if (!level(k).unique)
        slots.push_back(used == 0 ? 0 : slots.back());
      else if (!std::binary_search(slots.begin() + first, slots.begin() + first + used, candidate))
        slots.push_back(candidate);
    }
    if (level(k).unique)
      std::sort(slots.begin() + first, slots.end());
  }
  return true;
}

bool Packer::writeIndices(int k) {
  if (!allocateIndices(k))
    return false;
  for (size_t e = 0; e < at_.size(); ++e)
    if (!storeIndex(k, at_[e], entries_.columns[k][e]))
      return false;
  return true;
}

bool Packer::allocateIndices(int k) {
  if (!arrays_.format().interleaved) {
    indices_ = arrays_.allocate(FieldRole::Indices, k, positions_);
    return true;
  }
  const int first = arrays_.format().firstListed();
  if (k == first) {
    indexStride_ = arrays_.format().levelCount() - k;
    int64_t count = 0;
    if (__builtin_mul_overflow(positions_, indexStride_, &count))
      throw std::bad_alloc();
    indices_ = arrays_.allocate(FieldRole::Entries, k, count);
  }
  indexOffset_ = k - first;
  return true;
}

bool Packer::storeIndex(int k, int64_t position, int64_t coordinate) {
  const format::IndexType type = arrays_.format().indices;
  const int64_t value = coordinate + rangeOf(level(k), shape_).low;
  if (value > format::largest(type))
    return fail("coordinate " + std::to_string(value) + " does not fit the format's " + format::spelling(type) +
                " indices");
  PackedArrays::store(indices_, type, position * indexStride_ + indexOffset_, value);
  return true;
}

} // namespace spc::tensor
