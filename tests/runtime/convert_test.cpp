// Conversions between every pair of formats.
#include "format_model.h"

#include <algorithm>

namespace spc::runtime::test {
namespace {

/// Types of 1 and 2 bytes are unsigned, and differences may be negative.
bool canIndex(const FormatModel &format, Widths widths) {
  return widths.indices >= 4 || std::none_of(format.levels.begin(), format.levels.end(),
                                             [](const Level &level) { return level.part == Part::Difference; });
}

/// A matrix of unsorted coordinates becomes each format, and each format each other one.
void checkPairs(const std::vector<FormatModel> &formats, const std::vector<int64_t> &shape, int count, unsigned seed,
                Widths from, Widths to) {
  const Entries entries = randomEntries(shape, count, seed);
  const UnsortedList list(entries, shape, from, seed);
  for (const FormatModel &source : formats) {
    if (!canIndex(source, from))
      continue;
    Made made(source, shape, from);
    INFO(source.name);
    REQUIRE(made.convert(list.made.tensor) == Status::Ok);
    CHECK(ModelReader(made.tensor, shape.size()).read() == entries);
    for (const FormatModel &target : formats) {
      if (!canIndex(target, to))
        continue;
      Made copy(target, shape, to);
      INFO("to " << target.name);
      REQUIRE(copy.convert(made.tensor) == Status::Ok);
      CHECK(ModelReader(copy.tensor, shape.size()).read() == entries);
    }
  }
}

/// Where nothing is padded there is one layout: that of the model.
void checkBytes(const std::vector<int64_t> &shape, const std::vector<ModelLevel> &levels, Widths widths,
                unsigned seed) {
  const Entries entries = randomEntries(shape, 30, seed);
  const Packed expected = pack(entries, shape, levels, widths);
  const UnsortedList list(entries, shape, widths, seed);
  FormatModel format{"model", {}};
  for (const ModelLevel &level : levels)
    format.levels.push_back(levelOf(level.kind, level.dimension));
  Made made(format, shape, widths);
  REQUIRE(made.convert(list.made.tensor) == Status::Ok);
  const auto same = [](const void *array, const std::vector<char> &bytes) {
    return bytes.empty() ? array == nullptr : std::memcmp(array, bytes.data(), bytes.size()) == 0;
  };
  CHECK(made.tensor.stored == expected.tensor.stored);
  CHECK(same(made.tensor.values, expected.values));
  for (size_t k = 0; k < levels.size(); ++k) {
    CHECK(made.levels[k].count == expected.levels[k].count);
    CHECK(same(made.levels[k].pointers, expected.pointers[k]));
    CHECK(same(made.levels[k].indices, expected.indices[k]));
  }
}

/// What a list of two columns of 4 bytes and of doubles makes.
Entries combined(const Tensor &list, Duplicates duplicates) {
  const auto *rows = static_cast<const int32_t *>(list.levels[0].indices);
  const auto *columns = static_cast<const int32_t *>(list.levels[1].indices);
  const auto *values = static_cast<const double *>(list.values);
  Entries entries;
  for (int64_t e = 0; e < list.stored; ++e) {
    const auto [found, isNew] = entries.emplace(Coordinate{rows[e], columns[e]}, values[e]);
    if (!isNew)
      found->second = duplicates == Duplicates::Sum   ? found->second + values[e]
                      : duplicates == Duplicates::Min ? std::min(found->second, values[e])
                      : duplicates == Duplicates::Max ? std::max(found->second, values[e])
                                                      : values[e];
  }
  return entries;
}

} // namespace

TEST_CASE("entries of one place are combined as a source says") {
  const std::vector<int64_t> shape{7, 5};
  for (const unsigned seed : {1u, 2u, 3u})
    for (const Duplicates duplicates : {Duplicates::Sum, Duplicates::Min, Duplicates::Max, Duplicates::Last}) {
      UnsortedList list(randomEntries(shape, 20, seed), shape, {4, 4, 8}, seed);
      list.made.tensor.duplicates = duplicates;
      const Entries expected = combined(list.made.tensor, duplicates);
      for (const FormatModel &format : matrixFormats())
        for (const auto function : {spc_rt_convert, spc_rt_convert_sorted}) {
          INFO(format.name << ", " << static_cast<int64_t>(duplicates));
          Made made(format, shape, {4, 4, 8});
          REQUIRE(made.convert(list.made.tensor, true, function) == Status::Ok);
          CHECK(ModelReader(made.tensor, 2).read() == expected);
        }
    }
}

TEST_CASE("entries of one place may be a mistake") {
  const std::vector<int64_t> shape{7, 5};
  const Entries entries = randomEntries(shape, 20, 1);
  UnsortedList repeated(entries, shape, {}, 1), once(entries, shape, {}, 1, /*repeats=*/false);
  repeated.made.tensor.duplicates = once.made.tensor.duplicates = Duplicates::Error;
  for (const FormatModel &format : matrixFormats())
    for (const bool withValues : {true, false}) {
      INFO(format.name);
      Made made(format, shape, {}), refused(format, shape, {});
      CHECK(made.convert(once.made.tensor, withValues) == Status::Ok);
      CHECK(refused.convert(repeated.made.tensor, withValues) == Status::Duplicate);
    }
}

TEST_CASE("matrices are converted between all formats") {
  unsigned seed = 1;
  for (const std::vector<int64_t> &shape : std::vector<std::vector<int64_t>>{{7, 5}, {6, 9}, {1, 1}, {1, 40}, {40, 1}})
    for (const int count : {0, 1, 12, 300})
      checkPairs(matrixFormats(), shape, count, ++seed, {}, {});
}

TEST_CASE("matrices without rows or columns are converted") {
  std::vector<FormatModel> formats = matrixFormats();
  for (const std::vector<int64_t> &shape : std::vector<std::vector<int64_t>>{{0, 4}, {4, 0}, {0, 0}})
    checkPairs(formats, shape, 0, 1, {}, {});
}

TEST_CASE("tensors of order 3 are converted between all formats") {
  checkPairs(cubeFormats(), {4, 5, 3}, 25, 1, {}, {});
  checkPairs(cubeFormats(), {4, 5, 3}, 0, 2, {}, {});
  checkPairs(cubeFormats(), {1, 1, 1}, 1, 3, {}, {});
  checkPairs(cubeFormats(), {3, 0, 2}, 0, 4, {}, {});
}

TEST_CASE("tensors of order 4 are converted between all formats") {
  const std::vector<FormatModel> formats{wholes("cccc", {0, 1, 2, 3}), wholes("csss", {3, 1, 0, 2}),
                                         wholes("dccc", {2, 0, 3, 1}), wholes("ddcc", {1, 3, 2, 0}),
                                         wholes("dcss", {3, 2, 1, 0})};
  checkPairs(formats, {3, 2, 4, 3}, 25, 1, {}, {});
  checkPairs(formats, {3, 2, 4, 3}, 0, 2, {}, {});
}

TEST_CASE("extents of several digits are sorted") {
  const std::vector<FormatModel> formats{wholes("cc", {1, 0}), wholes("dc", {0, 1}), wholes("cs", {0, 1})};
  checkPairs(formats, {70000, 5000000}, 3000, 6, {}, {8, 8, 8});
}

TEST_CASE("vectors are converted") {
  const std::vector<FormatModel> formats{wholes("d", {0}), wholes("c", {0})};
  checkPairs(formats, {9}, 4, 1, {}, {});
  checkPairs(formats, {9}, 0, 1, {}, {});
  checkPairs(formats, {0}, 0, 1, {}, {});
}

TEST_CASE("coordinates that together fit a word or do not") {
  const std::vector<FormatModel> formats{wholes("cs", {0, 1}), wholes("cs", {1, 0}, true), wholes("cc", {0, 1}),
                                         wholes("cc", {1, 0}), blocks(LevelKind::Compressed, 3, 2)};
  for (const int64_t bits : {20, 23, 24, 40})
    checkPairs(formats, {int64_t{1} << 40, int64_t{1} << bits}, 60, 1, {8, 8, 8}, {4, 8, 8});
}

TEST_CASE("all widths are converted") {
  for (const int64_t pointers : {1, 2, 4, 8})
    for (const int64_t indices : {1, 2, 4, 8})
      for (const int64_t values : {4, 8}) {
        checkPairs(matrixFormats(), {7, 6}, 15, 1, {}, {pointers, indices, 8});
        checkPairs(matrixFormats(), {7, 6}, 15, 2, {pointers, indices, values}, {pointers, indices, values});
      }
}

TEST_CASE("the layout is the model's") {
  using enum LevelKind;
  for (const Widths &widths : std::vector<Widths>{{4, 4, 8}, {8, 8, 4}, {8, 4, 4}, {2, 1, 8}})
    for (unsigned seed = 1; seed < 5; ++seed) {
      checkBytes({9, 6}, {{Dense, 0}, {Compressed, 1}}, widths, seed);
      checkBytes({9, 6}, {{Dense, 1}, {Compressed, 0}}, widths, seed);
      checkBytes({9, 6}, {{Compressed, 1}, {Singleton, 0}}, widths, seed);
      checkBytes({9, 6}, {{Compressed, 0}, {Dense, 1}}, widths, seed);
      checkBytes({40, 30}, {{Compressed, 0}, {Compressed, 1}}, widths, seed);
      checkBytes({4, 5, 6}, {{Dense, 2}, {Compressed, 0}, {Singleton, 1}}, widths, seed);
    }
}

TEST_CASE("functions for some types convert as the one for all") {
  const auto check = [](decltype(&spc_rt_convert) function, Widths widths, const std::vector<FormatModel> &formats) {
    const std::vector<int64_t> shape{9, 8};
    const Entries entries = randomEntries(shape, 30, 4);
    const UnsortedList list(entries, shape, widths, 4);
    for (const FormatModel &format : formats) {
      Made made(format, shape, widths);
      REQUIRE(made.convert(list.made.tensor, true, function) == Status::Ok);
      CHECK(ModelReader(made.tensor, 2).read() == entries);
    }
  };
  const std::vector<FormatModel> rows{wholes("dc", {0, 1}), wholes("dc", {1, 0})};
  check(spc_rt_convert_rows_4_4, {4, 4, 4}, rows);
  check(spc_rt_convert_rows_4_8, {4, 4, 8}, rows);
  check(spc_rt_convert_rows_8_4, {8, 8, 4}, rows);
  check(spc_rt_convert_rows_8_8, {4, 8, 8}, rows);
  const auto checkUnique = [&](decltype(&spc_rt_convert) function, Widths widths) {
    const std::vector<int64_t> shape{9, 8};
    const Entries entries = randomEntries(shape, 30, 5);
    Made source(rows[0], shape, widths), made(rows[1], shape, widths);
    REQUIRE(source.convert(UnsortedList(entries, shape, widths, 4).made.tensor) == Status::Ok);
    REQUIRE(made.convert(source.tensor, true, function) == Status::Ok);
    CHECK(ModelReader(made.tensor, 2).read() == entries);
  };
  checkUnique(spc_rt_convert_unique_rows_4_4, {4, 4, 4});
  checkUnique(spc_rt_convert_unique_rows_4_8, {4, 4, 8});
  checkUnique(spc_rt_convert_unique_rows_8_4, {8, 8, 4});
  checkUnique(spc_rt_convert_unique_rows_8_8, {8, 8, 8});
  for (const Widths &widths : std::vector<Widths>{{4, 4, 4}, {4, 4, 8}, {8, 8, 4}, {2, 1, 8}})
    check(spc_rt_convert_sorted, widths, {rows[0], rows[1], wholes("cs", {1, 0})});
}

TEST_CASE("a pattern alone is converted") {
  const std::vector<int64_t> shape{7, 5};
  const Entries entries = randomEntries(shape, 12, 3);
  UnsortedList list(entries, shape, {}, 3);
  list.made.tensor.values = nullptr;
  for (const FormatModel &format : matrixFormats()) {
    INFO(format.name);
    Made made(format, shape, {});
    REQUIRE(made.convert(list.made.tensor, false) == Status::Ok);
    CHECK(made.tensor.values == nullptr);
    Made full(format, shape, {});
    REQUIRE(full.convert(UnsortedList(entries, shape, {}, 3).made.tensor) == Status::Ok);
    REQUIRE(made.tensor.stored == full.tensor.stored);
    made.tensor.values = full.tensor.values;
    CHECK(ModelReader(made.tensor, 2).read() == entries);
    made.tensor.values = nullptr;
  }
}

TEST_CASE("nothing leaks when memory runs out in a conversion") {
  const std::vector<int64_t> shape{7, 5};
  const UnsortedList list(randomEntries(shape, 14, 8), shape, {}, 8);
  for (const FormatModel &from : matrixFormats())
    for (const FormatModel &to : matrixFormats())
      for (const bool fromList : {true, false}) {
        Made source(from, shape, {});
        REQUIRE(source.convert(list.made.tensor) == Status::Ok);
        int failures = 0;
        for (bool done = false; !done; ++failures) {
          Made copy(to, shape, {});
          copy.memory.failAt = failures;
          const Status status = copy.convert(fromList ? list.made.tensor : source.tensor);
          done = status == Status::Ok;
          if (!done)
            CHECK(status == Status::Memory);
          REQUIRE(failures < 50);
        }
        CHECK(failures > 2);
      }
}

TEST_CASE("a given width is filled or exceeded") {
  const std::vector<int64_t> shape{3, 4};
  const Entries entries{{{0, 1}, 1}, {{0, 3}, 2}, {{2, 2}, 3}};
  const UnsortedList list(entries, shape, {}, 1);
  const auto widthOf = [&](const char *storages, int64_t width, const std::vector<int64_t> &expected) {
    FormatModel format = wholes(storages, {0, 1});
    format.levels[1].width = width;
    Made made(format, shape, {});
    const Status status = made.convert(list.made.tensor);
    CHECK(made.levels[1].width == (status == Status::Ok && width < 0 ? 2 : width));
    if (status == Status::Ok) {
      const auto *indices = static_cast<const int32_t *>(made.levels[1].indices);
      CHECK(std::vector<int64_t>(indices, indices + made.tensor.stored) == expected);
      CHECK(ModelReader(made.tensor, 2).read() == entries);
    }
    return status;
  };
  CHECK(widthOf("de", -1, {1, 3, 0, 0, 2, 2}) == Status::Ok);
  CHECK(widthOf("de", 3, {1, 3, 3, 0, 0, 0, 2, 2, 2}) == Status::Ok);
  CHECK(widthOf("de", 6, {1, 3, 3, 3, 3, 3, 0, 0, 0, 0, 0, 0, 2, 2, 2, 2, 2, 2}) == Status::Ok);
  CHECK(widthOf("dq", 3, {0, 1, 3, 0, 1, 2, 0, 1, 2}) == Status::Ok);
  CHECK(widthOf("dq", 4, {0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3}) == Status::Ok);
  CHECK(widthOf("dq", 5, {}) == Status::Shape);
  CHECK(widthOf("de", 1, {}) == Status::Count);
  FormatModel format = wholes("de", {0, 1});
  format.levels[1].width = 2;
  Made made(format, {3, 0}, {});
  CHECK(made.convert(UnsortedList({}, {3, 0}, {}, 1).made.tensor) == Status::Shape);
}

TEST_CASE("entries that a target has no place for give a status") {
  using enum LevelKind;
  const std::vector<int64_t> shape{4, 6};
  const auto convert = [&](const FormatModel &format, const Entries &entries) {
    Made made(format, shape, {});
    const Status status = made.convert(UnsortedList(entries, shape, {}, 1).made.tensor);
    if (status == Status::Ok)
      CHECK(ModelReader(made.tensor, 2).read() == entries);
    return status;
  };
  const FormatModel lower{"lower", {levelOf(Dense, 0), closedOf(ClosedDense, 1, {1, 1, 0}, {})}};
  CHECK(convert(lower, {{{0, 0}, 1}, {{3, 0}, 2}, {{3, 3}, 3}}) == Status::Ok);
  CHECK(convert(lower, {{{0, 0}, 1}, {{1, 2}, 2}, {{3, 3}, 3}}) == Status::IndexRange);
  const FormatModel band{"band", {levelOf(Dense, 0), closedOf(ClosedDense, 1, {2, 0, 0}, {1, 1, 0})}};
  CHECK(convert(band, {{{0, 1}, 1}, {{0, 2}, 2}, {{3, 5}, 3}}) == Status::Ok);
  CHECK(convert(band, {{{2, 2}, 1}}) == Status::IndexRange);
  CHECK(convert(band, {{{2, 5}, 1}}) == Status::IndexRange);
  FormatModel lists{"growing lists", {levelOf(Dense, 0), closedOf(ClosedCompressed, 1, {1, 1, 0}, {})}};
  for (const bool isUnique : {false, true}) {
    lists.levels[1].isUnique = isUnique;
    CHECK(convert(lists, {{{0, 5}, 1}, {{3, 0}, 2}, {{3, 2}, 2}, {{3, 3}, 2}, {{3, 5}, 2}}) == Status::Ok);
    CHECK(convert(lists, {{{0, 5}, 1}, {{1, 0}, 2}, {{1, 2}, 2}, {{1, 3}, 2}}) == Status::Count);
  }
  lists.levels[1].length = {4, 1, 0};
  CHECK(convert(lists, {}) == Status::Shape);
  FormatModel groups{
      "groups", {levelOf(Dense, 0), blockOf(Dense, 1, Part::Quotient, 4), blockOf(FixedWidth, 1, Part::Remainder, 4)}};
  groups.levels[2].width = 2;
  for (const bool isUnique : {false, true}) {
    groups.levels[2].isUnique = isUnique;
    CHECK(convert(groups, {{{0, 1}, 1}, {{0, 2}, 2}, {{0, 4}, 3}, {{3, 5}, 4}}) == Status::Ok);
    CHECK(convert(groups, {{{0, 1}, 1}, {{0, 2}, 2}, {{0, 3}, 3}}) == Status::Count);
  }
}

TEST_CASE("runs that overflow the pointers are refused") {
  for (const int64_t last : {99, 100, 300}) {
    const std::vector<int64_t> shape{3, 301};
    const Entries entries{{{0, 99}, 1}, {{1, 54}, 2}, {{2, last}, 3}};
    Made made(wholes("dr", {0, 1}), shape, {1, 4, 8});
    const Status expected = last == 99 ? Status::Ok : Status::IndexType;
    CHECK(made.convert(UnsortedList(entries, shape, {}, 1).made.tensor) == expected);
  }
}

TEST_CASE("narrow target types are refused") {
  const UnsortedList wide({{{300, 2}, 1}}, {301, 3}, {}, 1);
  const auto convert = [](const UnsortedList &list, const std::vector<int64_t> &shape, const FormatModel &format,
                          Widths widths) { return Made(format, shape, widths).convert(list.made.tensor); };
  CHECK(convert(wide, {301, 3}, wholes("cs", {0, 1}), {4, 1, 8}) == Status::IndexType);
  CHECK(convert(wide, {301, 3}, wholes("dc", {0, 1}), {4, 1, 8}) == Status::Ok);
  const Entries many = randomEntries({40, 40}, 900, 1);
  REQUIRE(many.size() > 255);
  const UnsortedList list(many, {40, 40}, {}, 1, false);
  for (const FormatModel &format : {wholes("dc", {0, 1}), wholes("cc", {0, 1}), blocks(LevelKind::Dense, 1, 1)})
    CHECK(convert(list, {40, 40}, format, {1, 4, 8}) == Status::IndexType);
}

TEST_CASE("functions for some types refuse coordinates that do not fit") {
  const std::vector<int64_t> shape{3, int64_t{1} << 33};
  const auto convert = [&](const Entries &entries, const std::vector<int64_t> &dimensions) {
    const UnsortedList list(entries, shape, {4, 4, 8}, 1);
    return Made(wholes("dc", dimensions), shape, {4, 4, 8}).convert(list.made.tensor, true, spc_rt_convert_rows_4_8);
  };
  CHECK(convert({{{2, 5}, 1}}, {0, 1}) == Status::IndexType);
  CHECK(convert({}, {0, 1}) == Status::Ok);
}

TEST_CASE("a malformed source gives a status") {
  const std::vector<int64_t> shape{4, 3};
  for (const FormatModel &to : {wholes("dc", {0, 1}), wholes("dc", {1, 0}), wholes("cs", {1, 0})}) {
    UnsortedList list({{{0, 1}, 1}, {{2, 0}, 2}, {{3, 2}, 3}}, shape, {}, 1, false);
    Made rows(wholes("dc", {0, 1}), shape, {});
    REQUIRE(rows.convert(list.made.tensor) == Status::Ok);
    const auto check = [&](const Tensor &source, Status expected) {
      Made made(to, shape, {});
      CHECK(made.convert(source) == expected);
    };
    Tensor wrong = rows.tensor;
    wrong.stored = -1;
    check(wrong, Status::Count);
    wrong.stored = 2;
    check(wrong, Status::Count);
    static_cast<int32_t *>(rows.levels[1].indices)[1] = 3;
    check(rows.tensor, Status::IndexRange);
    static_cast<int32_t *>(rows.levels[1].indices)[1] = -1;
    check(rows.tensor, Status::IndexRange);
    for (const int32_t bad : {-1, 4}) {
      reinterpret_cast<int32_t *>(list.indices[0].data())[2] = bad;
      check(list.made.tensor, Status::IndexRange);
    }
    list.made.tensor.levels[0].count = 2;
    check(list.made.tensor, Status::Count);
    list.made.tensor.levels[0].count = -1;
    check(list.made.tensor, Status::Count);
  }
}

TEST_CASE("pointers that come back to entries give a status") {
  const std::vector<int64_t> shape{4, 3};
  Made rows(wholes("dc", {0, 1}), shape, {});
  REQUIRE(rows.convert(UnsortedList({{{0, 1}, 1}, {{2, 0}, 2}, {{3, 2}, 3}}, shape, {}, 1, false).made.tensor) ==
          Status::Ok);
  static_cast<int32_t *>(rows.levels[1].pointers)[1] = 3;
  for (const FormatModel &to : {wholes("cc", {0, 1}), wholes("dc", {1, 0})})
    CHECK(Made(to, shape, {}).convert(rows.tensor) == Status::Count);
}

TEST_CASE("a root too large for memory is no crash") {
  const std::vector<int64_t> shape{3, INT64_MAX};
  const UnsortedList list({{{1, 5}, 1}}, shape, {8, 8, 8}, 1);
  CHECK(Made(wholes("dc", {1, 0}), shape, {8, 8, 8}).convert(list.made.tensor) == Status::Memory);
}

} // namespace spc::runtime::test
