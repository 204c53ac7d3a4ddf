#include "tensor/pack/packer.h"

#include "format/levels.h"
#include "tensor/pack/level_coordinates.h"

#include <algorithm>
#include <new>

namespace spc::tensor {

using abi::FieldRole;
using format::Level;
using format::LevelKind;

namespace {

/// Calls `use` with an array as what it is an array of.
template <typename Use> void withElements(void *array, format::IndexType type, const Use &use) {
  switch (type) {
  case format::IndexType::U8:
    return use(static_cast<uint8_t *>(array));
  case format::IndexType::U16:
    return use(static_cast<uint16_t *>(array));
  case format::IndexType::I32:
    return use(static_cast<int32_t *>(array));
  case format::IndexType::I64:
    return use(static_cast<int64_t *>(array));
  }
}

} // namespace

Packer::Packer(PackedArrays &arrays, const std::vector<int64_t> &shape, SortedEntries entries, std::string &error)
    : arrays_(arrays), shape_(shape), entries_(std::move(entries)), error_(error), at_(entries_.size(), int64_t{0}) {}

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
  return writeValues();
}

/// Parts of one slot (duplicates below a level that is not unique never share one) were summed by the sorting.
bool Packer::writeValues() {
  void *values = arrays_.allocate(FieldRole::Values, 0, positions_);
  const size_t size = entries_.size();
  const auto copy = [&](auto *to) {
    for (size_t e = 0; e < size; ++e)
      to[at_[e]] = static_cast<std::remove_pointer_t<decltype(to)>>(entries_.entries[e].value);
    return true;
  };
  if (entries_.imaginary.empty() && arrays_.valueType() == sema::ValueType::F64)
    return copy(static_cast<double *>(values));
  if (entries_.imaginary.empty() && arrays_.valueType() == sema::ValueType::F32)
    return copy(static_cast<float *>(values));
  for (size_t e = 0; e < size; ++e)
    if (const Number value = entries_.value(e); !arrays_.storeValue(values, at_[e], value))
      return fail(valueNotStored(value, arrays_.valueType()));
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
  const SortedEntries::Column column = entries_.column(k);
  for (size_t e = 0; e < at_.size(); ++e)
    at_[e] = at_[e] * extent + column[e];
  return true;
}

/// The slots of each parent, by the closed form of the level's extent.
std::vector<int64_t> Packer::closedLengths(int k) const {
  const int64_t parents = std::max<int64_t>(1, shape_[level(k - 1).dim]);
  std::vector<int64_t> lengths(static_cast<size_t>(positions_));
  for (int64_t p = 0; p < positions_; ++p)
    lengths[p] = valueOf(level(k).length, p % parents, shape_[level(k).dim]);
  return lengths;
}

/// The slots of each parent where all have as many: the format's number, or that of the fullest parent.
int64_t Packer::givenWidth(int k) {
  if (level(k).width)
    return *level(k).width;
  const SortedEntries::Column column = entries_.column(k);
  int64_t width = 0, count = 0;
  for (size_t e = 0; e < at_.size(); ++e) {
    const bool isSameParent = e > 0 && at_[e] == at_[e - 1];
    const bool isRepeat = isSameParent && column[e] == column[e - 1];
    count = isSameParent ? count + !isRepeat : 1;
    width = std::max(width, count);
  }
  arrays_.setNumber(FieldRole::Width, k, width);
  return width;
}

bool Packer::raggedDense(int k) {
  const Level &level = this->level(k);
  const SortedEntries::Column column = entries_.column(k);
  std::vector<int64_t> lengths(static_cast<size_t>(positions_)), starts(static_cast<size_t>(positions_));
  if (hasClosedLength(format::kindOf(arrays_.format(), k))) {
    const int64_t parents = std::max<int64_t>(1, shape_[this->level(k - 1).dim]);
    lengths = closedLengths(k);
    for (int64_t p = 0; p < positions_; ++p) {
      starts[p] = valueOf(level.start, p % parents, shape_[level.dim]);
      if (lengths[p] < 0 || starts[p] < 0 || starts[p] + lengths[p] > shape_[level.dim])
        return fail("its shape does not fit the closed form of the format's extent");
    }
  } else {
    for (size_t e = 0; e < at_.size(); ++e)
      lengths[at_[e]] = std::max(lengths[at_[e]], column[e] + 1);
    if (!writeSegments(k, lengths))
      return false;
  }
  std::vector<int64_t> begin(lengths.size() + 1);
  for (size_t p = 0; p < lengths.size(); ++p)
    begin[p + 1] = begin[p] + lengths[p];
  for (size_t e = 0; e < at_.size(); ++e) {
    const int64_t place = column[e] - starts[at_[e]];
    if (place < 0 || place >= lengths[at_[e]])
      return fail("it has an entry at coordinate " + std::to_string(column[e] + 1) + " (from 1) of dimension " +
                  std::to_string(level.dim + 1) + ", outside of what the format stores");
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
  withElements(array, type, [&](auto *elements) {
    using Element = std::remove_pointer_t<decltype(elements)>;
    for (size_t p = 0; p < lengths.size(); ++p) {
      total += lengths[p];
      elements[p + !isLengths] = static_cast<Element>(isLengths ? lengths[p] : total);
    }
  });
  if (total > format::largest(type))
    return fail("its number of entries " + std::to_string(total) + " does not fit the format's " +
                format::spelling(type) + " pointers");
  return true;
}

bool Packer::compressed(int k) {
  const SortedEntries::Column column = entries_.column(k);
  const bool isRoot = k == 0;
  std::vector<int64_t> lengths(isRoot ? 0 : static_cast<size_t>(positions_));
  // Levels above a singleton repeat a coordinate for each entry below.
  const bool repeats = format::continuesParent(arrays_.format(), k + 1);
  int64_t count = 0, lastParent = -1, lastCoordinate = -1;
  for (size_t e = 0; e < at_.size(); ++e) {
    const int64_t parent = at_[e], coordinate = column[e];
    if (repeats || parent != lastParent || coordinate != lastCoordinate) {
      ++count;
      if (!isRoot)
        ++lengths[parent];
    }
    lastParent = parent;
    lastCoordinate = coordinate;
    at_[e] = count - 1;
  }
  arrays_.setNumber(FieldRole::Count, k, count);
  if (!isRoot && !writeSegments(k, lengths))
    return false;
  positions_ = count;
  return writeIndices(k);
}

/// A level with a given number of slots a parent, some of which may be padding.
bool Packer::bounded(int k) {
  const int64_t parents = positions_;
  const auto fill = [&](const auto &capacityOf) {
    positions_ = 0;
    for (int64_t p = 0; p < parents; ++p)
      if (const int64_t slots = capacityOf(p); slots < 0 || __builtin_add_overflow(positions_, slots, &positions_))
        return fail("its shape does not fit the format's extent");
    return withIndices(k, [&](const auto &put) { return fillPadded(k, capacityOf, parents, put); });
  };
  if (hasClosedLength(format::kindOf(arrays_.format(), k)))
    return fill([lengths = closedLengths(k)](int64_t p) { return lengths[p]; });
  return fill([width = givenWidth(k)](int64_t) { return width; });
}

/// The coordinates of every slot, parent by parent: those of the entries, and padding. Where coordinates are unique the
/// padding takes others, the least ones, all in order; else it repeats the last one. Puts each entry into the slot with
/// its coordinate.
template <typename CapacityOf, typename Put>
bool Packer::fillPadded(int k, const CapacityOf &capacityOf, int64_t parents, const Put &put) {
  const int64_t extent = rangeOf(level(k), shape_).count;
  const bool isUnique = level(k).unique;
  const SortedEntries::Column column = entries_.column(k);
  int64_t slot = 0;
  size_t e = 0;
  for (int64_t p = 0; p < parents; ++p) {
    const int64_t capacity = capacityOf(p);
    int64_t used = 0;
    size_t end = e;
    for (; end < at_.size() && at_[end] == p; ++end)
      used += end == e || column[end] != column[end - 1];
    if (used > capacity)
      return fail("one parent of level " + std::to_string(k) + " has " + std::to_string(used) +
                  " entries, the format's width is " + std::to_string(capacity));
    if (capacity > 0 && extent == 0)
      return fail("its extent is 0, which leaves no coordinate for padding");
    if (isUnique && capacity > extent)
      return fail("the format's width " + std::to_string(capacity) + " is above the extent " + std::to_string(extent));
    int64_t padding = capacity - used, other = 0, last = -1;
    for (; e < end; ++e) {
      const int64_t coordinate = column[e];
      if (coordinate != last) {
        for (; isUnique && padding > 0 && other < coordinate; --padding)
          put(slot++, other++);
        put(slot++, coordinate);
        other = coordinate + 1;
        last = coordinate;
      }
      at_[e] = slot - 1;
    }
    for (; padding > 0; --padding)
      put(slot++, isUnique ? other++ : std::max<int64_t>(last, 0));
  }
  return true;
}

bool Packer::writeIndices(int k) {
  const SortedEntries::Column column = entries_.column(k);
  return withIndices(k, [&](const auto &put) {
    for (size_t e = 0; e < at_.size(); ++e)
      put(at_[e], column[e]);
    return true;
  });
}

/// Makes a level's array of coordinates and calls `write` with what puts one of them at a position.
template <typename Write> bool Packer::withIndices(int k, const Write &write) {
  const format::IndexType type = arrays_.format().indices;
  if (!indicesFit(k))
    return false;
  allocateIndices(k);
  const int64_t low = rangeOf(level(k), shape_).low, stride = indexStride_, offset = indexOffset_;
  bool isDone = false;
  withElements(indices_, type, [&](auto *elements) {
    using Element = std::remove_pointer_t<decltype(elements)>;
    if (stride == 1)
      isDone = write([=](int64_t at, int64_t coordinate) { elements[at] = static_cast<Element>(coordinate + low); });
    else
      isDone = write([=](int64_t at, int64_t coordinate) {
        elements[at * stride + offset] = static_cast<Element>(coordinate + low);
      });
  });
  return isDone;
}

/// Whether the format's index type holds all coordinates of a level.
bool Packer::indicesFit(int k) {
  const format::IndexType type = arrays_.format().indices;
  const LevelRange range = rangeOf(level(k), shape_);
  if (range.low + (range.count - 1) <= format::largest(type))
    return true;
  const SortedEntries::Column column = entries_.column(k);
  for (size_t e = 0; e < at_.size(); ++e)
    if (const int64_t value = column[e] + range.low; value > format::largest(type))
      return fail("coordinate " + std::to_string(value) + " does not fit the format's " + format::spelling(type) +
                  " indices");
  return true;
}

void Packer::allocateIndices(int k) {
  if (!arrays_.format().interleaved) {
    indices_ = arrays_.allocate(FieldRole::Indices, k, positions_);
    return;
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
}

} // namespace spc::tensor
