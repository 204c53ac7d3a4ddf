// What the entry binds and refuses for every kind of level.
#include "../../include/spc/spc.h"
#include "harness/probe.h"

#include <catch2/catch.hpp>

namespace spc::entry::test {
namespace {

using abi::FieldRole;
using format::Format;
using format::IndexType;
using format::Part;

/// One operand A(m, n) in `format` beside a vector over the extents, with room for whatever it stores.
struct One {
  explicit One(const Format &format, const std::vector<std::string> &asked = {}) {
    std::vector<sema::ExtentId> extents;
    for (int d = 0; d < format.order(); ++d)
      extents.push_back(probe.extent(std::string(1, static_cast<char>('m' + d))));
    probe.operand("A", format, extents);
    for (const std::string &bind : asked)
      probe.ask(bind);
    run.emplace(probe);
    object().point(FieldRole::Values, 0, values.data());
  }
  Object &object() { return (*run)["A"]; }
  void shape(std::vector<int64_t> sizes) {
    for (size_t d = 0; d < sizes.size(); ++d)
      object().at(FieldRole::Size, static_cast<int>(d)) = sizes[d];
  }
  int32_t call() { return run->call(); }
  /// What the body got for the `n`-th bind asked for; 0 is the probe's own.
  int64_t got(size_t n) { return run->got(n + 1); }

  Probe probe;
  std::optional<Running> run;
  std::vector<double> values = std::vector<double>(256);
  std::vector<int32_t> zeros = std::vector<int32_t>(256);
};

Format blocked(int64_t rows, int64_t columns) {
  Format format = formatOf("dcdd", {0, 1, 0, 1});
  for (int k = 0; k < 4; ++k) {
    format.levels[k].part = k < 2 ? Part::Quotient : Part::Remainder;
    format.levels[k].block = k % 2 == 0 ? rows : columns;
  }
  return format;
}

Format diagonals() {
  Format format = formatOf("cd", {1, 0});
  format.levels[0].part = Part::Difference;
  format.levels[0].minus = 0;
  return format;
}

} // namespace

TEST_CASE("a fixed width gives the number of values") {
  SECTION("at run time") {
    One test(formatOf("df"), {R"(stored, "A")", R"(width, "A", 1)", R"(indices, "A", 1)"});
    test.shape({5, 9});
    test.object().at(FieldRole::Width, 1) = 3;
    test.object().point(FieldRole::Indices, 1, test.zeros.data());
    REQUIRE(test.call() == SPC_OK);
    CHECK(test.got(0) == 15);
    CHECK(test.got(1) == 3);
    CHECK(test.got(2) == word(test.zeros.data()));
    SECTION("negative") {
      test.object().at(FieldRole::Width, 1) = -1;
      CHECK(test.call() == SPC_ERROR_COUNT);
    }
    SECTION("too many") {
      for (int64_t width : {INT64_MAX, INT64_MAX / 5, int64_t{1} << 60}) {
        test.object().at(FieldRole::Width, 1) = width;
        CHECK(test.call() == SPC_ERROR_COUNT);
      }
    }
    SECTION("no index to repeat") {
      test.shape({5, 0});
      CHECK(test.call() == SPC_ERROR_SHAPE);
      test.shape({0, 0});
      CHECK(test.call() == SPC_OK);
      CHECK(test.got(0) == 0);
    }
    SECTION("NULL arrays") {
      test.object().point(FieldRole::Indices, 1, nullptr);
      CHECK(test.call() == SPC_ERROR_NULL);
      test.object().at(FieldRole::Width, 1) = 0;
      test.object().point(FieldRole::Values, 0, nullptr);
      CHECK(test.call() == SPC_OK);
    }
  }
  SECTION("in the format") {
    Format format = formatOf("df");
    format.levels[1].width = 4;
    One test(format, {R"(stored, "A")"});
    CHECK(test.object().type.find(FieldRole::Width, 1) < 0);
    test.shape({7, 9});
    CHECK(test.call() == SPC_ERROR_NULL);
    test.object().point(FieldRole::Indices, 1, test.zeros.data());
    REQUIRE(test.call() == SPC_OK);
    CHECK(test.got(0) == 28);
    test.shape({INT64_MAX, 9});
    CHECK(test.call() == SPC_ERROR_COUNT);
  }
}

TEST_CASE("a closed form gives the number of values") {
  SECTION("lower triangle") {
    One test(formatOf("dt"), {R"(stored, "A")"});
    test.shape({6, 6});
    REQUIRE(test.call() == SPC_OK);
    CHECK(test.got(0) == 21);
    test.shape({6, 9});
    CHECK(test.call() == SPC_OK);
    test.shape({7, 6});
    CHECK(test.call() == SPC_ERROR_SHAPE);
    test.shape({0, 0});
    CHECK(test.call() == SPC_OK);
    CHECK(test.got(0) == 0);
    for (int64_t size : {int64_t{1} << 31, int64_t{1} << 33, INT64_MAX}) {
      test.shape({size, size});
      CHECK(test.call() == SPC_ERROR_SHAPE);
    }
    test.shape({INT32_MAX, INT32_MAX}); // more values than memory holds
    CHECK(test.call() == SPC_ERROR_COUNT);
    constexpr int64_t large = int64_t{1} << 29;
    test.shape({large, large});
    CHECK(test.call() == SPC_OK);
    CHECK(test.got(0) == large * (large + 1) / 2);
  }
  SECTION("upper triangle") {
    Format format = formatOf("dt");
    format.levels[1].length = {0, -1, 1};
    format.levels[1].start = {0, 1, 0};
    One test(format, {R"(stored, "A")"});
    test.shape({6, 6});
    REQUIRE(test.call() == SPC_OK);
    CHECK(test.got(0) == 21);
    test.shape({4, 6});
    REQUIRE(test.call() == SPC_OK);
    CHECK(test.got(0) == 6 + 5 + 4 + 3);
    test.shape({7, 6});
    CHECK(test.call() == SPC_OK); // the last row has length 0
    test.shape({8, 6});
    CHECK(test.call() == SPC_ERROR_SHAPE);
  }
  SECTION("a batch of triangles") {
    One test(formatOf("ddt"), {R"(stored, "A")"});
    test.shape({3, 4, 4});
    REQUIRE(test.call() == SPC_OK);
    CHECK(test.got(0) == 30);
    test.shape({INT64_MAX, 4, 4});
    CHECK(test.call() == SPC_ERROR_COUNT);
  }
  SECTION("forms beyond every extent") {
    const auto length = GENERATE(format::ClosedForm{INT64_MAX, 0, 0}, format::ClosedForm{0, INT64_MAX, 0},
                                 format::ClosedForm{0, 0, INT64_MIN}, format::ClosedForm{-1, 1, 0});
    Format format = formatOf("dt");
    format.levels[1].length = length;
    One test(format);
    test.shape({5, 5});
    CHECK(test.call() == SPC_ERROR_SHAPE);
    test.shape({0, 5});
    CHECK(test.call() == SPC_OK);
  }
}

TEST_CASE("ragged dense levels have pointers and no indices") {
  One test(formatOf("dr"), {R"(stored, "A")", R"(pointers, "A", 1)"});
  CHECK(test.object().type.find(FieldRole::Indices, 1) < 0);
  const std::vector<int32_t> pointers{0, 2, 2, 5};
  test.shape({3, 4});
  test.object().at(FieldRole::Stored) = 5;
  CHECK(test.call() == SPC_ERROR_NULL);
  test.object().point(FieldRole::Pointers, 1, pointers.data());
  REQUIRE(test.call() == SPC_OK);
  CHECK(test.got(0) == 5);
  CHECK(test.got(1) == word(pointers.data()));
  test.object().at(FieldRole::Stored) = 4;
  CHECK(test.call() == SPC_ERROR_COUNT);
}

namespace {

/// A(m, n) in CSR with lengths 0, 1, 2, 3 of some type, and a memory hook that keeps what it gave, to be looked at
/// after the call.
struct LengthsProbe {
  explicit LengthsProbe(IndexType type, const std::string &letters = "dl")
      : bytes(static_cast<size_t>(format::bits(type) / 8)),
        test(formatOf(letters, {}, type, IndexType::I32), {R"(stored, "A")", R"(pointers, "A", 1)"}),
        lengths(4 * bytes) {
    for (size_t p = 0; p < 4; ++p)
      lengths[p * bytes] = static_cast<char>(p);
    test.shape(letters.size() == 2 ? std::vector<int64_t>{4, 9} : std::vector<int64_t>{4, 9, 0});
    test.object().at(FieldRole::Stored) = letters.size() == 2 ? 6 : 0;
    test.object().point(FieldRole::Indices, 1, test.zeros.data());
    test.object().point(FieldRole::Lengths, 1, lengths.data());
  }
  int32_t call() { return test.run->call(&context); }

  size_t bytes; ///< of a length
  One test;
  std::vector<char> lengths;
  std::vector<int64_t> block = std::vector<int64_t>(8);
  int64_t asked = 0, released = 0;
  spc_context context{sizeof(spc_context), this, allocate, release, nullptr};

private:
  static void *allocate(void *user, int64_t size, int64_t /*alignment*/) noexcept {
    auto &self = *static_cast<LengthsProbe *>(user);
    self.asked = size;
    return self.block.data();
  }
  static void release(void *user, void *) noexcept { ++static_cast<LengthsProbe *>(user)->released; }
};

} // namespace

TEST_CASE("lengths are added up into pointers") {
  LengthsProbe probe(GENERATE(IndexType::U8, IndexType::U16, IndexType::I32, IndexType::I64));
  Object &object = probe.test.object();
  CHECK(object.type.find(FieldRole::Pointers, 1) < 0);
  object.point(FieldRole::Lengths, 1, nullptr);
  CHECK(probe.call() == SPC_ERROR_NULL);
  object.point(FieldRole::Lengths, 1, probe.lengths.data());
  REQUIRE(probe.call() == SPC_OK);
  CHECK(probe.asked == static_cast<int64_t>(5 * probe.bytes));
  CHECK(probe.released == 1);
  CHECK(probe.test.got(1) == word(probe.block.data()));
  for (size_t p = 0; p < 5; ++p)
    CHECK(reinterpret_cast<const unsigned char *>(probe.block.data())[p * probe.bytes] == p * (p - 1) / 2);
  probe.test.shape({0, 9});
  object.at(FieldRole::Stored) = 0;
  object.point(FieldRole::Lengths, 1, nullptr);
  CHECK(probe.call() == SPC_OK);
}

TEST_CASE("lengths ask for coordinates even where there is no room for values") {
  LengthsProbe probe(IndexType::I32, "dld");
  CHECK(probe.call() == SPC_ERROR_COUNT);
  probe.test.object().at(FieldRole::Count, 1) = 6;
  CHECK(probe.call() == SPC_OK);
  probe.test.object().point(FieldRole::Indices, 1, nullptr);
  CHECK(probe.call() == SPC_ERROR_NULL);
  CHECK(probe.released == 2);
  std::fill(probe.lengths.begin(), probe.lengths.end(), 0);
  probe.test.object().at(FieldRole::Count, 1) = 0;
  CHECK(probe.call() == SPC_OK);
}

TEST_CASE("lengths that do not add up to the stored values are refused") {
  const auto type = GENERATE(IndexType::U8, IndexType::U16, IndexType::I32, IndexType::I64);
  LengthsProbe probe(type);
  const size_t bytes = probe.bytes;
  SECTION("another number of values") {
    probe.test.object().at(FieldRole::Stored) = 7;
    CHECK(probe.call() == SPC_ERROR_COUNT);
    CHECK(probe.released == 1);
  }
  SECTION("a negative length") {
    probe.lengths[bytes - 1] = static_cast<char>(0x80);
    const bool isSigned = type == IndexType::I32 || type == IndexType::I64;
    CHECK(probe.call() == (isSigned ? SPC_ERROR_POINTERS : SPC_ERROR_COUNT));
  }
  SECTION("a sum that does not fit") {
    for (char &byte : probe.lengths)
      byte = static_cast<char>(0xff);
    for (size_t p = 0; p < 4; ++p)
      probe.lengths[(p + 1) * bytes - 1] = static_cast<char>(bytes >= 4 ? 0x7f : 0xff);
    CHECK(probe.call() == SPC_ERROR_INDEX_TYPE);
    CHECK(probe.released == 1);
  }
  SECTION("no memory") {
    probe.context.allocate = [](void *, int64_t, int64_t) noexcept -> void * { return nullptr; };
    CHECK(probe.call() == SPC_ERROR_MEMORY);
  }
  SECTION("more parents than memory") {
    probe.test.shape({INT64_MAX, 9});
    CHECK(probe.call() == SPC_ERROR_COUNT);
  }
}

TEST_CASE("blocks are counted, padding included") {
  One test(blocked(2, 4), {R"(stored, "A")", R"(size, "m" by 2)", R"(size, "n" by 4)", R"(size, "m")"});
  const std::vector<int32_t> pointers{0, 1, 1, 3};
  test.shape({5, 9});
  test.object().at(FieldRole::Stored) = 24;
  test.object().point(FieldRole::Pointers, 1, pointers.data());
  test.object().point(FieldRole::Indices, 1, test.zeros.data());
  REQUIRE(test.call() == SPC_OK);
  CHECK(test.got(0) == 24);
  CHECK(test.got(1) == 3);
  CHECK(test.got(2) == 3);
  CHECK(test.got(3) == 5);
  SECTION("the number of blocks instead of values") {
    test.object().at(FieldRole::Stored) = 3;
    CHECK(test.call() == SPC_ERROR_COUNT);
  }
  SECTION("the largest extents") {
    // Read at the last pointer only, which has to exist.
    test.shape({0, INT64_MAX});
    test.object().at(FieldRole::Stored) = 0;
    CHECK(test.call() == SPC_OK);
    CHECK(test.got(2) == INT64_MAX / 4 + 1);
  }
  SECTION("blocks that overflow") {
    One wide(blocked(int64_t{1} << 31, int64_t{1} << 31));
    const std::vector<int32_t> one{0, 1};
    wide.shape({5, 9});
    wide.object().at(FieldRole::Stored) = 4;
    wide.object().point(FieldRole::Pointers, 1, one.data());
    wide.object().point(FieldRole::Indices, 1, wide.zeros.data());
    CHECK(wide.call() == SPC_ERROR_COUNT);
  }
}

TEST_CASE("diagonals are counted") {
  One test(diagonals(), {R"(count, "A", 0)", R"(stored, "A")"});
  test.shape({5, 7});
  test.object().at(FieldRole::Count) = 3;
  test.object().at(FieldRole::Stored) = 15;
  test.object().point(FieldRole::Indices, 0, test.zeros.data());
  REQUIRE(test.call() == SPC_OK);
  CHECK(test.got(0) == 3);
  CHECK(test.got(1) == 15);
  test.object().at(FieldRole::Stored) = 14;
  CHECK(test.call() == SPC_ERROR_COUNT);
  test.object().at(FieldRole::Count) = -3;
  CHECK(test.call() == SPC_ERROR_COUNT);
  test.object().at(FieldRole::Count) = INT64_MAX;
  CHECK(test.call() == SPC_ERROR_COUNT);
}

TEST_CASE("interleaved coordinates are one array") {
  Format format = formatOf("css");
  format.interleaved = true;
  One test(format, {R"(entries, "A")", R"(count, "A", 0)"});
  test.shape({5, 7, 9});
  test.object().at(FieldRole::Stored) = 2;
  CHECK(test.call() == SPC_ERROR_NULL);
  test.object().point(FieldRole::Entries, 0, test.zeros.data());
  REQUIRE(test.call() == SPC_OK);
  CHECK(test.got(0) == word(test.zeros.data()));
  CHECK(test.got(1) == 2);
}

TEST_CASE("counts must fit the pointers") {
  const auto [type, most] =
      GENERATE(table<IndexType, int64_t>({{IndexType::U8, 255}, {IndexType::U16, 65535}, {IndexType::I32, INT32_MAX}}));
  One test(formatOf("dc", {}, type, IndexType::U8));
  std::vector<char> pointers(static_cast<size_t>(format::bits(type) / 4), static_cast<char>(0xff));
  pointers.back() = static_cast<char>(type == IndexType::I32 ? 0x7f : 0xff);
  test.shape({1, 9});
  test.object().point(FieldRole::Pointers, 1, pointers.data());
  test.object().point(FieldRole::Indices, 1, test.zeros.data());
  test.object().at(FieldRole::Stored) = most;
  CHECK(test.call() == SPC_OK);
  test.object().at(FieldRole::Stored) = most + 1;
  CHECK(test.call() == SPC_ERROR_INDEX_TYPE);
  test.object().at(FieldRole::Stored) = most - 1;
  CHECK(test.call() == SPC_ERROR_COUNT);
}

TEST_CASE("dense levels above pointers do not overflow") {
  One test(formatOf("ddc"));
  test.object().point(FieldRole::Pointers, 2, test.zeros.data());
  test.object().point(FieldRole::Indices, 2, test.zeros.data());
  for (int64_t size : {int64_t{1} << 32, int64_t{1} << 31, INT64_MAX}) {
    test.shape({size, size, 4});
    CHECK(test.call() == SPC_ERROR_COUNT);
  }
  test.shape({3, 4, 5});
  CHECK(test.call() == SPC_OK);
}

TEST_CASE("symmetric matrices are square") {
  Format format = formatOf("dc");
  format.symmetry = format::Symmetry::Lower;
  One test(format);
  test.object().point(FieldRole::Pointers, 1, test.zeros.data());
  test.shape({4, 4});
  CHECK(test.call() == SPC_OK);
  test.shape({4, 5});
  CHECK(test.call() == SPC_ERROR_SHAPE);
}

} // namespace spc::entry::test
