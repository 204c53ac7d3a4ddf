// Assembled outputs of every format, from appended and scattered rows, in one chunk and several, in each phase.
#include "assembly_player.h"

#include <catch2/catch.hpp>

#include <algorithm>

namespace spc::runtime::test {
namespace {

using enum LevelStorage;

struct Format {
  std::string name;
  std::vector<LevelSpec> levels;
  bool isInterleaved = false;
  bool isPadded = false;
};

const std::vector<Format> kMatrices = {
    {"CSR", {{Dense, 0}, {Compressed, 1}}},
    {"CSC", {{Dense, 1}, {Compressed, 0}}},
    {"DCSR", {{Compressed, 0}, {Compressed, 1}}},
    {"DCSC", {{Compressed, 1}, {Compressed, 0}}},
    {"COO", {{Compressed, 0}, {Singleton, 1}}},
    {"COO by columns", {{Compressed, 1}, {Singleton, 0}}},
    {"COO interleaved", {{Compressed, 0}, {Singleton, 1}}, true},
    {"BSR",
     {{Dense, 0, LevelPart::Quotient, 2},
      {Compressed, 1, LevelPart::Quotient, 3},
      {Dense, 0, LevelPart::Remainder, 2},
      {Dense, 1, LevelPart::Remainder, 3}},
     false,
     true},
    {"ELL", {{Dense, 0}, {Fixed, 1, LevelPart::Whole, 1, -1}}, false, true},
    {"dense rows listed", {{Compressed, 0}, {Dense, 1}}, false, true},
    {"dense", {{Dense, 0}, {Dense, 1}}, false, true},
};

const std::vector<Format> kCubes = {
    {"CSF", {{Compressed, 0}, {Compressed, 1}, {Compressed, 2}}},
    {"CSF 201", {{Compressed, 2}, {Compressed, 0}, {Compressed, 1}}},
    {"DDC", {{Dense, 0}, {Dense, 1}, {Compressed, 2}}},
    {"DCC", {{Dense, 0}, {Compressed, 1}, {Compressed, 2}}},
    {"DDC 120", {{Dense, 1}, {Dense, 2}, {Compressed, 0}}},
    {"COO", {{Compressed, 0}, {Singleton, 1}, {Singleton, 2}}},
    {"COO interleaved", {{Compressed, 0}, {Singleton, 1}, {Singleton, 2}}, true},
    {"rows of COO", {{Dense, 0}, {Compressed, 1}, {Singleton, 2}}},
    {"fibers of COO", {{Compressed, 0}, {Compressed, 1}, {Singleton, 2}}},
};

const std::vector<Format> kVectors = {
    {"sparse vector", {{Compressed, 0}}},
    {"dense vector", {{Dense, 0}}, false, true},
};

template <typename T> std::vector<int64_t> numbers(const void *array, size_t count) {
  const auto *read = static_cast<const T *>(array);
  return std::vector<int64_t>(read, read + count);
}

std::vector<int64_t> numbers(const void *array, int64_t bytes, size_t count) {
  return bytes == 1   ? numbers<uint8_t>(array, count)
         : bytes == 2 ? numbers<uint16_t>(array, count)
         : bytes == 4 ? numbers<int32_t>(array, count)
                      : numbers<int64_t>(array, count);
}

/// Pointers and indices against the straightforward model; NULL where there is nothing.
void checkStructure(const Output &output, const Entries &expected) {
  std::vector<ModelLevel> levels;
  for (const Level &level : output.levels)
    levels.push_back({level.storage, level.dimension});
  const Packed model = pack(expected, output.shape, levels, {8, 8, 8});
  REQUIRE(output.tensor.stored == model.tensor.stored);
  CHECK(output.tensor.rootCount == model.tensor.rootCount);
  for (size_t k = 0; k < levels.size(); ++k) {
    const Level &level = output.levels[k];
    CHECK((level.pointers == nullptr) == model.pointers[k].empty());
    CHECK((level.indices == nullptr) == model.indices[k].empty());
    const size_t pointers = model.pointers[k].size() / 8, indices = model.indices[k].size() / 8;
    CHECK(numbers(level.pointers, output.tensor.pointerBytes, pointers) ==
          numbers(model.pointers[k].data(), 8, pointers));
    std::vector<int64_t> listed;
    const auto stride = static_cast<size_t>(level.stride), offset = static_cast<size_t>(level.offset);
    const std::vector<int64_t> all = numbers(level.indices, output.tensor.indexBytes, indices * stride);
    for (size_t e = 0; e < indices; ++e)
      listed.push_back(all[e * stride + offset]);
    CHECK(listed == numbers(model.indices[k].data(), 8, indices));
  }
}

void checkOutput(const Output &output, const Entries &expected, bool isPadded) {
  Entries stored = entriesOf(output);
  if (!isPadded) {
    checkStructure(output, expected);
    CHECK(stored == expected);
    return;
  }
  for (const auto &[at, value] : expected) {
    REQUIRE(stored.count(at) == 1);
    CHECK(stored[at] == value);
    stored.erase(at);
  }
  CHECK(std::all_of(stored.begin(), stored.end(), [](const auto &entry) { return entry.second == 0; }));
}

/// The three phases: values and pattern at once, the pattern, values for it.
void checkPhases(const Format &format, const std::vector<int64_t> &shape, Plan plan, const std::vector<RunData> &runs,
                 Widths widths = {}, ValueType type = {}) {
  INFO(format.name << ", " << plan.rowOrder << " of " << plan.dims.size() << " dimensions from " << plan.dims[0]
                   << ", chunks " << plan.chunks << ", runs " << runs.size() << ", threads " << plan.onThreads
                   << ", value bytes " << type.bytes << ", index bytes " << widths.indices);
  const Entries expected = sumOf(runs);
  ThreadedMemory memory;
  Output output(shape, format.levels, widths, type, format.isInterleaved);
  REQUIRE(assemble(plan, runs, output, memory) == Status::Ok);
  checkOutput(output, expected, format.isPadded);
  release(output, memory);

  Output pattern(shape, format.levels, widths, type, format.isInterleaved);
  plan.phase = Phase::Symbolic;
  REQUIRE(assemble(plan, runs, pattern, memory) == Status::Ok);
  CHECK(pattern.tensor.values == nullptr);
  if (!format.isPadded)
    checkStructure(pattern, expected);
  plan.phase = Phase::Numeric;
  for (int times = 0; times < 2; ++times) {
    REQUIRE(assemble(plan, runs, pattern, memory) == Status::Ok);
    checkOutput(pattern, expected, format.isPadded);
  }
  release(pattern, memory);
  CHECK(memory.isClean());
}

/// Runs of both forms with places of their own and common ones.
std::vector<std::vector<RunData>> runSets(const std::vector<int64_t> &shape, int count) {
  const RunData append{Form::Append, randomPlaces(shape, count, 1)};
  const RunData other{Form::Append, randomPlaces(shape, count, 2)};
  const RunData touches{Form::Workspace, randomTouches(shape, 3 * count, 3)};
  return {{append}, {touches}, {append, other}, {touches, append, other}};
}

void checkAll(const Format &format, const std::vector<int64_t> &shape, const std::vector<int64_t> &dims, int count) {
  const auto order = static_cast<int64_t>(dims.size());
  for (int64_t rowOrder = 0; rowOrder < order; ++rowOrder)
    for (const std::vector<RunData> &runs : runSets(shape, count))
      for (const int64_t workspaceBytes : {0, 1}) {
        Plan plan{dims, rowOrder};
        plan.workspaceBytes = workspaceBytes;
        checkPhases(format, shape, plan, runs);
        plan.chunks = rowOrder > 0 ? 5 : 1;
        plan.onThreads = rowOrder > 0 && runs.size() == 3; // threads are slow to start
        plan.expected = 100;
        checkPhases(format, shape, plan, runs);
      }
}

} // namespace

TEST_CASE("matrices of every format, collected by rows and by columns") {
  for (const Format &format : kMatrices)
    for (const std::vector<int64_t> &dims : {std::vector<int64_t>{0, 1}, std::vector<int64_t>{1, 0}}) {
      checkAll(format, {12, 9}, dims, 40);
      checkAll(format, {6, 3}, dims, 1);
    }
}

TEST_CASE("tensors of order 3") {
  for (const Format &format : kCubes)
    for (const std::vector<int64_t> &dims :
         {std::vector<int64_t>{0, 1, 2}, std::vector<int64_t>{2, 0, 1}, std::vector<int64_t>{1, 2, 0}})
      checkAll(format, {7, 5, 6}, dims, 50);
}

TEST_CASE("vectors") {
  for (const Format &format : kVectors) {
    checkAll(format, {40}, {0}, 25);
    Plan plan{{0}, 0}; // cut along the key
    plan.chunks = 4;
    plan.onThreads = true;
    checkPhases(format, {40}, plan, {{Form::Append, randomPlaces({40}, 25, 1)}});
  }
}

TEST_CASE("nothing to store") {
  for (const std::vector<int64_t> &shape : {std::vector<int64_t>{0, 4}, {4, 0}, {0, 0}, {4, 4}})
    for (const Format &format : kMatrices) {
      if (format.name == "ELL" && shape[1] == 0)
        continue;
      for (const Form form : {Form::Append, Form::Workspace}) {
        checkPhases(format, shape, {{0, 1}, 1}, {{form, {}}});
        checkPhases(format, shape, {{0, 1}, 1}, {{form, {}}, {form, {}}});
        checkPhases(format, shape, {{1, 0}, 0}, {{form, {}}});
      }
    }
  for (const Format &format : kCubes)
    checkPhases(format, {3, 4, 0}, {{0, 1, 2}, 2}, {{Form::Append, {}}});
}

TEST_CASE("buffers grow, and rows move with them") {
  const std::vector<int64_t> shape{60, 2000};
  std::vector<RunData> runs{{Form::Append, randomPlaces({59, 2000}, 3000, 1)}};
  for (int64_t column = 0; column < 2000; column += 2) // a row longer than the first buffers
    runs[0].contributions.push_back({{59, column}, 1.0});
  RunData scattered{Form::Workspace, randomTouches(shape, 7000, 4)};
  for (const auto &format : {kMatrices[0], kMatrices[1], kMatrices[2], kMatrices[4], kMatrices[6]})
    for (const int64_t expected : {0, 10000})
      for (const int64_t workspaceBytes : {0, 1}) {
        Plan plan{{0, 1}, 1};
        plan.workspaceBytes = workspaceBytes;
        plan.expected = expected;
        checkPhases(format, shape, plan, runs);
        checkPhases(format, shape, plan, {scattered});
        plan.chunks = 7;
        plan.onThreads = true;
        checkPhases(format, shape, plan, {runs[0], scattered});
        checkPhases(format, shape, plan, {scattered});
      }
}

TEST_CASE("far-apart keys in hash tables") {
  const std::vector<int64_t> shape{20, int64_t{1} << 40};
  const std::vector<RunData> runs{{Form::Workspace, randomTouches(shape, 5000, 1)}};
  Plan plan{{0, 1}, 1};
  checkPhases(kMatrices[0], shape, plan, runs, {8, 8, 8});
  checkPhases(kMatrices[4], shape, {{0, 1}, 0}, {{Form::Workspace, randomTouches({20, 1 << 30}, 900, 1)}}, {4, 8, 8});
}

TEST_CASE("values of every type") {
  const std::vector<ValueType> types = {{ValueKind::Float, 4},   {ValueKind::Float, 8},   {ValueKind::Half, 2},
                                        {ValueKind::Brain, 2},   {ValueKind::Integer, 1}, {ValueKind::Integer, 2},
                                        {ValueKind::Integer, 4}, {ValueKind::Integer, 8}, {ValueKind::Complex, 8},
                                        {ValueKind::Complex, 16}};
  const std::vector<int64_t> shape{12, 70};
  for (const ValueType type : types)
    for (const std::vector<RunData> &runs : runSets(shape, 60))
      for (const size_t format : {0, 1, 4, 7})
        for (const int64_t workspaceBytes : {0, 1}) {
          Plan plan{{0, 1}, 1};
          plan.chunks = 2;
          plan.workspaceBytes = workspaceBytes;
          checkPhases(kMatrices[format], shape, plan, runs, {}, type);
        }
}

TEST_CASE("truth values are or-ed") {
  const std::vector<RunData> runs{{Form::Workspace, {{{0, 1}, 1}, {{0, 1}, 1}, {{2, 0}, 0}}},
                                  {Form::Append, {{{0, 1}, 1}, {{2, 0}, 0}, {{2, 1}, 1}}}};
  Output output({3, 3}, kMatrices[0].levels, {}, {ValueKind::Bool, 1});
  ThreadedMemory memory;
  REQUIRE(assemble({{0, 1}, 1}, runs, output, memory) == Status::Ok);
  checkOutput(output, {{{0, 1}, 1}, {{2, 0}, 0}, {{2, 1}, 1}}, false);
  release(output, memory);
}

TEST_CASE("index types of every width") {
  const std::vector<int64_t> shape{9, 200};
  for (const int64_t pointers : {1, 2, 4, 8})
    for (const int64_t indices : {1, 2, 4, 8})
      for (const std::vector<RunData> &runs : runSets(shape, 50))
        for (const size_t format : {0, 1, 2, 4, 6, 7})
          checkPhases(kMatrices[format], shape, {{0, 1}, 1}, runs, {pointers, indices, 8});
}

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
  const Format narrow{"ELL", {{Dense, 0}, {Fixed, 1, LevelPart::Whole, 1, 2}}, false, true};
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
