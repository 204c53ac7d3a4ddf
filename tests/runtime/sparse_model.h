// A straightforward model of the format algebra: entries packed level by level, to compare the runtime's work with.
#pragma once

#include "runtime/runtime.h"

#include <cstdint>
#include <cstring>
#include <map>
#include <random>
#include <vector>

namespace spc::runtime::test {

using Coordinate = std::vector<int64_t>;
using Entries = std::map<Coordinate, double>; ///< by coordinates in dimension order

struct ModelLevel {
  LevelKind kind;
  int64_t dimension;
};

struct Widths {
  int64_t pointers = 4;
  int64_t indices = 4;
  int64_t values = 8;
};

/// Numbers as an array of 4- or 8-byte integers, in a buffer of exactly that size.
inline std::vector<char> narrowed(const std::vector<int64_t> &numbers, int64_t bytes) {
  std::vector<char> array(numbers.size() * bytes);
  for (size_t i = 0; i < numbers.size(); ++i)
    std::memcpy(array.data() + i * bytes, &numbers[i], bytes); // little-endian hosts
  return array;
}

inline std::vector<char> narrowed(const std::vector<double> &numbers, int64_t bytes) {
  std::vector<char> array(numbers.size() * bytes);
  for (size_t i = 0; i < numbers.size(); ++i) {
    const float single = static_cast<float>(numbers[i]);
    std::memcpy(array.data() + i * bytes, bytes == 4 ? static_cast<const void *>(&single) : &numbers[i], bytes);
  }
  return array;
}

/// A tensor packed into levels, owning its arrays.
struct Packed {
  std::vector<std::vector<char>> pointers;
  std::vector<std::vector<char>> indices;
  std::vector<char> values;
  std::vector<Level> levels;
  Tensor tensor{};
};

/// One parent's entries while packing, in the order of the levels.
using Group = std::vector<std::pair<Coordinate, double>>;

inline std::vector<Group> splitByCoordinate(const Group &group, size_t level) {
  std::vector<Group> parts;
  for (const auto &entry : group) {
    if (parts.empty() || parts.back().front().first[level] != entry.first[level])
      parts.emplace_back();
    parts.back().push_back(entry);
  }
  return parts;
}

/// Appends level `k` of `group` to the arrays and to the groups of the next level.
inline void packLevel(const std::vector<ModelLevel> &levels, size_t k, int64_t extent, const Group &group,
                      std::vector<int64_t> &indices, std::vector<Group> &next) {
  if (levels[k].kind == LevelKind::Dense) {
    std::vector<Group> parts(extent);
    for (const auto &entry : group)
      parts[entry.first[k]].push_back(entry);
    next.insert(next.end(), parts.begin(), parts.end());
    return;
  }
  // Above singletons, coordinates repeat: each entry is a position of its own.
  const bool isList = k + 1 < levels.size() && levels[k + 1].kind == LevelKind::Singleton;
  std::vector<Group> parts;
  if (isList || levels[k].kind == LevelKind::Singleton)
    for (const auto &entry : group)
      parts.push_back({entry});
  else
    parts = splitByCoordinate(group, k);
  for (const Group &part : parts)
    indices.push_back(part.front().first[k]);
  next.insert(next.end(), parts.begin(), parts.end());
}

inline Packed pack(const Entries &entries, const std::vector<int64_t> &shape, const std::vector<ModelLevel> &levels,
                   Widths widths) {
  std::map<Coordinate, double> sorted;
  for (const auto &[coordinate, value] : entries) {
    Coordinate permuted;
    for (const ModelLevel &level : levels)
      permuted.push_back(coordinate[level.dimension]);
    sorted[permuted] = value;
  }
  Packed result;
  result.pointers.resize(levels.size());
  result.indices.resize(levels.size());
  std::vector<Group> groups{Group(sorted.begin(), sorted.end())};
  for (size_t k = 0; k < levels.size(); ++k) {
    const int64_t extent = shape[levels[k].dimension];
    std::vector<int64_t> pointers{0};
    std::vector<int64_t> indices;
    std::vector<Group> next;
    for (const Group &group : groups) {
      packLevel(levels, k, extent, group, indices, next);
      pointers.push_back(static_cast<int64_t>(indices.size()));
    }
    const bool isCompressed = levels[k].kind == LevelKind::Compressed;
    if (isCompressed && k > 0)
      result.pointers[k] = narrowed(pointers, widths.pointers);
    result.indices[k] = narrowed(indices, widths.indices);
    result.levels.push_back({levels[k].kind, levels[k].dimension, extent, nullptr, nullptr});
    result.levels.back().count = isCompressed ? static_cast<int64_t>(indices.size()) : 0;
    groups = std::move(next);
  }
  std::vector<double> values;
  for (const Group &group : groups)
    values.push_back(group.empty() ? 0 : group.front().second);
  result.values = narrowed(values, widths.values);
  for (size_t k = 0; k < levels.size(); ++k) {
    result.levels[k].pointers = result.pointers[k].data();
    result.levels[k].indices = result.indices[k].data();
  }
  result.tensor.order = static_cast<int64_t>(levels.size());
  result.tensor.stored = static_cast<int64_t>(values.size());
  result.tensor.pointerBytes = widths.pointers;
  result.tensor.indexBytes = widths.indices;
  result.tensor.valueBytes = widths.values;
  result.tensor.levels = result.levels.data();
  result.tensor.values = result.values.data();
  return result;
}

/// `count` random entries, fewer where they collide.
inline Entries randomEntries(const std::vector<int64_t> &shape, int count, unsigned seed) {
  std::mt19937 random(seed);
  Entries entries;
  for (int64_t extent : shape)
    if (extent == 0)
      return entries;
  for (int e = 0; e < count; ++e) {
    Coordinate coordinate;
    for (int64_t extent : shape)
      coordinate.push_back(std::uniform_int_distribution<int64_t>(0, extent - 1)(random));
    entries[coordinate] = 1 + e;
  }
  return entries;
}

} // namespace spc::runtime::test
