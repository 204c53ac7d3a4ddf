// Assembled outputs that do not fit their types or the pattern; zeros that are dropped.
#include "assembly_checks.h"

#include <catch2/catch.hpp>

namespace spc::runtime::test {

using enum LevelKind;

namespace {

Status statusOf(const std::vector<int64_t> &shape, const Format &format, Widths widths, const Plan &plan,
                const std::vector<RunData> &runs) {
  Output output(shape, format.levels, widths);
  ThreadedMemory memory;
  const Status status = assemble(plan, runs, output, memory);
  if (status == Status::Ok)
    release(output, memory);
  for (const Level &level : output.levels)
    CHECK((level.pointers == nullptr && level.indices == nullptr));
  CHECK(memory.isClean());
  return status;
}

std::vector<Contribution> fullMatrix(int64_t rows, int64_t columns) {
  std::vector<Contribution> all;
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < columns; ++j)
      all.push_back({{i, j}, 1.0});
  return all;
}

} // namespace

TEST_CASE("what does not fit the index types") {
  for (const Phase phase : {Phase::Assemble, Phase::Symbolic})
    for (const size_t format : {0, 1, 2}) {
      INFO(kMatrices[format].name);
      Plan plan{{0, 1}, 1};
      plan.phase = phase;
      const std::vector<RunData> fits{{Form::Append, fullMatrix(5, 51)}}, exceeds{{Form::Append, fullMatrix(4, 64)}};
      CHECK(statusOf({5, 51}, kMatrices[format], {1, 1, 8}, plan, fits) == Status::Ok);
      CHECK(statusOf({4, 64}, kMatrices[format], {1, 1, 8}, plan, exceeds) == Status::IndexType);
      CHECK(statusOf({4, 64}, kMatrices[format], {2, 1, 8}, plan, exceeds) == Status::Ok);
      const std::vector<RunData> oneRow{{Form::Workspace, fullMatrix(1, 256)}};
      CHECK(statusOf({1, 256}, kMatrices[format], {1, 1, 8}, plan, oneRow) == Status::IndexType);
    }
  CHECK(statusOf({3, 257}, kMatrices[0], {4, 1, 8}, {{0, 1}, 1}, {{Form::Append, {}}}) == Status::IndexType);
  CHECK(statusOf({3, 65537}, kMatrices[0], {4, 2, 8}, {{0, 1}, 1}, {{Form::Append, {}}}) == Status::IndexType);
  const int64_t huge = int64_t{1} << 40;
  CHECK(statusOf({3, huge}, kMatrices[0], {4, 4, 8}, {{0, 1}, 1}, {{Form::Append, {}}}) == Status::IndexType);
  CHECK(statusOf({huge, 3}, kMatrices[4], {4, 4, 8}, {{0, 1}, 1}, {{Form::Append, {}}}) == Status::IndexType);
  CHECK(statusOf({huge, huge}, kMatrices[4], {8, 8, 8}, {{0, 1}, 0}, {{Form::Append, {}}}) == Status::IndexType);
  CHECK(statusOf({INT64_MAX, 3}, kMatrices[0], {8, 8, 8}, {{0, 1}, 1}, {{Form::Append, {}}}) == Status::Memory);
}

TEST_CASE("a fixed width that is exceeded") {
  const Format narrow{"ELL", {{Dense, 0}, {FixedWidth, 1, Part::Whole, 1, 2}}, false, true};
  CHECK(statusOf({2, 3}, narrow, {}, {{0, 1}, 1}, {{Form::Append, {{{0, 1}, 1}, {{0, 2}, 1}}}}) == Status::Ok);
  CHECK(statusOf({2, 3}, narrow, {}, {{0, 1}, 1}, {{Form::Append, fullMatrix(2, 3)}}) == Status::Count);
}

TEST_CASE("zeros are dropped once everything is added up") {
  const Contribution a{{0, 1}, 3}, minusA{{0, 1}, -3}, zero{{1, 0}, 0}, minusZero{{1, 1}, -0.0}, kept{{3, 2}, 1};
  const std::vector<std::vector<RunData>> cases = {
      {{Form::Workspace, {a, minusA, zero, minusZero, kept}}},
      {{Form::Append, {a, zero, minusZero, kept}}, {Form::Append, {minusA}}},
      {{Form::Append, {a, zero}}, {Form::Workspace, {minusA, kept}}, {Form::Append, {minusZero}}}};
  const std::vector<ValueType> types = {{ValueKind::Float, 8}, {ValueKind::Float, 4},   {ValueKind::Half, 2},
                                        {ValueKind::Brain, 2}, {ValueKind::Integer, 2}, {ValueKind::Complex, 8}};
  for (const ValueType type : types)
    for (const size_t format : {0, 1, 2, 4})
      for (const auto &runs : cases)
        for (const int64_t workspaceBytes : {0, 1}) {
          Plan plan{{0, 1}, 1};
          plan.dropsZeros = true;
          plan.workspaceBytes = workspaceBytes;
          Output output({4, 3}, kMatrices[format].levels, {}, type);
          ThreadedMemory memory;
          REQUIRE(assemble(plan, runs, output, memory) == Status::Ok);
          checkOutput(output, {{{3, 2}, 1}}, false);
          release(output, memory);
          CHECK(memory.isClean());
        }
}

TEST_CASE("the numeric phase: a larger pattern keeps zeros, a smaller one is refused") {
  const std::vector<int64_t> shape{12, 9};
  const std::vector<RunData> all{{Form::Append, randomPlaces(shape, 60, 1)}};
  std::vector<RunData> some = all;
  some[0].contributions.resize(all[0].contributions.size() / 2);
  for (const Format &format : kMatrices)
    for (const int64_t chunks : {1, 3}) {
      INFO(format.name);
      Plan plan{{0, 1}, 1, Phase::Symbolic, chunks};
      ThreadedMemory memory;
      Output large(shape, format.levels, {}, {}, format.isInterleaved);
      REQUIRE(assemble(plan, all, large, memory) == Status::Ok);
      plan.phase = Phase::Numeric;
      REQUIRE(assemble(plan, some, large, memory) == Status::Ok);
      Entries expected = sumOf(some);
      if (!format.isPadded)
        for (const Contribution &place : all[0].contributions)
          expected[place.at] += 0;
      CHECK((format.isPadded || entriesOf(large) == expected));
      checkOutput(large, expected, format.isPadded);
      release(large, memory);
      if (!format.isPadded) {
        Output small(shape, format.levels, {}, {}, format.isInterleaved);
        plan.phase = Phase::Symbolic;
        REQUIRE(assemble(plan, some, small, memory) == Status::Ok);
        plan.phase = Phase::Numeric;
        CHECK(assemble(plan, all, small, memory) == Status::Pattern);
        CHECK(small.tensor.values == nullptr);
        release(small, memory);
      }
      CHECK(memory.isClean());
    }
}

TEST_CASE("the numeric phase writes into the caller's values") {
  const std::vector<int64_t> shape{12, 9};
  const std::vector<RunData> runs{{Form::Append, randomPlaces(shape, 60, 1)}};
  ThreadedMemory memory;
  Output output(shape, kMatrices[0].levels);
  REQUIRE(assemble({{0, 1}, 1, Phase::Symbolic}, runs, output, memory) == Status::Ok);
  std::vector<double> values(static_cast<size_t>(output.tensor.stored), 9.0);
  output.tensor.values = values.data();
  REQUIRE(assemble({{0, 1}, 1, Phase::Numeric}, runs, output, memory) == Status::Ok);
  CHECK(output.tensor.values == values.data());
  checkOutput(output, sumOf(runs), false);
  std::vector<RunData> beyond = runs;
  beyond[0].contributions = fullMatrix(12, 9);
  CHECK(assemble({{0, 1}, 1, Phase::Numeric}, beyond, output, memory) == Status::Pattern);
  CHECK(output.tensor.values == values.data());
  output.tensor.values = nullptr;
  release(output, memory);
  CHECK(memory.isClean());
}

} // namespace spc::runtime::test
