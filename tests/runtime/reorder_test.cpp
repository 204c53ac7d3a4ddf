#include "copy_request.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <numeric>

namespace spc::runtime::test {
namespace {

bool sameBytes(const void *array, const std::vector<char> &expected) {
  return expected.empty() || std::memcmp(array, expected.data(), expected.size()) == 0;
}

void checkCopy(const Entries &entries, const std::vector<int64_t> &shape, const std::vector<ModelLevel> &from,
               const std::vector<int64_t> &dimensions, Widths sourceWidths, Widths copyWidths) {
  const Packed source = pack(entries, shape, from, sourceWidths);
  const Packed expected = pack(entries, shape, copyLevels(dimensions), copyWidths);
  Request copy(shape, dimensions, copyWidths);
  CountingMemory memory;
  const Allocator hooks = memory.hooks();
  REQUIRE(spc_rt_reorder(&hooks, &source.tensor, &copy.tensor) == 0);
  CHECK(memory.live.size() == 1);
  CHECK(copy.tensor.stored == expected.tensor.stored);
  CHECK(sameBytes(copy.tensor.values, expected.values));
  for (size_t k = 1; k < dimensions.size(); ++k) {
    CHECK(sameBytes(copy.levels[k].pointers, expected.pointers[k]));
    CHECK(sameBytes(copy.levels[k].indices, expected.indices[k]));
  }
  hooks.release(hooks.user, copy.tensor.values);
  CHECK(memory.live.empty());
}

/// Storages of a source of `order` levels: rows, fibers, coordinate lists, and mixtures.
std::vector<std::vector<LevelKind>> storages(size_t order) {
  using enum LevelKind;
  std::vector<std::vector<LevelKind>> result;
  std::vector<LevelKind> fibers(order, Compressed);
  result.push_back(fibers);
  std::vector<LevelKind> list(order, Singleton);
  list[0] = Compressed;
  result.push_back(list);
  if (order >= 2) {
    std::vector<LevelKind> rows = fibers;
    rows[0] = Dense;
    result.push_back(rows);
  }
  if (order >= 3) {
    std::vector<LevelKind> denseTop = fibers;
    denseTop[0] = denseTop[1] = Dense;
    result.push_back(denseTop);
    std::vector<LevelKind> rowLists = list;
    rowLists[0] = Dense;
    rowLists[1] = Compressed;
    result.push_back(rowLists);
  }
  return result;
}

void checkAllOrders(const std::vector<int64_t> &shape, int count, unsigned seed) {
  const Entries entries = randomEntries(shape, count, seed);
  std::vector<int64_t> stored(shape.size());
  std::iota(stored.begin(), stored.end(), 0);
  do {
    for (const std::vector<LevelKind> &storage : storages(shape.size())) {
      std::vector<ModelLevel> from;
      for (size_t k = 0; k < shape.size(); ++k)
        from.push_back({storage[k], stored[k]});
      std::vector<int64_t> wanted(shape.size());
      std::iota(wanted.begin(), wanted.end(), 0);
      do
        checkCopy(entries, shape, from, wanted, {}, {});
      while (std::next_permutation(wanted.begin(), wanted.end()));
    }
  } while (std::next_permutation(stored.begin(), stored.end()));
}

} // namespace

TEST_CASE("every storage is copied in every order of dimensions") {
  checkAllOrders({5}, 3, 1);
  checkAllOrders({7, 4}, 12, 2);
  checkAllOrders({4, 5, 3}, 20, 3);
  checkAllOrders({3, 2, 4, 3}, 25, 4);
}

TEST_CASE("empty and degenerate shapes") {
  checkAllOrders({0}, 0, 1);
  checkAllOrders({5}, 0, 1);
  checkAllOrders({0, 3}, 0, 1);
  checkAllOrders({3, 0}, 0, 1);
  checkAllOrders({1, 1}, 1, 1);
  checkAllOrders({6, 5}, 0, 1);
  checkAllOrders({4, 0, 3}, 0, 1);
  checkAllOrders({1, 9, 1}, 5, 1);
}

TEST_CASE("all widths of pointers, indices and values") {
  const std::vector<int64_t> shape{9, 6, 5};
  const Entries entries = randomEntries(shape, 40, 5);
  using enum LevelKind;
  for (int bits = 0; bits < 32; ++bits) {
    const auto width = [bits](int bit) { return (bits >> bit & 1) != 0 ? int64_t{8} : int64_t{4}; };
    checkCopy(entries, shape, {{Dense, 0}, {Compressed, 1}, {Compressed, 2}}, {2, 0, 1}, {width(0), width(1), width(4)},
              {width(2), width(3), width(4)});
  }
}

TEST_CASE("extents of several digits are sorted") {
  const std::vector<int64_t> shape{70000, 5000000};
  const Entries entries = randomEntries(shape, 3000, 6);
  using enum LevelKind;
  checkCopy(entries, shape, {{Compressed, 1}, {Compressed, 0}}, {0, 1}, {}, {});
  checkCopy(entries, shape, {{Dense, 0}, {Compressed, 1}}, {1, 0}, {}, {8, 8, 8});
}

TEST_CASE("coordinates above 32 bits") {
  const std::vector<int64_t> shape{300, int64_t{1} << 40};
  const Entries entries = randomEntries(shape, 500, 7);
  using enum LevelKind;
  checkCopy(entries, shape, {{Compressed, 1}, {Singleton, 0}}, {0, 1}, {8, 8, 8}, {4, 8, 8});
}

TEST_CASE("nothing leaks when memory runs out") {
  const std::vector<int64_t> shape{6, 5};
  using enum LevelKind;
  const Packed source = pack(randomEntries(shape, 10, 8), shape, {{Dense, 0}, {Compressed, 1}}, {});
  int failures = 0;
  for (int failAt = 0; failAt < 10; ++failAt) {
    CountingMemory memory;
    memory.failAt = failAt;
    const Allocator hooks = memory.hooks();
    Request copy(shape, {1, 0}, {});
    const auto status = static_cast<Status>(spc_rt_reorder(&hooks, &source.tensor, &copy.tensor));
    if (status == Status::Ok) {
      hooks.release(hooks.user, copy.tensor.values);
    } else {
      CHECK(status == Status::Memory);
      ++failures;
    }
    CHECK(memory.live.empty());
  }
  CHECK(failures == 2);
}

TEST_CASE("malformed tensors give a status and keep nothing") {
  const std::vector<int64_t> shape{4, 3};
  using enum LevelKind;
  const Entries entries{{{0, 1}, 1.0}, {{2, 0}, 2.0}, {{3, 2}, 3.0}};
  Packed source = pack(entries, shape, {{Dense, 0}, {Compressed, 1}}, {});
  Request copy(shape, {1, 0}, {});
  CountingMemory memory;
  const Allocator hooks = memory.hooks();
  const auto run = [&] { return static_cast<Status>(spc_rt_reorder(&hooks, &source.tensor, &copy.tensor)); };
  auto *pointers = reinterpret_cast<int32_t *>(source.pointers[1].data());
  auto *indices = reinterpret_cast<int32_t *>(source.indices[1].data());

  SECTION("negative counts") {
    source.tensor.stored = -1;
    CHECK(run() == Status::Count);
    source.tensor.stored = 3;
    source.tensor.levels[0].count = -1;
    CHECK(run() == Status::Count);
  }
  SECTION("fewer entries than promised") {
    source.tensor.stored = 4;
    CHECK(run() == Status::Count);
  }
  SECTION("more entries than promised") {
    source.tensor.stored = 2;
    CHECK(run() == Status::Count);
  }
  SECTION("pointers that come back to entries") {
    pointers[1] = 3;
    CHECK(run() == Status::Count);
  }
  SECTION("coordinates out of range") {
    indices[1] = 3;
    CHECK(run() == Status::IndexRange);
    indices[1] = -1;
    CHECK(run() == Status::IndexRange);
  }
  CHECK(memory.live.empty());
}

TEST_CASE("a copy whose index types are too narrow is refused") {
  const int64_t wide = int64_t{1} << 32;
  const std::vector<int64_t> shape{wide, 3};
  using enum LevelKind;
  const Packed source = pack({{{wide - 1, 1}, 1.0}}, shape, {{Compressed, 0}, {Compressed, 1}}, {8, 8, 8});
  Request copy(shape, {1, 0}, {4, 4, 8});
  CountingMemory memory;
  const Allocator hooks = memory.hooks();
  CHECK(static_cast<Status>(spc_rt_reorder(&hooks, &source.tensor, &copy.tensor)) == Status::IndexType);
  CHECK(memory.requests == 0);
}

TEST_CASE("a root too large for memory is no crash") {
  const std::vector<int64_t> shape{3, INT64_MAX};
  using enum LevelKind;
  const Packed source = pack({{{1, 5}, 1.0}}, shape, {{Dense, 0}, {Compressed, 1}}, {8, 8, 8});
  Request copy(shape, {1, 0}, {8, 8, 8});
  CountingMemory memory;
  const Allocator hooks = memory.hooks();
  CHECK(static_cast<Status>(spc_rt_reorder(&hooks, &source.tensor, &copy.tensor)) == Status::Memory);
  CHECK(memory.live.empty());
}

} // namespace spc::runtime::test
