#include "format/format.h"

#include <catch2/catch.hpp>

namespace spc::format {

namespace {

Format csr() {
  return {"csr", {{0}, {1, Storage::Compressed, Extent::Ragged}}, IndexType::I32, IndexType::I64};
}

} // namespace

TEST_CASE("index types have widths and names") {
  CHECK(bits(IndexType::I32) == 32);
  CHECK(bits(IndexType::I64) == 64);
  CHECK(std::string(spelling(IndexType::I32)) == "i32");
  CHECK(std::string(spelling(IndexType::I64)) == "i64");
}

TEST_CASE("the dense format of an order stores dimensions in order") {
  Format format = denseFormat(3);
  REQUIRE(format.order() == 3);
  CHECK(format.isDense());
  for (int k = 0; k < 3; ++k)
    CHECK(format.levels[k].dim == k);
  CHECK(denseFormat(0).isDense());
  CHECK_FALSE(csr().isDense());
}

TEST_CASE("a mode order names the dimension that each level stores") {
  Format format = permuted(denseFormat(3), {2, 0, 1});
  CHECK(format.levels[0].dim == 2);
  CHECK(format.levels[1].dim == 0);
  CHECK(format.levels[2].dim == 1);
  CHECK(permuted(permuted(csr(), {1, 0}), {1, 0}).sameStorage(csr()));
}

TEST_CASE("a name is no part of the storage, index types are") {
  Format other = csr();
  other.name = "mine";
  CHECK(other.sameStorage(csr()));
  other.pointers = IndexType::I64;
  CHECK_FALSE(other.sameStorage(csr()));
  CHECK_FALSE(csr().sameStorage(permuted(csr(), {1, 0})));
}

TEST_CASE("types of arrays that a format lacks are no part of the storage") {
  Format dense = denseFormat(2), other = dense;
  other.pointers = IndexType::I64;
  CHECK(other.sameStorage(dense));
  Format list = csr();
  list.levels[0].storage = Storage::Compressed;
  list.levels[0].extent = Extent::Ragged;
  list.levels[0].unique = false;
  list.levels[1].extent = Extent::Fixed;
  Format wide = list;
  wide.pointers = IndexType::I64;
  CHECK(wide.sameStorage(list));
  wide.indices = IndexType::U8;
  CHECK_FALSE(wide.sameStorage(list));
}

TEST_CASE("formats are described in words") {
  CHECK(describe(csr()) == "(i: dense, j: compressed), pointers i32, indices i64");
  CHECK(describe(denseFormat(2)) == "(i: dense, j: dense)");
  Level first = {1, Storage::Compressed, Extent::Ragged, false};
  CHECK(describe({"", {first, {0, Storage::Compressed, Extent::Fixed}}}) ==
        "(j: compressed non-unique, i: singleton), indices i32");
  CHECK(describe(csr(), {"b", "m"}) == "(b: dense, m: compressed), pointers i32, indices i64");
}

TEST_CASE("what a format has no array for is left out of its description") {
  Level triangle = {.dim = 1, .extent = Extent::Closed};
  triangle.length = {1, 1, 0};
  CHECK(describe({"", {{0}, triangle}}) == "(i: dense, j: dense, i + 1 from 0)");
  triangle.start = {0, 1, 0};
  CHECK(describe({"", {{0}, triangle}}, {"r", "c"}) == "(r: dense, c: dense, r + 1 from r)");
  triangle.storage = Storage::Compressed;
  CHECK(describe({"", {{0}, triangle}}) == "(i: dense, j: compressed, i + 1), indices i32");
  Level ragged = {.dim = 1, .extent = Extent::Lengths};
  CHECK(describe({"", {{0}, ragged}}) == "(i: dense, j: dense, ragged by lengths), pointers i32");
}

TEST_CASE("the first listed level is the outermost one that is not dense") {
  CHECK(csr().firstListed() == 1);
  CHECK(permuted(csr(), {1, 0}).firstListed() == 1);
  CHECK(Format{"", {{0, Storage::Compressed, Extent::Ragged}, {1}}}.firstListed() == 0);
  CHECK(denseFormat(3).firstListed() == 3);
  CHECK(denseFormat(0).firstListed() == 0);
}

} // namespace spc::format
