// What kernels with --checked find out about their arguments: overlaps in memory, and structures by the validators'
// rules, in shares as well as in one go.
#include "runtime/runtime.h"
#include "runtime/workers.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <numeric>
#include <random>
#include <set>
#include <vector>

namespace spc::runtime::test {
namespace {

/// Regions of one array of bytes.
char memory[4096];

Region regionAt(int64_t first, int64_t bytes, const std::vector<int64_t> &extents, const std::vector<int64_t> &strides,
                bool isWritten = true) {
  Region region{memory + first, bytes, isWritten, static_cast<int64_t>(extents.size()), {}, {}};
  std::copy(extents.begin(), extents.end(), region.extents);
  std::copy(strides.begin(), strides.end(), region.strides);
  return region;
}

bool overlap(const std::vector<Region> &regions) {
  return spc_rt_check_overlaps(regions.data(), static_cast<int64_t>(regions.size())) != 0;
}

/// The bytes of a region, one by one.
std::set<const char *> bytesOf(const Region &region) {
  std::vector<int64_t> at(static_cast<size_t>(region.order));
  std::set<const char *> bytes;
  for (int64_t d = 0; d < region.order; ++d)
    if (region.extents[d] == 0)
      return bytes;
  while (true) {
    int64_t element = 0;
    for (size_t d = 0; d < at.size(); ++d)
      element += at[d] * region.strides[d];
    for (int64_t byte = 0; byte < region.bytes; ++byte)
      bytes.insert(static_cast<const char *>(region.first) + element * region.bytes + byte);
    size_t d = at.size();
    while (d > 0 && ++at[d - 1] == region.extents[d - 1])
      at[--d] = 0;
    if (d == 0)
      return bytes;
  }
}

int32_t structureStatus(const Tensor &tensor, bool isParallel) {
  const auto backwards = [](void *, int64_t tasks, void (*task)(void *, int64_t), void *closure) {
    while (tasks-- > 0)
      task(closure, tasks);
  };
  const Workers workers{nullptr, isParallel ? +backwards : nullptr};
  return spc_rt_check_structure(&workers, &tensor, 0);
}

} // namespace

TEST_CASE("regions overlap where they share a byte") {
  CHECK(overlap({regionAt(0, 8, {4}, {1}), regionAt(31, 1, {1}, {1})}));
  CHECK_FALSE(overlap({regionAt(0, 8, {4}, {1}), regionAt(32, 1, {1}, {1})}));
  CHECK_FALSE(overlap({regionAt(0, 8, {4}, {1}, false), regionAt(0, 8, {4}, {1}, false)}));
  CHECK_FALSE(overlap({regionAt(0, 8, {0}, {1}), regionAt(0, 8, {4}, {1})}));
  Region nothing = regionAt(0, 8, {4}, {1});
  nothing.first = nullptr;
  CHECK_FALSE(overlap({nothing, nothing}));
  // The left and the right half of the columns of one matrix.
  CHECK_FALSE(overlap({regionAt(0, 8, {5, 3}, {6, 1}), regionAt(24, 8, {5, 3}, {6, 1})}));
  CHECK(overlap({regionAt(0, 8, {5, 4}, {6, 1}), regionAt(24, 8, {5, 3}, {6, 1})}));
}

TEST_CASE("overlaps are found exactly") {
  std::mt19937 random(7);
  const auto below = [&](int64_t bound) { return static_cast<int64_t>(random() % static_cast<uint64_t>(bound)); };
  int found = 0;
  for (int round = 0; round < 20000; ++round) {
    std::vector<Region> regions;
    for (int k = 0; k < 2; ++k) {
      std::vector<int64_t> extents, strides;
      for (int64_t order = 1 + below(3); order > 0; --order) {
        extents.push_back(below(4) + (below(8) > 0));
        strides.push_back(below(12) - 2);
      }
      regions.push_back(regionAt(1000 + below(200), int64_t{1} << below(4), extents, strides));
    }
    const std::set<const char *> first = bytesOf(regions[0]), second = bytesOf(regions[1]);
    const bool expected =
        std::any_of(first.begin(), first.end(), [&](const char *byte) { return second.count(byte) > 0; });
    found += expected;
    if (overlap(regions) != expected)
      FAIL("round " << round << (expected ? ": missed" : ": there is none"));
  }
  CHECK(found > 1000);
  CHECK(found < 19000);
}

TEST_CASE("structures are checked the same in shares") {
  constexpr int64_t kLongRows = 100000;
  std::vector<int32_t> pointers(kLongRows + 1), indices(2 * kLongRows);
  for (int64_t row = 0; row <= kLongRows; ++row)
    pointers[static_cast<size_t>(row)] = static_cast<int32_t>(2 * row);
  for (int64_t entry = 0; entry < 2 * kLongRows; ++entry)
    indices[static_cast<size_t>(entry)] = static_cast<int32_t>(entry % 2 * 7);
  Level levels[2] = {{LevelKind::Dense, 0, kLongRows, nullptr, nullptr},
                     {LevelKind::Compressed, 1, 8, pointers.data(), indices.data(), 2 * kLongRows}};
  levels[1].isUnique = levels[1].isOrdered = 1;
  const Tensor tensor{2, 2 * kLongRows, 4, 4, 8, levels, nullptr};
  const auto expect = [&](int32_t status) {
    CHECK(structureStatus(tensor, false) == status);
    CHECK(structureStatus(tensor, true) == status);
  };
  expect(0);
  for (const size_t place : {size_t{0}, size_t{77777}, indices.size() - 1}) {
    const int32_t before = indices[place];
    indices[place] = 8;
    expect(static_cast<int32_t>(Status::IndexRange));
    indices[place] = -1;
    expect(static_cast<int32_t>(Status::IndexRange));
    indices[place] = 7 - before;
    expect(11); // a duplicate
    std::swap(indices[place & ~size_t{1}], indices[place | 1]);
    indices[place] = before;
  }
  std::fill(indices.begin(), indices.end(), 0);
  for (size_t entry = 0; entry < indices.size(); entry += 2)
    indices[entry + 1] = 7;
  std::swap(indices[150000], indices[150001]);
  expect(10); // unsorted
  std::swap(indices[150000], indices[150001]);
  pointers[5] = 100;
  expect(static_cast<int32_t>(Status::Pointers));
}

TEST_CASE("the order of a list is checked across shares") {
  std::vector<int32_t> rows(200000), columns(rows.size(), 3);
  std::iota(rows.begin(), rows.end(), 0);
  const auto count = static_cast<int64_t>(rows.size());
  Level levels[2] = {{LevelKind::Compressed, 0, count, nullptr, rows.data(), count},
                     {LevelKind::Singleton, 1, 8, nullptr, columns.data()}};
  levels[0].isOrdered = levels[1].isOrdered = levels[1].isUnique = 1;
  const Tensor tensor{2, count, 4, 4, 8, levels, nullptr};
  for (const bool isParallel : {false, true})
    for (const size_t place : {size_t{0}, size_t{24999}, size_t{49999}, size_t{99999}, rows.size() - 2}) {
      CHECK(structureStatus(tensor, isParallel) == 0);
      std::swap(rows[place], rows[place + 1]);
      CHECK(structureStatus(tensor, isParallel) == 10);
      std::swap(rows[place], rows[place + 1]);
      const int32_t before = rows[place + 1];
      rows[place + 1] = rows[place];
      CHECK(structureStatus(tensor, isParallel) == 11);
      rows[place + 1] = before;
    }
}

} // namespace spc::runtime::test
