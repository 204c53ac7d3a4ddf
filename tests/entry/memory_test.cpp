// Temporaries, converted copies and the context's memory hooks.
#include "../../include/spc/spc.h"
#include "harness/probe.h"

#include <catch2/catch.hpp>

#include <deque>
#include <set>

namespace spc::entry::test {
namespace {

using abi::FieldRole;

/// Memory hooks that never reuse memory, so that a test can look at it after the call, and fail on request.
struct Arena {
  int failAt = -1;
  int requests = 0;
  std::deque<std::vector<int64_t>> blocks;
  std::vector<int64_t> sizes;
  std::set<void *> live;
  spc_context context{sizeof(spc_context), this, allocate, release, nullptr};

  static void *allocate(void *user, int64_t bytes, int64_t /*alignment*/) noexcept {
    auto &arena = *static_cast<Arena *>(user);
    CHECK(bytes > 0);
    if (arena.requests++ == arena.failAt || bytes > (1 << 20))
      return nullptr;
    arena.sizes.push_back(bytes);
    arena.blocks.emplace_back((bytes + 7) / 8);
    arena.live.insert(arena.blocks.back().data());
    return arena.blocks.back().data();
  }
  static void release(void *user, void *memory) noexcept { CHECK(static_cast<Arena *>(user)->live.erase(memory) == 1); }
};

/// A(m, n) = [[0, 1, 0], [2, 0, 3]].
CsrArrays threeEntries() {
  return {{0, 1, 3}, {1, 0, 2}, {1, 2, 3}};
}

template <typename T> std::vector<T> arrayAt(int64_t address, size_t count) {
  const T *array = reinterpret_cast<const T *>(static_cast<intptr_t>(address));
  return {array, array + count};
}

/// A(m, n) in CSR, read by columns from a copy, beside two temporaries.
struct CopyingProbe {
  CopyingProbe() {
    const auto m = probe.extent("m");
    const auto n = probe.extent("n");
    const auto a = probe.operand("A", formatOf("dc"), {m, n});
    probe.temporary("A.sum", formatOf("dd", {1, 0}), {m, n});
    probe.temporary("t", formatOf("d"), {n});
    probe.converted("A.by_column", formatOf("dc", {1, 0}, format::IndexType::I64), a);
  }
  Probe probe;
};

} // namespace

TEST_CASE("temporaries have room for their extents") {
  CopyingProbe test;
  const size_t values = test.probe.ask(R"(values, "A.sum")");
  const size_t outer = test.probe.ask(R"(stride, "A.sum", 1)");
  const size_t inner = test.probe.ask(R"(stride, "A.sum", 0)");
  const size_t vector = test.probe.ask(R"(values, "t")");
  Running run(test.probe);
  CsrArrays operand = threeEntries();
  operand.fill(run["A"]);
  Arena arena;
  REQUIRE(run.call(&arena.context) == SPC_OK);
  CHECK(run.got(values) == reinterpret_cast<intptr_t>(arena.blocks[0].data()));
  CHECK(run.got(vector) == reinterpret_cast<intptr_t>(arena.blocks[1].data()));
  CHECK(arena.sizes[0] == 2 * 3 * 8);
  CHECK(arena.sizes[1] == 3 * 8);
  CHECK(run.got(outer) == 2);
  CHECK(run.got(inner) == 1);
  CHECK(arena.live.empty());
}

TEST_CASE("a converted copy holds the operand in its own storage") {
  CopyingProbe test;
  const size_t pointers = test.probe.ask(R"(pointers, "A.by_column", 1)");
  const size_t indices = test.probe.ask(R"(indices, "A.by_column", 1)");
  const size_t values = test.probe.ask(R"(values, "A.by_column")");
  const size_t stored = test.probe.ask(R"(stored, "A.by_column")");
  Running run(test.probe);
  CsrArrays operand = threeEntries();
  operand.fill(run["A"]);
  Arena arena;
  REQUIRE(run.call(&arena.context) == SPC_OK);
  CHECK(run.got(stored) == 3);
  CHECK(arrayAt<int64_t>(run.got(pointers), 4) == std::vector<int64_t>{0, 1, 2, 3});
  CHECK(arrayAt<int32_t>(run.got(indices), 3) == std::vector<int32_t>{1, 0, 1});
  CHECK(arrayAt<double>(run.got(values), 3) == std::vector<double>{2, 1, 3});
  CHECK(arena.live.empty());
}

TEST_CASE("every allocation may fail, and nothing leaks") {
  CopyingProbe test;
  Running run(test.probe);
  CsrArrays operand = threeEntries();
  operand.fill(run["A"]);
  int failures = 0;
  int32_t status = SPC_ERROR_MEMORY;
  for (int failAt = 0; status != SPC_OK && failAt < 100; ++failAt) {
    Arena arena;
    arena.failAt = failAt;
    status = run.call(&arena.context);
    CHECK(arena.live.empty());
    CHECK(run.bodyRan() == (status == SPC_OK));
    if (status != SPC_OK) {
      CHECK(status == SPC_ERROR_MEMORY);
      ++failures;
    }
  }
  CHECK(status == SPC_OK);
  CHECK(failures >= 2 + 3); // two temporaries, the copy's arrays, and what the runtime works with
}

TEST_CASE("a copy reports an operand's faults") {
  CopyingProbe test;
  Running run(test.probe);
  CsrArrays operand = threeEntries();
  operand.fill(run["A"]);
  Arena arena;
  operand.indices[2] = 3;
  CHECK(run.call(&arena.context) == SPC_ERROR_INDEX_RANGE);
  CHECK_FALSE(run.bodyRan());
  operand.pointers[2] = 2;
  CHECK(run.call(&arena.context) == SPC_ERROR_COUNT);
  CHECK(arena.live.empty());
}

TEST_CASE("malloc serves a NULL context and one without hooks") {
  CopyingProbe test;
  Running run(test.probe);
  CsrArrays operand = threeEntries();
  operand.fill(run["A"]);
  CHECK(run.call(nullptr) == SPC_OK);
  spc_context context = spc_default_context();
  CHECK(run.call(&context) == SPC_OK);
}

TEST_CASE("empty temporaries are not allocated") {
  Probe probe;
  const auto m = probe.extent("m");
  const auto n = probe.extent("n");
  probe.operand("x", formatOf("d"), {m});
  probe.operand("y", formatOf("d"), {n});
  probe.temporary("t", formatOf("dd"), {m, n});
  Running run(probe);
  double value = 0;
  for (const char *name : {"x", "y"})
    run[name].point(FieldRole::Values, 0, &value);
  Arena arena;
  // The product of the extents alone would overflow.
  run["x"].at(FieldRole::Size) = INT64_MAX;
  run["x"].at(FieldRole::Stride) = 1;
  CHECK(run.call(&arena.context) == SPC_OK);
  CHECK(arena.requests == 0);
}

TEST_CASE("a temporary whose size overflows is memory that ran out") {
  Probe probe;
  const auto m = probe.extent("m");
  probe.operand("x", formatOf("d"), {m});
  probe.temporary("t", formatOf("dd"), {m, m});
  Running run(probe);
  double value = 0;
  Arena arena;
  run["x"].point(FieldRole::Values, 0, &value);
  run["x"].at(FieldRole::Stride) = 1;
  for (int64_t size : {int64_t{1} << 31, int64_t{1} << 32, int64_t{1} << 33, INT64_MAX}) {
    run["x"].at(FieldRole::Size) = size;
    CHECK(run.call(&arena.context) == SPC_ERROR_MEMORY);
  }
  CHECK(arena.requests == 0);
  run["x"].at(FieldRole::Size) = int64_t{1} << 29;
  CHECK(run.call(&arena.context) == SPC_ERROR_MEMORY);
  CHECK(arena.requests == 1);
}

TEST_CASE("a temporary of order 0 needs no memory") {
  Probe probe;
  probe.temporary("t", formatOf(""), {});
  const size_t values = probe.ask(R"(values, "t")");
  Running run(probe);
  Arena arena;
  CHECK(run.call(&arena.context) == SPC_OK);
  CHECK(run.got(values) != 0);
  CHECK(arena.requests == 0);
}

TEST_CASE("malformed contexts are refused") {
  Probe probe;
  Running run(probe);
  Arena arena;
  CHECK(run.call(&arena.context) == SPC_OK);
  SECTION("too small") {
    arena.context.struct_size = offsetof(spc_context, parallel_cost) - 1;
  }
  SECTION("no size") {
    arena.context.struct_size = 0;
  }
  SECTION("allocate alone") {
    arena.context.deallocate = nullptr;
  }
  SECTION("deallocate alone") {
    arena.context.allocate = nullptr;
  }
  CHECK(run.call(&arena.context) == SPC_ERROR_CONTEXT);
  CHECK_FALSE(run.bodyRan());
}

TEST_CASE("a context without the last fields is taken") {
  Probe probe;
  Running run(probe);
  Arena arena;
  arena.context.struct_size = offsetof(spc_context, parallel_cost);
  CHECK(run.call(&arena.context) == SPC_OK);
}

TEST_CASE("a context of a later version is taken") {
  Probe probe;
  Running run(probe);
  Arena arena;
  arena.context.struct_size += 64;
  CHECK(run.call(&arena.context) == SPC_OK);
}

} // namespace spc::entry::test
