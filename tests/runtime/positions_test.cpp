#include "runtime/runtime.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace spc::runtime::test {
namespace {

/// Memory that is not zero, and that runs out.
struct Memory {
  int64_t left = 100, live = 0;
};

void *allocate(void *user, int64_t bytes) {
  auto &memory = *static_cast<Memory *>(user);
  if (memory.left-- <= 0)
    return nullptr;
  ++memory.live;
  return std::memset(std::malloc(static_cast<size_t>(bytes)), 0x5a, static_cast<size_t>(bytes));
}

void release(void *user, void *array) {
  --static_cast<Memory *>(user)->live;
  std::free(array);
}

bool isZero(const void *array, int64_t extent) {
  const auto *numbers = static_cast<const int32_t *>(array);
  return std::all_of(numbers, numbers + extent, [](int32_t number) { return number == 0; });
}

} // namespace

TEST_CASE("arrays of positions are zeros, handed on, and released") {
  Memory memory;
  const Allocator allocator{&memory, allocate, release, nullptr};
  for (const int64_t extent : {1, 2, 7, 1000}) {
    Positions positions{};
    positions.allocator = &allocator;
    positions.extent = extent;
    void *const first = spc_rt_take_positions(&positions), *const second = spc_rt_take_positions(&positions);
    REQUIRE(first != nullptr);
    REQUIRE(second != nullptr);
    CHECK(first != second);
    CHECK(isZero(first, extent));
    CHECK(isZero(second, extent));
    spc_rt_give_positions(&positions, second);
    CHECK(spc_rt_take_positions(&positions) == second);
    spc_rt_give_positions(&positions, first);
    spc_rt_give_positions(&positions, second);
    CHECK(memory.live == 2);
    spc_rt_release_positions(&positions);
    CHECK(memory.live == 0);
  }
}

TEST_CASE("more arrays of positions than a call keeps are released at once") {
  Memory memory;
  const Allocator allocator{&memory, allocate, release, nullptr};
  Positions positions{};
  positions.allocator = &allocator;
  positions.extent = 10;
  std::vector<void *> arrays;
  for (int64_t k = 0; k < kPooledPositions + 3; ++k)
    arrays.push_back(spc_rt_take_positions(&positions));
  for (void *array : arrays)
    spc_rt_give_positions(&positions, array);
  CHECK(memory.live == kPooledPositions);
  spc_rt_release_positions(&positions);
  CHECK(memory.live == 0);
}

TEST_CASE("there is no array of positions where there is to be none, or no memory") {
  Memory memory{0};
  const Allocator allocator{&memory, allocate, release, nullptr};
  Positions positions{};
  positions.allocator = &allocator;
  positions.extent = 10;
  CHECK(spc_rt_take_positions(&positions) == nullptr);
  spc_rt_give_positions(&positions, nullptr);
  memory.left = 1;
  positions.extent = 0;
  CHECK(spc_rt_take_positions(&positions) == nullptr);
  CHECK(memory.left == 1);
  spc_rt_release_positions(&positions);
  CHECK(memory.live == 0);
}

} // namespace spc::runtime::test
