// Memory that runs out at every request of an assembly.
#include "assembly_player.h"

#include <catch2/catch.hpp>

namespace spc::runtime::test {
namespace {

using enum LevelKind;

/// Fails each request in turn, on success after the last one. The output must be as it was before.
void failEach(const std::vector<int64_t> &shape, const std::vector<LevelSpec> &levels, Plan plan,
              const std::vector<RunData> &runs) {
  ThreadedMemory structures;
  for (const Phase phase : {Phase::Assemble, Phase::Symbolic, Phase::Numeric}) {
    int failures = 0;
    for (bool isDone = false; !isDone;) {
      Output output(shape, levels);
      if (phase == Phase::Numeric) {
        plan.phase = Phase::Symbolic;
        REQUIRE(assemble(plan, runs, output, structures) == Status::Ok);
      }
      plan.phase = phase;
      ThreadedMemory memory;
      memory.failAt = failures;
      const Status status = assemble(plan, runs, output, memory);
      isDone = status == Status::Ok;
      if (isDone) {
        CHECK(memory.requests() == failures);
        const Entries expected = sumOf(runs);
        CHECK(entriesOf(output).size() >= expected.size());
      } else {
        REQUIRE(status == Status::Memory);
        CHECK(memory.requests() > failures++);
        CHECK(output.tensor.values == nullptr);
      }
      if (phase == Phase::Numeric) {
        if (isDone) {
          memory.hooks().release(&memory, output.tensor.values);
          output.tensor.values = nullptr;
        }
        release(output, structures);
      } else if (isDone) {
        release(output, memory);
      } else {
        for (const Level &level : output.levels)
          CHECK((level.pointers == nullptr && level.indices == nullptr));
      }
      CHECK(memory.isClean());
    }
    CHECK(failures >= 3);
  }
  CHECK(structures.isClean());
}

} // namespace

TEST_CASE("an assembly survives each request that fails") {
  const std::vector<int64_t> shape{40, 300};
  const RunData append{Form::Append, randomPlaces(shape, 3000, 1)};
  const RunData touches{Form::Workspace, randomTouches(shape, 6000, 2)};
  const std::vector<std::vector<LevelSpec>> formats = {
      {{Dense, 0}, {Compressed, 1}},
      {{Dense, 1}, {Compressed, 0}},
      {{Compressed, 0}, {Compressed, 1}},
      {{Compressed, 0}, {Singleton, 1}},
      {{Dense, 0}, {FixedWidth, 1, Part::Whole, 1, -1}},
  };
  for (const std::vector<LevelSpec> &levels : formats)
    for (const std::vector<RunData> &runs :
         {std::vector<RunData>{append}, std::vector<RunData>{touches}, std::vector<RunData>{append, touches}})
      for (const int64_t workspaceBytes : {0, 1}) {
        Plan plan{{0, 1}, 1};
        plan.chunks = 3;
        plan.workspaceBytes = workspaceBytes;
        failEach(shape, levels, plan, runs);
      }
}

TEST_CASE("a hash table and a row log that grow survive failures") {
  const std::vector<int64_t> shape{5, 100000};
  Plan plan{{0, 1}, 1};
  plan.workspaceBytes = 1;
  failEach(shape, {{Dense, 0}, {Compressed, 1}}, plan, {{Form::Workspace, randomTouches(shape, 4000, 2)}});
  failEach({500, 4, 3}, {{Compressed, 0}, {Compressed, 1}, {Compressed, 2}}, {{0, 1, 2}, 2},
           {{Form::Append, randomPlaces({500, 4, 3}, 900, 1)}});
}

TEST_CASE("a failure on one of several threads") {
  const std::vector<int64_t> shape{64, 300};
  const std::vector<RunData> runs{{Form::Append, randomPlaces(shape, 3000, 1)},
                                  {Form::Workspace, randomTouches(shape, 6000, 2)}};
  for (int failAt = 0; failAt < 60; ++failAt) {
    Plan plan{{0, 1}, 1};
    plan.chunks = 8;
    plan.onThreads = true;
    ThreadedMemory memory;
    memory.failAt = failAt;
    Output output(shape, {{Dense, 0}, {Compressed, 1}});
    const Status status = assemble(plan, runs, output, memory);
    CHECK(status == (memory.requests() > failAt ? Status::Memory : Status::Ok));
    release(output, memory);
    CHECK(memory.isClean());
  }
}

} // namespace spc::runtime::test
