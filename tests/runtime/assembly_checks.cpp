#include "assembly_checks.h"

#include <catch2/catch.hpp>

#include <algorithm>

namespace spc::runtime::test {

using enum LevelKind;

const std::vector<Format> kMatrices = {
    {"CSR", {{Dense, 0}, {Compressed, 1}}},
    {"CSC", {{Dense, 1}, {Compressed, 0}}},
    {"DCSR", {{Compressed, 0}, {Compressed, 1}}},
    {"DCSC", {{Compressed, 1}, {Compressed, 0}}},
    {"COO", {{Compressed, 0}, {Singleton, 1}}},
    {"COO by columns", {{Compressed, 1}, {Singleton, 0}}},
    {"COO interleaved", {{Compressed, 0}, {Singleton, 1}}, true},
    {"BSR",
     {{Dense, 0, Part::Quotient, 2},
      {Compressed, 1, Part::Quotient, 3},
      {Dense, 0, Part::Remainder, 2},
      {Dense, 1, Part::Remainder, 3}},
     false,
     true},
    {"ELL", {{Dense, 0}, {FixedWidth, 1, Part::Whole, 1, -1}}, false, true},
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

namespace {

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
    levels.push_back({level.kind, level.dimension});
  const Packed model = pack(expected, output.shape, levels, {8, 8, 8});
  REQUIRE(output.tensor.stored == model.tensor.stored);
  for (size_t k = 0; k < levels.size(); ++k) {
    const Level &level = output.levels[k];
    CHECK(level.count == model.levels[k].count);
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

} // namespace

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

void checkPhases(const Format &format, const std::vector<int64_t> &shape, Plan plan, const std::vector<RunData> &runs,
                 Widths widths, ValueType type) {
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

} // namespace spc::runtime::test
