// Large matrices by rows and by columns: blocks of rows, long rows, many repeats.
#include "format_model.h"

namespace spc::runtime::test {
namespace {

void checkRows(const std::vector<int64_t> &shape, int count, Widths widths, unsigned seed) {
  const Entries entries = randomEntries(shape, count, seed);
  const UnsortedList list(entries, shape, widths, seed);
  Made rows(wholes("dc", {0, 1}), shape, widths), columns(wholes("dc", {1, 0}), shape, widths);
  Made sorted(wholes("cs", {1, 0}, true), shape, widths), rowsAgain(wholes("dc", {0, 1}), shape, widths);
  REQUIRE(rows.convert(list.made.tensor) == Status::Ok);
  CHECK(ModelReader(rows.tensor, 2).read() == entries);
  REQUIRE(columns.convert(rows.tensor) == Status::Ok);
  CHECK(ModelReader(columns.tensor, 2).read() == entries);
  REQUIRE(sorted.convert(rows.tensor) == Status::Ok);
  CHECK(ModelReader(sorted.tensor, 2).read() == entries);
  REQUIRE(rowsAgain.convert(sorted.tensor) == Status::Ok);
  CHECK(ModelReader(rowsAgain.tensor, 2).read() == entries);
}

} // namespace

TEST_CASE("entries far apart are scattered block by block") {
  for (const Widths &widths : std::vector<Widths>{{4, 4, 8}, {8, 8, 4}, {8, 4, 4}})
    checkRows({200000, 180000}, 30000, widths, 1);
  checkRows({200001, 300000}, 10000, {4, 8, 8}, 2);
}

TEST_CASE("long rows are merged") {
  for (const Widths &widths : std::vector<Widths>{{4, 4, 8}, {8, 8, 4}})
    for (const int count : {60, 150, 1000, 2000})
      checkRows({3, 700}, count, widths, 5);
}

TEST_CASE("repeats in a matrix by rows are summed where it is transposed") {
  const std::vector<int64_t> shape{3, 4};
  std::vector<int32_t> pointers{0, 3, 3, 6}, indices{2, 0, 2, 1, 1, 1};
  std::vector<double> values{1, 2, 4, 8, 16, 32};
  Made source(wholes("dc", {0, 1}), shape, {});
  source.levels[1].pointers = pointers.data();
  source.levels[1].indices = indices.data();
  source.tensor.values = values.data();
  source.tensor.stored = 6;
  const Entries expected{{{0, 0}, 2}, {{0, 2}, 5}, {{2, 1}, 56}};
  for (const FormatModel &format : matrixFormats()) {
    INFO(format.name);
    Made made(format, shape, {});
    REQUIRE(made.convert(source.tensor) == Status::Ok);
    CHECK(ModelReader(made.tensor, 2).read() == expected);
  }
}

TEST_CASE("repeats are summed as numbers of every kind") {
  struct Kind {
    ValueKind kind;
    int64_t bytes;
    uint64_t one, two; ///< the bits of 1 and 2, the second true too
  };
  const auto bits = [](auto number) {
    uint64_t pattern = 0;
    std::memcpy(&pattern, &number, sizeof(number));
    return pattern;
  };
  const std::vector<Kind> kinds{{ValueKind::Float, 8, bits(1.0), bits(2.0)},
                                {ValueKind::Float, 4, bits(1.0F), bits(2.0F)},
                                {ValueKind::Half, 2, 0x3c00, 0x4000},
                                {ValueKind::Brain, 2, 0x3f80, 0x4000},
                                {ValueKind::Integer, 1, 1, 2},
                                {ValueKind::Integer, 2, 1, 2},
                                {ValueKind::Integer, 4, 1, 2},
                                {ValueKind::Integer, 8, 1, 2},
                                {ValueKind::Bool, 1, 1, 1},
                                {ValueKind::Complex, 8, bits(1.0F), bits(2.0F)},
                                {ValueKind::Complex, 16, bits(1.0), bits(2.0)}};
  const std::vector<int64_t> shape{3, 4};
  for (const Kind &kind : kinds)
    for (const FormatModel &format : matrixFormats()) {
      INFO(format.name << ", kind " << static_cast<int>(kind.kind) << ", bytes " << kind.bytes);
      std::vector<int32_t> rows{2, 0, 2}, columns{1, 3, 1};
      std::vector<char> values(static_cast<size_t>(3 * kind.bytes));
      for (int64_t e = 0; e < 3; ++e)
        std::memcpy(values.data() + e * kind.bytes, &kind.one, static_cast<size_t>(kind.bytes < 8 ? kind.bytes : 8));
      Made source(wholes("cs", {0, 1}), shape, {4, 4, kind.bytes}, kind.kind);
      source.levels[0].indices = rows.data();
      source.levels[1].indices = columns.data();
      source.tensor.values = values.data();
      source.tensor.levels[0].count = source.tensor.stored = 3;
      Made made(format, shape, {4, 4, kind.bytes}, kind.kind);
      REQUIRE(made.convert(source.tensor) == Status::Ok);
      const auto bitsAt = [&](const Coordinate &at) {
        const int64_t position = positionOf(made.tensor, at.data());
        REQUIRE(position >= 0);
        uint64_t pattern = 0;
        std::memcpy(&pattern, static_cast<const char *>(made.tensor.values) + position * kind.bytes,
                    static_cast<size_t>(kind.bytes < 8 ? kind.bytes : 8));
        return pattern;
      };
      CHECK(bitsAt({2, 1}) == kind.two);
      CHECK(bitsAt({0, 3}) == kind.one);
    }
}

} // namespace spc::runtime::test
