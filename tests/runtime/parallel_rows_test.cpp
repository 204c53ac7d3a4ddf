// Conversions on the caller's threads: what they make is, byte for byte, what one thread makes.
#include "format_model.h"
#include "runtime/workers.h"

#include <algorithm>
#include <atomic>
#include <thread>

namespace spc::runtime::test {
namespace {

using RowTask = void (*)(void *, int64_t);

int sharedLoops = 0;

/// One after the other, the last one first.
void runBackwards(void *, int64_t tasks, RowTask task, void *closure) {
  sharedLoops += tasks > 1;
  while (tasks > 0)
    task(closure, --tasks);
}

void runOnThreads(void *, int64_t tasks, RowTask task, void *closure) {
  sharedLoops += tasks > 1;
  std::atomic<int64_t> next{0};
  const auto work = [&] {
    for (int64_t index = next++; index < tasks; index = next++)
      task(closure, index);
  };
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back(work);
  for (std::thread &thread : threads)
    thread.join();
}

using Entry = std::pair<Coordinate, double>;

/// Numbers whose sum depends on their order.
std::vector<Entry> randomList(const std::vector<int64_t> &shape, int64_t count, unsigned seed) {
  std::mt19937_64 random(seed);
  std::vector<Entry> list;
  for (int64_t e = 0; e < count; ++e) {
    const auto below = [&](int64_t extent) { return static_cast<int64_t>(random() % static_cast<uint64_t>(extent)); };
    list.push_back({{below(shape[0]), below(shape[1])}, 1.0 / static_cast<double>(1 + random() % 1000)});
  }
  return list;
}

/// A list as a tensor, sorted by the dimensions in their order or not at all.
struct List {
  List(const std::vector<Entry> &entries, const std::vector<int64_t> &shape, Widths widths)
      : made(wholes("cs", {0, 1}), shape, widths) {
    std::vector<double> numbers;
    std::vector<int64_t> columns[2];
    for (const auto &[at, value] : entries) {
      numbers.push_back(value);
      for (size_t d = 0; d < 2; ++d)
        columns[d].push_back(at[d]);
    }
    values = narrowed(numbers, widths.values);
    for (size_t d = 0; d < 2; ++d) {
      indices[d] = narrowed(columns[d], widths.indices);
      made.levels[d].indices = indices[d].data();
    }
    made.tensor.values = values.data();
    made.tensor.levels[0].count = made.tensor.stored = static_cast<int64_t>(entries.size());
  }
  std::vector<char> values, indices[2];
  Made made;
};

void checkSame(const Made &made, const Made &expected) {
  REQUIRE(made.tensor.stored == expected.tensor.stored);
  const auto same = [](const void *a, const void *b, int64_t count, int64_t bytes) {
    return count == 0 || std::memcmp(a, b, static_cast<size_t>(count * bytes)) == 0;
  };
  const Tensor &a = made.tensor, &b = expected.tensor;
  CHECK(same(a.levels[1].pointers, b.levels[1].pointers, a.levels[0].extent + 1, a.pointerBytes));
  CHECK(same(a.levels[1].indices, b.levels[1].indices, a.stored, a.indexBytes));
  CHECK(same(a.values, b.values, a.stored, a.valueBytes));
}

/// What one thread makes, and then others in two ways.
void checkWorkers(const Tensor &source, const std::vector<int64_t> &dimensions, const std::vector<int64_t> &shape,
                  Widths widths, Made &expected) {
  REQUIRE(expected.convert(source) == Status::Ok);
  for (const auto parallelFor : {runBackwards, runOnThreads}) {
    Made made(wholes("dc", dimensions), shape, widths);
    int32_t cost = 0;
    made.workers = {nullptr, parallelFor, &cost};
    sharedLoops = 0;
    REQUIRE(made.convert(source) == Status::Ok);
    CHECK(sharedLoops > 0);
    checkSame(made, expected);
  }
}

Entries sumsOf(const std::vector<Entry> &list) {
  Entries sums;
  for (const auto &[at, value] : list)
    sums[at] += value;
  return sums;
}

void checkConversions(const std::vector<int64_t> &shape, int64_t count, Widths widths, unsigned seed) {
  INFO(shape[0] << " x " << shape[1] << ", " << count << " entries");
  std::vector<Entry> entries = randomList(shape, count, seed);
  Made rows(wholes("dc", {0, 1}), shape, widths), columns(wholes("dc", {1, 0}), shape, widths);
  checkWorkers(List(entries, shape, widths).made.tensor, {0, 1}, shape, widths, rows);
  if (widths.values == 8)
    CHECK(ModelReader(rows.tensor, 2).read() == sumsOf(entries));
  Made byColumns(wholes("dc", {1, 0}), shape, widths);
  checkWorkers(List(entries, shape, widths).made.tensor, {1, 0}, shape, widths, byColumns);
  std::stable_sort(entries.begin(), entries.end(), [](const Entry &a, const Entry &b) { return a.first < b.first; });
  Made fromSorted(wholes("dc", {0, 1}), shape, widths);
  checkWorkers(List(entries, shape, widths).made.tensor, {0, 1}, shape, widths, fromSorted);
  checkSame(fromSorted, rows);
  const auto isSame = [](const Entry &a, const Entry &b) { return a.first == b.first; };
  entries.erase(std::unique(entries.begin(), entries.end(), isSame), entries.end());
  Made unique(wholes("dc", {0, 1}), shape, widths);
  if (entries.size() > kFewestShared)
    checkWorkers(List(entries, shape, widths).made.tensor, {0, 1}, shape, widths, unique);
  for (const bool isUnique : {true, false})
    if (rows.tensor.stored > kFewestShared) {
      rows.levels[1].isUnique = isUnique;
      Made transposed(wholes("dc", {1, 0}), shape, widths);
      checkWorkers(rows.tensor, {1, 0}, shape, widths, transposed);
      checkSame(transposed, byColumns);
    }
}

} // namespace

TEST_CASE("any number of threads makes the same rows") {
  const int64_t count = 2 * kFewestShared;
  for (const Widths &widths : std::vector<Widths>{{4, 4, 8}, {4, 4, 4}, {8, 8, 8}, {8, 4, 4}, {4, 8, 8}}) {
    checkConversions({1500, 1200}, count, widths, 1);
    checkConversions({200001, 180000}, count, widths, 2);
  }
  checkConversions({1, 100000}, count, {4, 4, 8}, 3);
  checkConversions({3, 40}, count, {4, 4, 8}, 4);
  checkConversions({100000, 3}, count, {4, 4, 8}, 5);
  checkConversions({20000000, 2}, count, {4, 4, 8}, 6);
}

TEST_CASE("nothing leaks when memory runs out on threads") {
  const Widths widths{4, 4, 8};
  // Rows that are long, so that columns are counted first, and rows that are not.
  for (const std::vector<int64_t> &shape : std::vector<std::vector<int64_t>>{{900, 500}, {90000, 50}}) {
    std::vector<Entry> entries = randomList(shape, kFewestShared + 5, 7);
    const List shuffled(entries, shape, widths);
    std::sort(entries.begin(), entries.end());
    const List sorted(entries, shape, widths);
    for (const Tensor *source : {&shuffled.made.tensor, &sorted.made.tensor}) {
      Made expected(wholes("dc", {0, 1}), shape, widths);
      REQUIRE(expected.convert(*source) == Status::Ok);
      for (const auto parallelFor : {Workers{}.parallelFor, decltype(Workers{}.parallelFor){runBackwards}}) {
        bool hasFailed = false, isDone = false;
        for (int failAt = 0; !isDone; ++failAt) {
          Made made(wholes("dc", {0, 1}), shape, widths);
          made.workers.parallelFor = parallelFor;
          made.memory.failAt = failAt;
          const Status status = made.convert(*source);
          isDone = made.memory.requests <= failAt;
          hasFailed |= status == Status::Memory;
          // Room that would make it faster is done without.
          if (status == Status::Ok)
            checkSame(made, expected);
          else
            CHECK(status == Status::Memory);
        }
        CHECK(hasFailed);
      }
    }
  }
}

TEST_CASE("a malformed source gives a status on threads") {
  const std::vector<int64_t> shape{700, 900};
  const Widths widths{4, 4, 8};
  const std::vector<Entry> entries = randomList(shape, 2 * kFewestShared, 9);
  List list(entries, shape, widths);
  Made rows(wholes("dc", {0, 1}), shape, widths);
  REQUIRE(rows.convert(list.made.tensor) == Status::Ok);
  REQUIRE(rows.tensor.stored > kFewestShared);
  const auto statusOf = [&](const Tensor &source, const std::vector<int64_t> &dimensions) {
    Made made(wholes("dc", dimensions), shape, widths);
    made.workers.parallelFor = runBackwards;
    return made.convert(source);
  };
  const auto with = [&](int32_t &place, int32_t wrong, const Tensor &source, const std::vector<int64_t> &dimensions) {
    const int32_t right = std::exchange(place, wrong);
    const Status status = statusOf(source, dimensions);
    place = right;
    return status;
  };
  const auto lastOf = [&](const Tensor &tensor) { return static_cast<size_t>(tensor.stored - 1); };
  auto *indices = static_cast<int32_t *>(rows.levels[1].indices),
       *pointers = static_cast<int32_t *>(rows.levels[1].pointers);
  for (const int32_t wrong : {-1, 900})
    for (const size_t at : {size_t{0}, lastOf(rows.tensor) / 2, lastOf(rows.tensor)}) {
      CHECK(with(indices[at], wrong, rows.tensor, {1, 0}) == Status::IndexRange);
      for (std::vector<char> &coordinates : list.indices) {
        const size_t entry = at * entries.size() / (lastOf(rows.tensor) + 1);
        CHECK(with(reinterpret_cast<int32_t *>(coordinates.data())[entry], wrong, list.made.tensor, {0, 1}) ==
              Status::IndexRange);
      }
    }
  const auto stored = static_cast<int32_t>(rows.tensor.stored);
  for (const auto &[row, wrong] : std::vector<std::pair<size_t, int32_t>>{{0, stored + 1},
                                                                          {1, -1},
                                                                          {1, stored + 1},
                                                                          {350, 0},
                                                                          {350, stored},
                                                                          {699, stored + 1},
                                                                          {700, 5},
                                                                          {700, stored + 1}})
    CHECK(with(pointers[row], wrong, rows.tensor, {1, 0}) == Status::Count);
  CHECK(statusOf(rows.tensor, {1, 0}) == Status::Ok);
}

} // namespace spc::runtime::test
