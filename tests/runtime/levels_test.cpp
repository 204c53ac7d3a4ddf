// Copies of sources with every kind of level, and sums of repeated entries in every value type.
#include "copy_request.h"
#include "runtime/pack/pack.h"
#include "runtime/values.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <functional>
#include <numeric>

namespace spc::runtime::test {
namespace {

/// A source built by hand: levels, each with its arrays, and as many values as it has slots.
struct Source {
  Source(std::vector<int64_t> sizes, Widths narrow) : shape(std::move(sizes)), widths(narrow) {}

  Level &add(LevelKind kind, int64_t dimension) {
    levels.push_back({kind, dimension, shape[static_cast<size_t>(dimension)], nullptr, nullptr});
    return levels.back();
  }
  Level &add(LevelKind kind, int64_t dimension, const std::vector<int64_t> &indices,
             const std::vector<int64_t> &pointers = {}) {
    arrays.push_back(narrowed(indices, widths.indices));
    arrays.push_back(narrowed(pointers, widths.pointers));
    Level &level = add(kind, dimension);
    level.indices = arrays[arrays.size() - 2].data();
    level.pointers = arrays.back().data();
    return level;
  }
  /// Values 1, 2, 3 … for all slots.
  Tensor tensor(int64_t stored, int64_t rootCount = 0) {
    levels[0].count = rootCount;
    values.resize(static_cast<size_t>(stored));
    std::iota(values.begin(), values.end(), 1.0);
    bytes = narrowed(values, widths.values);
    return {static_cast<int64_t>(levels.size()),
            stored,
            widths.pointers,
            widths.indices,
            widths.values,
            levels.data(),
            bytes.data()};
  }

  std::vector<int64_t> shape;
  Widths widths;
  std::vector<Level> levels;
  std::vector<std::vector<char>> arrays;
  std::vector<double> values;
  std::vector<char> bytes;
};

Level &part(Level &level, Part kind, int64_t block) {
  level.part = kind;
  level.block = block;
  return level;
}

int32_t copyOf(const Tensor &source, Request &copy, const std::function<void()> &look) {
  CountingMemory memory;
  const Allocator hooks = memory.hooks();
  const Workers workers{};
  const int32_t status = spc_rt_convert_sorted(&hooks, &workers, &source, &copy.tensor, true);
  if (status == 0) {
    look();
    releaseArrays(hooks, copy.tensor);
  }
  CHECK(memory.live.empty());
  return status;
}

/// The copies of a matrix by rows and by columns hold `expected`.
void checkMatrix(const Source &source, const Tensor &tensor, const Entries &expected) {
  for (const std::vector<int64_t> &order : {std::vector<int64_t>{0, 1}, std::vector<int64_t>{1, 0}}) {
    Request copy(source.shape, order, {});
    const Packed wanted = pack(expected, source.shape, copyLevels(order), {});
    CHECK(copyOf(tensor, copy, [&] {
            REQUIRE(copy.tensor.stored == wanted.tensor.stored);
            CHECK(std::memcmp(copy.tensor.values, wanted.values.data(), wanted.values.size()) == 0);
            CHECK(std::memcmp(copy.levels[1].pointers, wanted.pointers[1].data(), wanted.pointers[1].size()) == 0);
            CHECK(std::memcmp(copy.levels[1].indices, wanted.indices[1].data(), wanted.indices[1].size()) == 0);
          }) == 0);
  }
}

} // namespace

TEST_CASE("fixed widths: padding is an entry, repeats are summed") {
  for (const int64_t bytes : {1, 2, 4, 8}) {
    Source source({3, 4}, {bytes, bytes, 8});
    source.add(LevelKind::Dense, 0);
    source.add(LevelKind::FixedWidth, 1, {3, 1, 2, 2, 0, 1}).width = 2;
    const Tensor tensor = source.tensor(6);
    checkMatrix(source, tensor, {{{0, 3}, 1}, {{0, 1}, 2}, {{1, 2}, 3 + 4}, {{2, 0}, 5}, {{2, 1}, 6}});
  }
}

TEST_CASE("singletons below a dense level") {
  Source source({3, 4}, {1, 1, 8});
  source.add(LevelKind::Dense, 0);
  source.add(LevelKind::Singleton, 1, {3, 0, 3});
  checkMatrix(source, source.tensor(3), {{{0, 3}, 1}, {{1, 0}, 2}, {{2, 3}, 3}});
}

TEST_CASE("ragged dense levels") {
  SECTION("from coordinate 0") {
    Source source({3, 4}, {2, 4, 8});
    source.add(LevelKind::Dense, 0);
    source.add(LevelKind::RaggedDense, 1, {}, {0, 2, 2, 3});
    checkMatrix(source, source.tensor(3), {{{0, 0}, 1}, {{0, 1}, 2}, {{2, 0}, 3}});
  }
  SECTION("from a start") {
    Source source({3, 4}, {2, 4, 8});
    source.add(LevelKind::Dense, 0);
    Level &level = source.add(LevelKind::RaggedDense, 1, {}, {0, 2, 2, 3});
    level.start = {0, 1, 0};
    level.parentExtent = 3;
    checkMatrix(source, source.tensor(3), {{{0, 0}, 1}, {{0, 1}, 2}, {{2, 2}, 3}});
  }
}

TEST_CASE("closed forms") {
  SECTION("lower triangle") {
    Source source({3, 3}, {});
    source.add(LevelKind::Dense, 0);
    Level &level = source.add(LevelKind::ClosedDense, 1);
    level.length = {1, 1, 0};
    level.parentExtent = 3;
    checkMatrix(source, source.tensor(6),
                {{{0, 0}, 1}, {{1, 0}, 2}, {{1, 1}, 3}, {{2, 0}, 4}, {{2, 1}, 5}, {{2, 2}, 6}});
  }
  SECTION("upper triangle") {
    Source source({3, 3}, {});
    source.add(LevelKind::Dense, 0);
    Level &level = source.add(LevelKind::ClosedDense, 1);
    level.length = {0, -1, 1};
    level.start = {0, 1, 0};
    level.parentExtent = 3;
    checkMatrix(source, source.tensor(6),
                {{{0, 0}, 1}, {{0, 1}, 2}, {{0, 2}, 3}, {{1, 1}, 4}, {{1, 2}, 5}, {{2, 2}, 6}});
  }
  SECTION("listed coordinates") {
    Source source({3, 4}, {4, 1, 8});
    source.add(LevelKind::Dense, 0);
    Level &level = source.add(LevelKind::ClosedCompressed, 1, {2, 3, 0});
    level.length = {0, 1, 0};
    level.parentExtent = 3;
    checkMatrix(source, source.tensor(3), {{{1, 2}, 1}, {{2, 3}, 2}, {{2, 0}, 3}});
  }
  SECTION("a batch: the form repeats") {
    Source source({2, 2, 2}, {});
    source.add(LevelKind::Dense, 0);
    source.add(LevelKind::Dense, 1);
    Level &level = source.add(LevelKind::ClosedDense, 2);
    level.length = {1, 1, 0};
    level.parentExtent = 2;
    const Tensor tensor = source.tensor(6);
    const Entries expected{{{0, 0, 0}, 1}, {{0, 1, 0}, 2}, {{0, 1, 1}, 3},
                           {{1, 0, 0}, 4}, {{1, 1, 0}, 5}, {{1, 1, 1}, 6}};
    Request copy(source.shape, {2, 0, 1}, {});
    const Packed wanted = pack(expected, source.shape, copyLevels({2, 0, 1}), {});
    CHECK(copyOf(tensor, copy, [&] {
            REQUIRE(copy.tensor.stored == wanted.tensor.stored);
            CHECK(std::memcmp(copy.tensor.values, wanted.values.data(), wanted.values.size()) == 0);
            CHECK(std::memcmp(copy.levels[2].indices, wanted.indices[2].data(), wanted.indices[2].size()) == 0);
          }) == 0);
  }
}

TEST_CASE("blocks: what lies beyond the matrix is left out") {
  for (const bool columnMajor : {false, true}) {
    Source source({3, 5}, {4, 1, 8}); // 2 x 3 blocks of 2 x 2, of which two are stored
    part(source.add(LevelKind::Dense, 0), Part::Quotient, 2);
    part(source.add(LevelKind::Compressed, 1, {1, 2}, {0, 1, 2}), Part::Quotient, 2);
    part(source.add(LevelKind::Dense, columnMajor ? 1 : 0), Part::Remainder, 2);
    part(source.add(LevelKind::Dense, columnMajor ? 0 : 1), Part::Remainder, 2);
    const double a = columnMajor ? 3 : 2, b = columnMajor ? 2 : 3;
    checkMatrix(source, source.tensor(8), {{{0, 2}, 1}, {{0, 3}, a}, {{1, 2}, b}, {{1, 3}, 4}, {{2, 4}, 5}});
  }
}

TEST_CASE("two of four: a listed remainder") {
  Source source({2, 6}, {4, 1, 8});
  source.add(LevelKind::Dense, 0);
  part(source.add(LevelKind::Dense, 1), Part::Quotient, 4);
  part(source.add(LevelKind::FixedWidth, 1, {1, 3, 0, 1, 0, 2, 1, 2}), Part::Remainder, 4).width = 2;
  checkMatrix(source, source.tensor(8),
              {{{0, 1}, 1}, {{0, 3}, 2}, {{0, 4}, 3}, {{0, 5}, 4}, {{1, 0}, 5}, {{1, 2}, 6}, {{1, 5}, 7}});
}

TEST_CASE("diagonals") {
  const auto addDiagonals = [](Source &source, const std::vector<int64_t> &offsets) {
    Level &level = source.add(LevelKind::Compressed, 1, offsets);
    level.part = Part::Difference;
    level.minus = 0;
    level.minusExtent = source.shape[0];
  };
  SECTION("by row") {
    Source source({3, 4}, {});
    addDiagonals(source, {-1, 0, 2});
    source.add(LevelKind::Dense, 0);
    checkMatrix(source, source.tensor(9, 3),
                {{{1, 0}, 2}, {{2, 1}, 3}, {{0, 0}, 4}, {{1, 1}, 5}, {{2, 2}, 6}, {{0, 2}, 7}, {{1, 3}, 8}});
  }
  SECTION("by column") {
    Source source({3, 4}, {});
    addDiagonals(source, {-2, 1});
    source.add(LevelKind::Dense, 1);
    checkMatrix(source, source.tensor(8, 2), {{{2, 0}, 1}, {{0, 1}, 6}, {{1, 2}, 7}, {{2, 3}, 8}});
  }
  SECTION("offsets out of range") {
    for (const int64_t offset : {-3, 4}) {
      Source source({3, 4}, {});
      addDiagonals(source, {offset});
      source.add(LevelKind::Dense, 0);
      const Tensor tensor = source.tensor(3, 1);
      Request copy(source.shape, {0, 1}, {});
      CHECK(static_cast<Status>(copyOf(tensor, copy, [] {})) == Status::IndexRange);
    }
  }
}

TEST_CASE("coordinate lists: interleaved, unordered, with repeats") {
  Source source({3, 4}, {4, 2, 8});
  const std::vector<int64_t> entries{2, 1, 0, 3, 2, 1, 0, 0, 2, 1};
  for (int64_t k = 0; k < 2; ++k) {
    Level &level = source.add(k == 0 ? LevelKind::Compressed : LevelKind::Singleton, k, entries);
    level.stride = 2;
    level.offset = k;
  }
  checkMatrix(source, source.tensor(5, 5), {{{2, 1}, 1 + 3 + 5}, {{0, 3}, 2}, {{0, 0}, 4}});
}

TEST_CASE("a vector with repeats is summed") {
  Source source({4}, {4, 1, 8});
  source.add(LevelKind::Compressed, 0, {2, 0, 2});
  const Tensor tensor = source.tensor(3, 3);
  Request copy(source.shape, {0}, {});
  CHECK(copyOf(tensor, copy, [&] {
          const auto *values = static_cast<const double *>(copy.tensor.values);
          CHECK(std::vector<double>(values, values + 4) == std::vector<double>{2, 0, 1 + 3, 0});
        }) == 0);
}

namespace {

/// The sum of two repeats at (1, 0), and the entry at (0, 1), of any type.
template <typename T>
void checkSum(ValueKind kind, std::conditional_t<std::is_same_v<T, bool>, std::vector<char>, std::vector<T>> values,
              T sum) {
  Source source({2, 2}, {4, 4, sizeof(T)});
  source.add(LevelKind::Compressed, 0, {1, 0, 1});
  source.add(LevelKind::Singleton, 1, {0, 1, 0});
  Tensor tensor = source.tensor(0, 3);
  tensor.stored = 3;
  tensor.values = values.data();
  tensor.valueKind = kind;
  Request copy(source.shape, {0, 1}, {4, 4, sizeof(T)});
  copy.tensor.valueKind = kind;
  CHECK(copyOf(tensor, copy, [&] {
          REQUIRE(copy.tensor.stored == 2);
          const T *copied = static_cast<const T *>(copy.tensor.values);
          CHECK(std::memcmp(&copied[0], &values[1], sizeof(T)) == 0);
          CHECK(std::memcmp(&copied[1], &sum, sizeof(T)) == 0);
        }) == 0);
}

std::vector<char> integers(const std::vector<int64_t> &numbers, int64_t bytes) {
  return narrowed(numbers, bytes);
}

template <typename T> struct Pair {
  T re, im;
};

} // namespace

TEST_CASE("repeats are summed in the type of the values") {
  checkSum<float>(ValueKind::Float, {1.5F, 9, 2}, 3.5F);
  checkSum<double>(ValueKind::Float, {1.5, 9, 2}, 3.5);
  checkSum<uint16_t>(ValueKind::Half, {floatToHalf(1.5F), 7, floatToHalf(2)}, floatToHalf(3.5F));
  checkSum<uint16_t>(ValueKind::Brain, {floatToBrain(1.5F), 7, floatToBrain(2)}, floatToBrain(3.5F));
  checkSum<int8_t>(ValueKind::Integer, {100, 9, 100}, -56);
  checkSum<int16_t>(ValueKind::Integer, {-3, 9, 300}, 297);
  checkSum<int32_t>(ValueKind::Integer, {INT32_MAX, 9, 1}, INT32_MIN);
  checkSum<uint64_t>(ValueKind::Integer, {UINT64_MAX, 9, 3}, 2);
  checkSum<bool>(ValueKind::Bool, {true, false, true}, true);
  checkSum<Pair<float>>(ValueKind::Complex, {{1, 2}, {5, 6}, {3, -4}}, {4, -2});
  checkSum<Pair<double>>(ValueKind::Complex, {{1, 2}, {5, 6}, {3, -4}}, {4, -2});
}

TEST_CASE("lengths are added up") {
  for (const int64_t bytes : {1, 2, 4, 8}) {
    const std::vector<char> lengths = integers({3, 0, 2}, bytes);
    std::vector<char> pointers(static_cast<size_t>(4 * bytes));
    CHECK(spc_rt_scan(lengths.data(), pointers.data(), bytes, 3) == 0);
    CHECK(pointers == integers({0, 3, 3, 5}, bytes));
    CHECK(spc_rt_scan(nullptr, pointers.data(), bytes, 0) == 0);
    const int64_t most = bytes == 1 ? 255 : bytes == 2 ? 65535 : bytes == 4 ? INT32_MAX : INT64_MAX;
    const std::vector<char> full = integers({most, 0, 1}, bytes);
    CHECK(static_cast<Status>(spc_rt_scan(full.data(), pointers.data(), bytes, 3)) == Status::IndexType);
    CHECK(spc_rt_scan(full.data(), pointers.data(), bytes, 2) == 0);
    if (bytes >= 4) {
      const std::vector<char> negative = integers({3, -1, 2}, bytes);
      CHECK(static_cast<Status>(spc_rt_scan(negative.data(), pointers.data(), bytes, 3)) == Status::Pointers);
    }
  }
}

} // namespace spc::runtime::test
