#include "tensor/sorting.h"

#include <algorithm>
#include <array>
#include <numeric>

namespace spc::tensor {

namespace {

/// An entry's coordinates as one number, and where the entry stands.
struct Key {
  uint64_t key;
  size_t entry;
};

constexpr int kDigitBits = 11;
constexpr size_t kDigits = size_t{1} << kDigitBits;

/// Stable radix sort by the low `keyBits` bits. Comparison sorts are several times slower on millions of entries.
void radixSort(std::vector<Key> &keys, int keyBits) {
  std::vector<Key> other(keys.size());
  for (int shift = 0; shift < keyBits; shift += kDigitBits) {
    auto digit = [shift](const Key &key) { return (key.key >> shift) & (kDigits - 1); };
    std::array<size_t, kDigits> next{};
    for (const Key &key : keys)
      ++next[digit(key)];
    std::exclusive_scan(next.begin(), next.end(), next.begin(), size_t{0});
    for (const Key &key : keys)
      other[next[digit(key)]++] = key;
    keys.swap(other);
  }
}

/// Keys of all entries in sorted order; false when the shape has more elements than a key can tell apart.
bool sortByKey(const Coordinates &entries, const std::vector<int> &dims, std::vector<size_t> &sorted) {
  uint64_t elements = 1;
  for (int64_t extent : entries.shape)
    if (__builtin_mul_overflow(elements, static_cast<uint64_t>(extent), &elements))
      return false;
  const size_t order = entries.shape.size();
  std::vector<Key> keys(entries.size());
  bool isSorted = true;
  for (size_t e = 0; e < keys.size(); ++e) {
    const int64_t *at = entries.coordinates.data() + e * order;
    uint64_t key = 0;
    for (int dim : dims)
      key = key * static_cast<uint64_t>(entries.shape[dim]) + static_cast<uint64_t>(at[dim]);
    keys[e] = {key, e};
    isSorted = isSorted && (e == 0 || keys[e - 1].key <= key);
  }
  int keyBits = 0;
  while (keyBits < 64 && (elements >> keyBits) != 0)
    ++keyBits;
  if (!isSorted)
    radixSort(keys, keyBits);
  std::transform(keys.begin(), keys.end(), sorted.begin(), [](const Key &key) { return key.entry; });
  return true;
}

void sortByComparison(const Coordinates &entries, const std::vector<int> &dims, std::vector<size_t> &sorted) {
  const size_t order = entries.shape.size();
  std::iota(sorted.begin(), sorted.end(), size_t{0});
  std::stable_sort(sorted.begin(), sorted.end(), [&](size_t a, size_t b) {
    for (int dim : dims) {
      int64_t left = entries.coordinates[a * order + dim];
      int64_t right = entries.coordinates[b * order + dim];
      if (left != right)
        return left < right;
    }
    return false;
  });
}

} // namespace

SortedEntries sortedBy(const Coordinates &entries, const std::vector<int> &dims) {
  std::vector<size_t> sorted(entries.size());
  if (!sortByKey(entries, dims, sorted))
    sortByComparison(entries, dims, sorted);
  const size_t order = entries.shape.size();
  SortedEntries result;
  result.columns.resize(order);
  for (std::vector<int64_t> &column : result.columns)
    column.reserve(sorted.size());
  result.values.reserve(sorted.size());
  const bool isComplex = !entries.imaginary.empty();
  const int64_t *previous = nullptr;
  for (size_t e : sorted) {
    const int64_t *at = entries.coordinates.data() + e * order;
    if (previous && std::equal(at, at + order, previous)) {
      result.values.back() += entries.values[e];
      if (isComplex)
        result.imaginary.back() += entries.imaginary[e];
      continue;
    }
    for (size_t k = 0; k < order; ++k)
      result.columns[k].push_back(at[dims[k]]);
    result.values.push_back(entries.values[e]);
    if (isComplex)
      result.imaginary.push_back(entries.imaginary[e]);
    previous = at;
  }
  return result;
}

void sortAndSum(Coordinates &entries) {
  std::vector<int> dims(entries.shape.size());
  std::iota(dims.begin(), dims.end(), 0);
  SortedEntries sorted = sortedBy(entries, dims);
  const size_t order = dims.size();
  entries.coordinates.resize(sorted.size() * order);
  for (size_t k = 0; k < order; ++k)
    for (size_t e = 0; e < sorted.size(); ++e)
      entries.coordinates[e * order + k] = sorted.columns[k][e];
  entries.values = std::move(sorted.values);
  entries.imaginary = std::move(sorted.imaginary);
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
