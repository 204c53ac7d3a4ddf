#include "tensor/pack/sorting.h"

#include "support/memory.h"
#include "tensor/pack/level_coordinates.h"
#include "tensor/pack/sort_keys.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <numeric>

namespace spc::tensor {

namespace {

using Entry = SortedEntries::Entry;

constexpr int kDigitBits = 11;
constexpr size_t kDigits = size_t{1} << kDigitBits;
constexpr size_t kFewEntries = 24;    ///< sorted by insertion
constexpr size_t kManyEntries = 2048; ///< sorted by digits
constexpr int kMostBucketBits = 22;   ///< more buckets than this miss the caches at each entry

bool isLess(const Entry &a, const Entry &b) {
  return a.key < b.key;
}

/// Stable radix sort by the low `bits` bits.
void sortByDigits(std::span<Entry> entries, int bits) {
  std::vector<Entry> room(entries.size());
  std::span<Entry> from = entries, to = room;
  for (int shift = 0; shift < bits; shift += kDigitBits) {
    const auto digit = [shift](const Entry &entry) { return (entry.key >> shift) & (kDigits - 1); };
    std::array<size_t, kDigits> next{};
    for (const Entry &entry : from)
      ++next[digit(entry)];
    if (next[digit(from.front())] == from.size())
      continue;
    std::exclusive_scan(next.begin(), next.end(), next.begin(), size_t{0});
    for (const Entry &entry : from)
      to[next[digit(entry)]++] = entry;
    std::swap(from, to);
  }
  if (from.data() != entries.data())
    std::copy(from.begin(), from.end(), entries.begin());
}

/// Counts the entries of each bucket of 2^`shift` keys, puts each into its bucket, and sorts the buckets, which are
/// about as many as the entries: comparison sorts are several times slower on millions of them. `Count` holds the
/// number of entries. `payload` gives what stands by a key.
template <typename Count, typename KeyOf, typename Payload>
void sortByBuckets(const Coordinates &from, int bits, const KeyOf &keyOf, const Payload &payload, std::span<Entry> to) {
  const size_t order = from.shape.size();
  const int64_t *coordinates = from.coordinates.data();
  const int bucketBits = std::min({bits, static_cast<int>(std::bit_width(to.size())), kMostBucketBits});
  const int shift = bits - bucketBits;
  std::vector<Count> next((size_t{1} << bucketBits) + 1);
  for (size_t e = 0; e < to.size(); ++e)
    ++next[(keyOf(coordinates + e * order) >> shift) + 1];
  std::partial_sum(next.begin(), next.end(), next.begin());
  for (size_t e = 0; e < to.size(); ++e) {
    const uint64_t key = keyOf(coordinates + e * order);
    to[next[key >> shift]++] = {key, payload(e)};
  }
  size_t begin = 0; // `next` has moved on to where each bucket ends
  for (size_t bucket = 0; bucket + 1 < next.size(); ++bucket) {
    const size_t end = next[bucket];
    if (end - begin > 1)
      sortStably(to.subspan(begin, end - begin), shift);
    begin = end;
  }
}

template <typename KeyOf, typename Payload>
void sortByKey(const Coordinates &from, int bits, const KeyOf &keyOf, const Payload &payload, std::span<Entry> to) {
  const size_t order = from.shape.size();
  const int64_t *coordinates = from.coordinates.data();
  uint64_t last = 0;
  size_t e = 0;
  for (; e < to.size(); ++e) {
    const uint64_t key = keyOf(coordinates + e * order);
    if (key < last)
      break;
    to[e] = {key, payload(e)};
    last = key;
  }
  if (e == to.size() || bits == 0)
    return;
  if (to.size() < UINT32_MAX)
    sortByBuckets<uint32_t>(from, bits, keyOf, payload, to);
  else
    sortByBuckets<uint64_t>(from, bits, keyOf, payload, to);
}

/// For levels that have no key together: the keys are the entries' places in sorted order, those of repeats the same.
void sortByComparison(const Coordinates &byLevel, SortedEntries &sorted) {
  const size_t order = byLevel.shape.size();
  std::vector<size_t> places(byLevel.size());
  std::iota(places.begin(), places.end(), size_t{0});
  const auto begin = [&](size_t e) { return byLevel.coordinates.begin() + static_cast<ptrdiff_t>(e * order); };
  const auto end = [&](size_t e) { return begin(e) + static_cast<ptrdiff_t>(order); };
  std::stable_sort(places.begin(), places.end(), [&](size_t a, size_t b) {
    return std::lexicographical_compare(begin(a), end(a), begin(b), end(b));
  });
  sorted.far.resize(order);
  for (size_t e = 0; e < places.size(); ++e) {
    const bool isRepeat = e > 0 && std::equal(begin(places[e]), end(places[e]), begin(places[e - 1]));
    if (!isRepeat)
      for (size_t k = 0; k < order; ++k)
        sorted.far[k].push_back(begin(places[e])[static_cast<ptrdiff_t>(k)]);
    sorted.entries[e] = {sorted.far.front().size() - 1, std::bit_cast<double>(places[e])};
  }
}

/// Adds up entries of one key.
void sumRepeats(std::vector<Entry, LargePages<Entry>> &entries) {
  size_t kept = 0;
  for (const Entry &entry : entries) {
    if (kept > 0 && entries[kept - 1].key == entry.key)
      entries[kept - 1].value += entry.value;
    else
      entries[kept++] = entry;
  }
  entries.resize(kept);
}

/// What two entries of one place are together, of which `b` was given later.
Number combined(const Number &a, const Number &b, format::Duplicates duplicates, bool asIntegers) {
  const auto isLess = [](const Number &x, const Number &y) {
    return x.real < y.real || (x.real == y.real && (x.rest < y.rest || std::signbit(x.real) > std::signbit(y.real)));
  };
  switch (duplicates) {
  case format::Duplicates::Min:
    return std::isnan(a.real) || isLess(a, b) ? a : b;
  case format::Duplicates::Max:
    return std::isnan(a.real) || isLess(b, a) ? a : b;
  case format::Duplicates::Last:
  case format::Duplicates::Error: // there are none
    return b;
  case format::Duplicates::Sum:
    break;
  }
  return asIntegers ? sumOf(a, b) : Number{a.real + b.real, a.imaginary + b.imaginary};
}

/// Puts the numbers in place of the positions that the sorting has moved, and combines those of one key.
void gatherNumbers(const Coordinates &from, bool asIntegers, format::Duplicates duplicates, SortedEntries &sorted) {
  size_t kept = 0;
  Number sum;
  sorted.imaginary.resize(from.imaginary.empty() ? 0 : from.size());
  sorted.rests.resize(asIntegers ? from.size() : 0);
  for (const Entry entry : sorted.entries) {
    const Number number = from.value(std::bit_cast<size_t>(entry.value));
    if (kept == 0 || sorted.entries[kept - 1].key != entry.key) {
      sum = number;
      ++kept;
    } else {
      sum = combined(sum, number, duplicates, asIntegers);
    }
    sorted.entries[kept - 1] = {entry.key, sum.real};
    if (!sorted.imaginary.empty())
      sorted.imaginary[kept - 1] = sum.imaginary;
    if (asIntegers)
      sorted.rests[kept - 1] = sum.rest;
  }
  sorted.entries.resize(kept);
  sorted.imaginary.resize(sorted.imaginary.empty() ? 0 : kept);
  sorted.rests.resize(asIntegers ? kept : 0);
}

/// Whether adding up integers as doubles may round.
bool mayRound(const Coordinates &entries, sema::ValueType type) {
  constexpr double kExactAsDouble = 0x1p53;
  if (!sema::isInteger(type))
    return false;
  double largest = 0;
  for (const double value : entries.values)
    largest = std::max(largest, std::abs(value));
  return !(largest * static_cast<double>(entries.size()) < kExactAsDouble);
}

} // namespace

/// Sorts by dimensions, and combines what is of one place.
static void sortWhole(Coordinates &entries, sema::ValueType type, format::Duplicates duplicates);

void sortStably(std::span<Entry> entries, int bits) {
  if (entries.size() > kFewEntries) {
    if (std::is_sorted(entries.begin(), entries.end(), isLess))
      return;
    if (entries.size() > kManyEntries)
      sortByDigits(entries, bits);
    else
      std::stable_sort(entries.begin(), entries.end(), isLess);
    return;
  }
  for (size_t e = 1; e < entries.size(); ++e) {
    const Entry moved = entries[e];
    size_t to = e;
    for (; to > 0 && moved.key < entries[to - 1].key; --to)
      entries[to] = entries[to - 1];
    entries[to] = moved;
  }
}

SortedEntries::Column SortedEntries::column(int level) const {
  Column column;
  const auto k = static_cast<size_t>(level);
  if (!far.empty()) {
    column.far_ = far[k].data();
    return column;
  }
  column.entries_ = entries.data();
  column.shift_ = shifts[k];
  column.mask_ = masks[k];
  return column;
}

SortedEntries sortedBy(Coordinates &&given, const format::Format &format, sema::ValueType type) {
  const Coordinates from = std::move(given);
  SortedEntries sorted;
  sorted.entries.resize(from.size());
  const std::optional<KeyLayout> layout = KeyLayout::of(format, from.shape);
  const bool isSum = format.duplicates == format::Duplicates::Sum;
  const bool asIntegers = isSum ? mayRound(from, type) : !from.rests.empty();
  const bool byPosition = asIntegers || !from.imaginary.empty() || !isSum;
  if (!layout) {
    sortByComparison(toLevels(from, format), sorted);
    gatherNumbers(from, asIntegers, format.duplicates, sorted);
    return sorted;
  }
  for (const KeyField &field : layout->fields)
    sorted.shifts.push_back(field.shift);
  sorted.masks = layout->masks;
  layout->with([&](const auto &keyOf) {
    if (byPosition)
      sortByKey(from, layout->bits, keyOf, [](size_t e) { return std::bit_cast<double>(e); }, sorted.entries);
    else
      sortByKey(from, layout->bits, keyOf, [&](size_t e) { return from.values[e]; }, sorted.entries);
  });
  if (byPosition)
    gatherNumbers(from, asIntegers, format.duplicates, sorted);
  else
    sumRepeats(sorted.entries);
  return sorted;
}

void sortAndSum(Coordinates &entries, sema::ValueType type) {
  sortWhole(entries, type, format::Duplicates::Sum);
}

bool sortAndCombine(Coordinates &entries, sema::ValueType type, format::Duplicates duplicates, std::string &error) {
  const size_t given = entries.size();
  Coordinates first = duplicates == format::Duplicates::Error ? entries : Coordinates{entries.shape, {}, {}, {}, {}};
  sortWhole(entries, type, duplicates);
  return duplicates != format::Duplicates::Error || entries.size() == given || haveNoRepeats(first, error);
}

bool haveNoRepeats(const Coordinates &entries, std::string &error) {
  const size_t order = entries.shape.size();
  std::vector<size_t> places(entries.size());
  std::iota(places.begin(), places.end(), size_t{0});
  const auto at = [&](size_t e) { return std::span(entries.coordinates).subspan(e * order, order); };
  std::sort(places.begin(), places.end(), [&](size_t a, size_t b) {
    return std::lexicographical_compare(at(a).begin(), at(a).end(), at(b).begin(), at(b).end());
  });
  for (size_t e = 1; e < places.size(); ++e)
    if (std::equal(at(places[e]).begin(), at(places[e]).end(), at(places[e - 1]).begin())) {
      error = "it has several entries at (";
      for (size_t dim = 0; dim < order; ++dim)
        error += (dim > 0 ? ", " : "") + std::to_string(at(places[e])[dim] + 1);
      error += "), which its format takes for a mistake: \"duplicates\": \"error\"";
      return false;
    }
  return true;
}

static void sortWhole(Coordinates &entries, sema::ValueType type, format::Duplicates duplicates) {
  format::Format whole;
  whole.duplicates = duplicates;
  for (int dim = 0; dim < entries.order(); ++dim)
    whole.levels.push_back({.dim = dim});
  const size_t order = entries.shape.size();
  const std::vector<int64_t> shape = entries.shape;
  const SortedEntries sorted = sortedBy(std::move(entries), whole, type);
  entries = {shape, {}, {}, {}, {}};
  entries.coordinates.resize(sorted.size() * order);
  entries.values.reserve(sorted.size());
  for (size_t k = 0; k < order; ++k) {
    const SortedEntries::Column column = sorted.column(static_cast<int>(k));
    for (size_t e = 0; e < sorted.size(); ++e)
      entries.coordinates[e * order + k] = column[e];
  }
  for (const Entry &entry : sorted.entries)
    entries.values.push_back(entry.value);
  entries.imaginary = sorted.imaginary;
  entries.rests = sorted.rests;
}

bool asVector(Coordinates &entries) {
  if (entries.order() != 2 || (entries.shape[0] != 1 && entries.shape[1] != 1))
    return false;
  const size_t kept = entries.shape[1] == 1 ? 0 : 1;
  for (size_t e = 0; e < entries.size(); ++e)
    entries.coordinates[e] = entries.coordinates[2 * e + kept];
  entries.coordinates.resize(entries.size());
  entries.shape = {entries.shape[kept]};
  return true;
}

} // namespace spc::tensor
