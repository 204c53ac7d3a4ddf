// What packing puts into the arrays of each kind of level, and what it refuses.
#include "tensor/pack/parts.h"
#include "tensor/tensor.h"

#include <catch2/catch.hpp>

namespace spc::tensor {

using abi::FieldRole;
using format::Extent;
using format::Format;
using format::Level;
using format::Part;
using format::Storage;
using sema::ValueType;

namespace {

using Numbers = std::vector<double>;

Level dense(int dim) {
  return {.dim = dim};
}

Level compressed(int dim) {
  return {.dim = dim, .storage = Storage::Compressed, .extent = Extent::Ragged};
}

Level fixed(int dim, std::optional<int64_t> width, bool unique) {
  Level level{.dim = dim, .storage = Storage::Compressed, .unique = unique, .ordered = unique};
  level.width = width;
  return level;
}

Level with(Level level, Extent extent) {
  level.extent = extent;
  return level;
}

Level part(Level level, Part part, int64_t block) {
  level.part = part;
  level.block = block;
  return level;
}

Level difference() {
  Level level = compressed(1);
  level.part = Part::Difference;
  level.minus = 0;
  return level;
}

Level closed(format::ClosedForm length, format::ClosedForm start) {
  Level level = with(dense(1), Extent::Closed);
  level.length = length;
  level.start = start;
  return level;
}

Coordinates matrix(std::vector<int64_t> shape, const std::vector<std::array<int64_t, 2>> &places) {
  Coordinates entries;
  entries.shape = std::move(shape);
  for (const std::array<int64_t, 2> &place : places)
    entries.append(place.data(), {static_cast<double>(entries.size() + 1)});
  return entries;
}

/// 1 2 . .
/// . . . .
/// 3 . 4 .
Coordinates sample() {
  return matrix({3, 4}, {{0, 0}, {0, 1}, {2, 0}, {2, 2}});
}

PackedTensor packed(const Coordinates &entries, std::vector<Level> levels) {
  std::string error;
  std::optional<PackedTensor> tensor = PackedTensor::pack(entries, {"test", std::move(levels)}, ValueType::F64, error);
  INFO(error);
  REQUIRE(tensor);
  return std::move(*tensor);
}

std::string errorOf(const Coordinates &entries, std::vector<Level> levels) {
  std::string error;
  CHECK_FALSE(PackedTensor::pack(entries, {"test", std::move(levels)}, ValueType::F64, error));
  return error;
}

} // namespace

TEST_CASE("fixed widths are padded with coordinates of the row, or with others where they must differ") {
  PackedTensor repeating = packed(sample(), {dense(0), fixed(1, 3, false)});
  CHECK(repeating.elements(FieldRole::Indices, 1) == Numbers{0, 1, 1, 0, 0, 0, 0, 2, 2});
  CHECK(repeating.elements(FieldRole::Values, 0) == Numbers{1, 2, 0, 0, 0, 0, 3, 4, 0});
  PackedTensor unique = packed(sample(), {dense(0), fixed(1, 3, true)});
  CHECK(unique.elements(FieldRole::Indices, 1) == Numbers{0, 1, 2, 0, 1, 2, 0, 1, 2});
  CHECK(unique.elements(FieldRole::Values, 0) == Numbers{1, 2, 0, 0, 0, 0, 3, 0, 4});
}

TEST_CASE("a width given at run time is that of the longest row") {
  PackedTensor tensor = packed(sample(), {dense(0), fixed(1, std::nullopt, false)});
  CHECK(tensor.elements(FieldRole::Indices, 1).size() == 6);
  CHECK(tensor.valueCount() == 6);
}

TEST_CASE("widths that entries or padding do not fit") {
  using Catch::Matchers::Contains;
  CHECK_THAT(errorOf(sample(), {dense(0), fixed(1, 1, false)}),
             Contains("level 1 has 2 entries, the format's width is 1"));
  CHECK_THAT(errorOf(sample(), {dense(0), fixed(1, 5, true)}), Contains("width 5 is above the extent 4"));
  CHECK_THAT(errorOf(matrix({2, 0}, {}), {dense(0), fixed(1, 1, false)}), Contains("no coordinate for padding"));
}

TEST_CASE("ragged dense levels hold each row up to its last entry") {
  PackedTensor offsets = packed(sample(), {dense(0), with(dense(1), Extent::Ragged)});
  CHECK(offsets.elements(FieldRole::Pointers, 1) == Numbers{0, 2, 2, 5});
  CHECK(offsets.elements(FieldRole::Values, 0) == Numbers{1, 2, 3, 0, 4});
  PackedTensor lengths = packed(sample(), {dense(0), with(dense(1), Extent::Lengths)});
  CHECK(lengths.elements(FieldRole::Lengths, 1) == Numbers{2, 0, 3});
  CHECK(lengths.elements(FieldRole::Values, 0) == Numbers{1, 2, 3, 0, 4});
}

TEST_CASE("closed forms hold a triangle, and no entry outside of it") {
  const std::vector<Level> lower = {dense(0), closed({1, 1, 0}, {})}, upper = {dense(0), closed({0, -1, 1}, {0, 1, 0})};
  CHECK(packed(matrix({3, 3}, {{0, 0}, {2, 0}, {2, 2}}), lower).elements(FieldRole::Values, 0) ==
        Numbers{1, 0, 0, 2, 0, 3});
  CHECK(packed(matrix({3, 3}, {{0, 0}, {0, 2}, {2, 2}}), upper).elements(FieldRole::Values, 0) ==
        Numbers{1, 0, 2, 0, 0, 3});
  CHECK_THAT(errorOf(sample(), lower), Catch::Matchers::Contains("has an entry at coordinate 2"));
  CHECK_THAT(errorOf(matrix({3, 2}, {}), lower), Catch::Matchers::Contains("does not fit the closed form"));
}

TEST_CASE("blocks are padded beyond the shape") {
  const Level rows = part(dense(0), Part::Quotient, 2), row = part(dense(0), Part::Remainder, 2),
              columns = part(compressed(1), Part::Quotient, 3), column = part(dense(1), Part::Remainder, 3);
  PackedTensor tensor = packed(sample(), {rows, columns, row, column});
  CHECK(tensor.elements(FieldRole::Pointers, 1) == Numbers{0, 1, 2});
  CHECK(tensor.elements(FieldRole::Indices, 1) == Numbers{0, 0});
  CHECK(tensor.elements(FieldRole::Values, 0) == Numbers{1, 2, 0, 0, 0, 0, 3, 0, 4, 0, 0, 0});
  PackedTensor byColumns = packed(sample(), {rows, columns, column, row});
  CHECK(byColumns.elements(FieldRole::Values, 0) == Numbers{1, 0, 2, 0, 0, 0, 3, 0, 0, 0, 4, 0});
}

TEST_CASE("diagonals by rows and by columns") {
  PackedTensor byRows = packed(sample(), {difference(), dense(0)});
  CHECK(byRows.elements(FieldRole::Indices, 0) == Numbers{-2, 0, 1});
  CHECK(byRows.elements(FieldRole::Values, 0) == Numbers{0, 0, 3, 1, 0, 4, 2, 0, 0});
  PackedTensor byColumns = packed(sample(), {difference(), dense(1)});
  CHECK(byColumns.elements(FieldRole::Values, 0) == Numbers{3, 0, 0, 0, 1, 0, 4, 0, 0, 2, 0, 0});
}

TEST_CASE("two of four neighbours") {
  const std::vector<Level> levels = {dense(0), part(dense(1), Part::Quotient, 4),
                                     part(fixed(1, 2, true), Part::Remainder, 4)};
  PackedTensor tensor = packed(sample(), levels);
  CHECK(tensor.elements(FieldRole::Indices, 2) == Numbers{0, 1, 0, 1, 0, 2});
  CHECK(tensor.elements(FieldRole::Values, 0) == Numbers{1, 2, 0, 0, 3, 4});
  CHECK_THAT(errorOf(matrix({1, 4}, {{0, 0}, {0, 1}, {0, 3}}), levels), Catch::Matchers::Contains("has 3 entries"));
}

TEST_CASE("interleaved coordinates") {
  Level first = compressed(0), last = fixed(1, 1, true);
  first.unique = false;
  Format format{"test", {first, last}};
  format.interleaved = true;
  std::string error;
  std::optional<PackedTensor> tensor = PackedTensor::pack(sample(), format, ValueType::F64, error);
  REQUIRE(tensor);
  CHECK(tensor->elements(FieldRole::Entries, 0) == Numbers{0, 0, 0, 1, 2, 0, 2, 2});
}

TEST_CASE("symmetric matrices keep one triangle, and others are refused") {
  Format format{"test", {dense(0), compressed(1)}};
  format.symmetry = format::Symmetry::Lower;
  std::string error;
  Coordinates entries = matrix({3, 3}, {{0, 0}, {2, 0}, {0, 2}});
  CHECK_FALSE(PackedTensor::pack(entries, format, ValueType::F64, error));
  CHECK_THAT(error, Catch::Matchers::Contains("not symmetric"));
  entries.values = {1, 2, 2};
  std::optional<PackedTensor> tensor = PackedTensor::pack(entries, format, ValueType::F64, error);
  REQUIRE(tensor);
  CHECK(tensor->elements(FieldRole::Pointers, 1) == Numbers{0, 1, 1, 2});
  CHECK(tensor->elements(FieldRole::Indices, 1) == Numbers{0, 0});
  CHECK(tensor->elements(FieldRole::Values, 0) == Numbers{1, 2});
}

TEST_CASE("the first part of a sum takes what its width holds") {
  const Format ell{"ell", {dense(0), fixed(1, 1, false)}}, csr{"csr", {dense(0), compressed(1)}};
  const std::vector<Coordinates> parts = splitIntoParts(sample(), {ell, csr});
  REQUIRE(parts.size() == 2);
  CHECK(parts[0].coordinates == std::vector<int64_t>{0, 0, 2, 0});
  CHECK(parts[0].values == Numbers{1, 3});
  CHECK(parts[1].coordinates == std::vector<int64_t>{0, 1, 2, 2});
  CHECK(parts[1].values == Numbers{2, 4});
}

TEST_CASE("a part takes the first coordinates by its own levels, blocks too") {
  const std::vector<Level> levels = {part(dense(0), Part::Quotient, 2), part(fixed(1, 1, false), Part::Quotient, 2),
                                     part(dense(0), Part::Remainder, 2), part(dense(1), Part::Remainder, 2)};
  const Format blocks{"blocks", levels}, csr{"csr", {dense(0), compressed(1)}};
  const std::vector<Coordinates> parts = splitIntoParts(matrix({2, 6}, {{0, 5}, {1, 0}, {1, 4}}), {blocks, csr});
  CHECK(parts.at(0).coordinates == std::vector<int64_t>{1, 0});
  CHECK(parts.at(1).coordinates == std::vector<int64_t>{0, 5, 1, 4});
}

TEST_CASE("a triangle takes what lies in it, and lists of a closed length what they have room for") {
  const Format csr{"csr", {dense(0), compressed(1)}}, lower{"lower", {dense(0), closed({1, 1, 0}, {})}};
  const Coordinates entries = matrix({3, 3}, {{0, 0}, {0, 2}, {1, 0}, {1, 1}, {1, 2}, {2, 2}});
  const std::vector<Coordinates> parts = splitIntoParts(entries, {lower, csr});
  CHECK(parts.at(0).coordinates == std::vector<int64_t>{0, 0, 1, 0, 1, 1, 2, 2});
  CHECK(parts.at(1).coordinates == std::vector<int64_t>{0, 2, 1, 2});
  Level growing = closed({0, 1, 0}, {});
  growing.storage = Storage::Compressed;
  const std::vector<Coordinates> listed = splitIntoParts(entries, {{"lists", {dense(0), growing}}, csr});
  CHECK(listed.at(0).coordinates == std::vector<int64_t>{1, 0, 2, 2});
  CHECK(listed.at(1).size() == 4);
}

TEST_CASE("index types too small for a part show when it is packed") {
  Format ell{"ell", {dense(0), fixed(1, 1, false)}};
  ell.indices = format::IndexType::U8;
  const std::vector<Coordinates> parts =
      splitIntoParts(matrix({2, 300}, {{0, 1}, {0, 2}, {1, 299}}), {ell, {"csr", {dense(0), compressed(1)}}});
  CHECK(parts.at(0).coordinates == std::vector<int64_t>{0, 1, 1, 299});
}

TEST_CASE("values that a type does not hold") {
  const Format csr{"csr", {dense(0), compressed(1)}};
  Coordinates entries = sample();
  entries.values[1] = 300.5;
  std::string error;
  CHECK_FALSE(PackedTensor::pack(entries, csr, ValueType::I64, error));
  CHECK_THAT(error, Catch::Matchers::Contains("300.5") && Catch::Matchers::Contains("i64"));
  entries.values[1] = 300;
  CHECK_FALSE(PackedTensor::pack(entries, csr, ValueType::U8, error));
  CHECK(PackedTensor::pack(entries, csr, ValueType::U16, error));
}

TEST_CASE("slots are every place that has a value, padding included") {
  PackedTensor tensor = packed(matrix({3, 3}, {{0, 0}, {2, 2}}), {dense(0), closed({1, 1, 0}, {})});
  std::vector<int64_t> positions;
  const Coordinates slots = tensor.slots(positions);
  CHECK(slots.coordinates == std::vector<int64_t>{0, 0, 1, 0, 1, 1, 2, 0, 2, 1, 2, 2});
  CHECK(positions == std::vector<int64_t>{0, 1, 2, 3, 4, 5});
  CHECK(slots.values == Numbers{1, 0, 0, 0, 0, 2});
}

} // namespace spc::tensor
