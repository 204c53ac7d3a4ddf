// Assembled outputs of every format, from appended and scattered rows, in one chunk and several, in each phase.
#include "assembly_checks.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <map>
#include <random>

namespace spc::runtime::test {
namespace {

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

/// A matrix by rows that one run of one chunk collects.
Assembly oneRunOf(Output &output, const Allocator &allocator) {
  Assembly assembly = {};
  assembly.allocator = &allocator;
  assembly.target = &output.tensor;
  assembly.order = 2;
  assembly.rowOrder = assembly.dims[1] = assembly.chunks = assembly.runs = 1;
  assembly.keyBytes = 4;
  assembly.dense = assembly.list = assembly.notesLengths = 1;
  assembly.pack = spc_rt_pack_matrix;
  return assembly;
}

/// Keys below `extent` in any order, some of them twice.
template <typename Key> std::vector<Key> anyKeys(int64_t count, int64_t extent) {
  std::mt19937_64 random(static_cast<uint64_t>(count));
  std::vector<Key> keys;
  for (int64_t e = 0; e < count; ++e)
    keys.push_back(static_cast<Key>(e % 16 == 15 ? static_cast<int64_t>(keys.front())
                                                 : static_cast<int64_t>(random() % static_cast<uint64_t>(extent))));
  return keys;
}

/// Sorts a row behind another one, by `sort`; sums of values tell the order in which they are added.
template <typename Key>
void checkSorted(int64_t count, int64_t extent, int64_t (*sort)(Run *run, int64_t count), Widths widths) {
  Output output({2, extent}, kMatrices[0].levels, widths);
  ThreadedMemory memory;
  const Allocator allocator = memory.hooks();
  Assembly assembly = oneRunOf(output, allocator);
  assembly.keyBytes = sizeof(Key);
  REQUIRE(spc_rt_assembly_start(&assembly) == 0);
  Run *run = spc_rt_run_begin(&assembly, 0, 0, Form::Append);
  REQUIRE(run);
  std::map<Key, double> sums;
  int64_t met = 0;
  const auto append = [&](Key key, double value) {
    if (met == run->capacity)
      met = spc_rt_run_grow(run, met, 1);
    static_cast<Key *>(run->keys)[met] = key;
    static_cast<double *>(run->values)[met++] = value;
  };
  int64_t row = 0;
  append(3, 7);
  met = spc_rt_row_end(run, spc_rt_row_sort(run, met), &row);
  double value = 1;
  for (const Key key : anyKeys<Key>(count, extent)) {
    append(key, value);
    const auto [known, isNew] = sums.try_emplace(key, value);
    known->second += isNew ? 0 : value;
    value = value > 1e9 ? 1 : value * 1.7;
  }
  row = 1;
  met = spc_rt_row_end(run, sort(run, met), &row);
  spc_rt_run_end(run, met);
  REQUIRE(spc_rt_assembly_finish(&assembly) == 0);
  REQUIRE(output.tensor.stored == static_cast<int64_t>(sums.size()) + 1);
  const auto *keys = static_cast<const Key *>(output.tensor.levels[1].indices);
  const auto *values = static_cast<const double *>(output.tensor.values);
  CHECK((keys[0] == 3 && values[0] == 7));
  CHECK(std::equal(sums.begin(), sums.end(), keys + 1, [](const auto &sum, Key key) { return sum.first == key; }));
  CHECK(std::equal(sums.begin(), sums.end(), values + 1, [](const auto &sum, double at) { return sum.second == at; }));
  release(output, memory);
  CHECK(memory.isClean());
}

} // namespace

TEST_CASE("rows that are appended in any order") {
  for (const int64_t count : {0, 1, 2, 7, 8, 9, 15, 16, 63, 64, 65, 200, 1023, 1024, 5000})
    for (const int64_t extent : {4, 1000, 100000, 1 << 30}) {
      checkSorted<int32_t>(count, extent, spc_rt_row_sort_4_8, {4, 4, 8});
      checkSorted<int32_t>(count, extent, spc_rt_row_sort, {4, 4, 8});
      checkSorted<int64_t>(count, extent, spc_rt_row_sort_8_8, {8, 8, 8});
      checkSorted<int64_t>(count, int64_t{1} << 40, spc_rt_row_sort_8_8, {8, 8, 8});
    }
}

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

TEST_CASE("what two nests append to a row is added up, the former first") {
  Output output({2, 9}, kMatrices[0].levels);
  ThreadedMemory memory;
  const Allocator allocator = memory.hooks();
  Assembly assembly = oneRunOf(output, allocator);
  assembly.expected = 11; // no room besides
  REQUIRE(spc_rt_assembly_start(&assembly) == 0);
  Run *run = spc_rt_run_begin(&assembly, 0, 0, Form::Append);
  REQUIRE(run);
  const std::vector<std::vector<int32_t>> nests[] = {{{0, 1, 3, 8}, {1, 2, 3, 7}}, {{5}, {0, 4}}};
  int64_t count = 0;
  for (int64_t row = 0; row < 2; ++row) {
    int64_t before = 0;
    for (const std::vector<int32_t> &keys : nests[row]) {
      before = spc_rt_row_length(run, count);
      for (const int32_t key : keys) {
        static_cast<int32_t *>(run->keys)[count] = key;
        static_cast<double *>(run->values)[count++] = before == 0 ? 1 : 10;
      }
    }
    count = spc_rt_row_join(run, count, before);
    count = spc_rt_row_end(run, count, &row);
  }
  spc_rt_run_end(run, count);
  REQUIRE(spc_rt_assembly_finish(&assembly) == 0);
  const Level &list = output.tensor.levels[1];
  const auto *pointers = static_cast<const int32_t *>(list.pointers),
             *indices = static_cast<const int32_t *>(list.indices);
  const auto *values = static_cast<const double *>(output.tensor.values);
  CHECK(std::vector<int32_t>(pointers, pointers + 3) == std::vector<int32_t>{0, 6, 9});
  CHECK(std::vector<int32_t>(indices, indices + 9) == std::vector<int32_t>{0, 1, 2, 3, 7, 8, 0, 4, 5});
  CHECK(std::vector<double>(values, values + 9) == std::vector<double>{1, 11, 10, 11, 10, 1, 10, 10, 1});
  release(output, memory);
  CHECK(memory.isClean());
}

TEST_CASE("a key is found once it was located, until the row is flushed") {
  Output output({2, 1000}, kMatrices[0].levels);
  ThreadedMemory memory;
  const Allocator allocator = memory.hooks();
  Assembly assembly = oneRunOf(output, allocator);
  assembly.workspaceBytes = 1;
  REQUIRE(spc_rt_assembly_start(&assembly) == 0);
  Run *run = spc_rt_run_begin(&assembly, 0, 0, Form::Workspace);
  REQUIRE(run);
  CHECK(run->bits == nullptr);
  int64_t count = 0;
  for (int64_t row = 0; row < 2; ++row) {
    for (int64_t key = row; key < 1000; key += 3) {
      CHECK(spc_rt_find(run, key) == -1);
      const int64_t slot = spc_rt_locate(run, key);
      CHECK(static_cast<double *>(run->slots)[slot] == 0);
      static_cast<double *>(run->slots)[slot] = static_cast<double>(key);
    }
    for (int64_t key = 0; key < 1000; ++key) {
      const int64_t slot = spc_rt_find(run, key);
      CHECK((slot >= 0) == (key % 3 == row));
      CHECK((slot < 0 || static_cast<double *>(run->slots)[slot] == static_cast<double>(key)));
    }
    count = spc_rt_hash_flush(run, count, &row);
  }
  spc_rt_run_end(run, count);
  REQUIRE(spc_rt_assembly_finish(&assembly) == 0);
  CHECK(output.tensor.stored == 334 + 333);
  release(output, memory);
  CHECK(memory.isClean());
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

} // namespace spc::runtime::test
