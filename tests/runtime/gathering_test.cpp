// Entries of chunks that move to their places in the result while others are collected.
#include "assembly_checks.h"
#include "runtime/pack/pack.h"

#include <catch2/catch.hpp>

namespace spc::runtime::test {
namespace {

using enum LevelKind;

constexpr int64_t kGatheredRows = 48, kGatheredColumns = 60, kEntries = 800;

const std::vector<int64_t> kShape{kGatheredRows, kGatheredColumns};

std::vector<std::vector<RunData>> allRuns() {
  const RunData append{Form::Append, randomPlaces(kShape, kEntries, 1)};
  const RunData touches{Form::Workspace, randomTouches(kShape, kEntries, 2)};
  return {{append}, {touches}, {append, touches, append}};
}

/// All entries in the first rows, or in the last ones.
std::vector<RunData> skewed(bool isAtEnd) {
  std::vector<Contribution> places = randomPlaces({kGatheredRows / 8, kGatheredColumns}, 300, 3);
  for (Contribution &place : places)
    place.at[0] += isAtEnd ? kGatheredRows - kGatheredRows / 8 : 0;
  return {{Form::Append, places}};
}

void check(const Plan &plan, const Format &format, const std::vector<RunData> &runs) {
  INFO(format.name << ", chunks " << plan.chunks << ", expected " << plan.expected << ", threads " << plan.onThreads
                   << ", backwards " << plan.isBackwards);
  ThreadedMemory memory;
  Output output(kShape, format.levels, {}, {}, format.isInterleaved);
  REQUIRE(assemble(plan, runs, output, memory) == Status::Ok);
  checkOutput(output, sumOf(runs), format.isPadded);
  release(output, memory);
  CHECK(memory.isClean());
}

template <typename Do> void forEachOrder(Plan plan, const Do &act) {
  for (const int order : {0, 1, 2}) {
    plan.onThreads = order == 1;
    plan.isBackwards = order == 2;
    act(plan);
  }
}

} // namespace

TEST_CASE("chunks that end in any order, of any part of what is expected") {
  for (const size_t format : {0, 2, 4, 5})
    for (const std::vector<RunData> &runs : allRuns())
      for (const int64_t chunks : {2, 16})
        for (const int64_t expected : {int64_t{1}, kEntries / 3, kEntries, 50 * kEntries}) {
          Plan plan{{0, 1}, 1};
          plan.chunks = chunks;
          plan.expected = expected;
          forEachOrder(plan, [&](const Plan &ordered) { check(ordered, kMatrices[format], runs); });
        }
}

TEST_CASE("chunks of very different sizes") {
  for (const bool isAtEnd : {false, true})
    for (const int64_t expected : {20, 300, 20000}) {
      Plan plan{{0, 1}, 1};
      plan.chunks = 32;
      plan.expected = expected;
      forEachOrder(plan, [&](const Plan &ordered) { check(ordered, kMatrices[0], skewed(isAtEnd)); });
    }
}

TEST_CASE("what was gathered is the result, however much was expected") {
  for (const int64_t expected : {kEntries, 20 * kEntries}) {
    Plan plan{{0, 1}, 1};
    plan.chunks = 16;
    plan.expected = expected;
    ThreadedMemory memory;
    Output output(kShape, kMatrices[0].levels);
    REQUIRE(assemble(plan, allRuns()[0], output, memory) == Status::Ok);
    // The state, the lengths, one slab for all chunks, which end in order, and the result's two arrays.
    CHECK(memory.requests() == 5);
    release(output, memory);
    CHECK(memory.isClean());
  }
}

TEST_CASE("a result that cannot be gathered is joined") {
  const std::vector<RunData> runs = allRuns()[0];
  int refused = 0;
  for (int failAt = 0; failAt < 12; ++failAt)
    for (const bool isBackwards : {false, true}) {
      Plan plan{{0, 1}, 1};
      plan.chunks = 8;
      plan.expected = kEntries;
      plan.isBackwards = isBackwards;
      ThreadedMemory memory;
      memory.failAt = failAt;
      Output output(kShape, kMatrices[0].levels);
      const Status status = assemble(plan, runs, output, memory);
      if (status == Status::Ok) {
        refused += memory.requests() > failAt;
        checkOutput(output, sumOf(runs), false);
      }
      CHECK((status == Status::Ok || status == Status::Memory));
      release(output, memory);
      CHECK(memory.isClean());
    }
  CHECK(refused >= 4);
}

} // namespace spc::runtime::test
