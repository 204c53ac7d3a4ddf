#include "format/levels.h"

#include <catch2/catch.hpp>

namespace spc::format {

namespace {

const Level kLevelRows{.dim = 0};
const Level kListed{.dim = 1, .storage = Storage::Compressed, .extent = Extent::Ragged};
const Level kOneEach{.dim = 1, .storage = Storage::Compressed, .extent = Extent::Fixed};

Level wide(std::optional<int64_t> width) {
  Level level = kOneEach;
  level.width = width;
  return level;
}

Level withExtent(Level level, Extent extent) {
  level.extent = extent;
  return level;
}

} // namespace

TEST_CASE("storage, extent and the level above say what a level is") {
  const auto belowRows = [](const Level &level) { return kindOf({kLevelRows, level}, 1); };
  CHECK(kindOf({kLevelRows}, 0) == LevelKind::Dense);
  CHECK(kindOf({kListed}, 0) == LevelKind::Compressed);
  CHECK(belowRows(kLevelRows) == LevelKind::Dense);
  CHECK(belowRows(kListed) == LevelKind::Compressed);
  CHECK(belowRows(withExtent(kListed, Extent::Lengths)) == LevelKind::Compressed);
  CHECK(belowRows(withExtent(kListed, Extent::Closed)) == LevelKind::ClosedCompressed);
  CHECK(belowRows(withExtent(kLevelRows, Extent::Ragged)) == LevelKind::RaggedDense);
  CHECK(belowRows(withExtent(kLevelRows, Extent::Lengths)) == LevelKind::RaggedDense);
  CHECK(belowRows(withExtent(kLevelRows, Extent::Closed)) == LevelKind::ClosedDense);
  CHECK(belowRows(wide(16)) == LevelKind::FixedWidth);
  CHECK(belowRows(wide(std::nullopt)) == LevelKind::FixedWidth);
}

TEST_CASE("a level of one coordinate a parent continues a listed one, and no other") {
  const std::vector<Level> list = {kListed, kOneEach, kOneEach};
  CHECK_FALSE(continuesParent(list, 0));
  CHECK(kindOf(list, 1) == LevelKind::Singleton);
  CHECK(continuesParent(list, 1));
  CHECK(continuesParent(list, 2));
  CHECK_FALSE(continuesParent(list, 3));

  CHECK(kindOf({kLevelRows, kOneEach}, 1) == LevelKind::FixedWidth);
  CHECK_FALSE(continuesParent({kLevelRows, kOneEach}, 1));
  CHECK_FALSE(continuesParent({withExtent(kLevelRows, Extent::Ragged), kOneEach}, 1));
  CHECK_FALSE(continuesParent({kOneEach}, 0));
  CHECK_FALSE(continuesParent({kListed, wide(2)}, 1));
}

TEST_CASE("kinds list their coordinates or do not") {
  for (const LevelKind kind :
       {LevelKind::Compressed, LevelKind::Singleton, LevelKind::FixedWidth, LevelKind::ClosedCompressed})
    CHECK(listsCoordinates(kind));
  for (const LevelKind kind : {LevelKind::Dense, LevelKind::RaggedDense, LevelKind::ClosedDense})
    CHECK_FALSE(listsCoordinates(kind));
}

TEST_CASE("segments have ends that an array says where entries differ in number by what is stored") {
  CHECK(hasSegments(LevelKind::Compressed));
  CHECK(hasSegments(LevelKind::RaggedDense));
  for (const LevelKind kind : {LevelKind::Dense, LevelKind::Singleton, LevelKind::FixedWidth, LevelKind::ClosedDense,
                               LevelKind::ClosedCompressed})
    CHECK_FALSE(hasSegments(kind));
}

TEST_CASE("a coordinate list is a compressed root and singletons") {
  CHECK(isCoordinateList({.levels = {kListed}}));
  CHECK(isCoordinateList({.levels = {kListed, kOneEach, kOneEach}}));
  CHECK_FALSE(isCoordinateList({}));
  CHECK_FALSE(isCoordinateList({.levels = {kLevelRows, kListed}}));
  CHECK_FALSE(isCoordinateList({.levels = {kLevelRows, kOneEach}}));
  CHECK_FALSE(isCoordinateList({.levels = {kListed, kListed}}));
  CHECK_FALSE(isCoordinateList({.levels = {withExtent(kListed, Extent::Lengths)}}));
}

TEST_CASE("padding is inside of the tensor or outside of it") {
  const Level quotient{
      .dim = 1, .storage = Storage::Compressed, .extent = Extent::Ragged, .part = Part::Quotient, .block = 4};
  const Level remainder{.dim = 1, .part = Part::Remainder, .block = 4};
  const Level diagonal{
      .dim = 1, .storage = Storage::Compressed, .extent = Extent::Ragged, .part = Part::Difference, .minus = 0};
  const Format csr{.levels = {kLevelRows, kListed}}, ell{.levels = {kLevelRows, wide(16)}};
  const Format blocks{.levels = {kLevelRows, quotient, remainder}}, diagonals{.levels = {diagonal, kLevelRows}};
  CHECK_FALSE(hasPadding(csr));
  CHECK_FALSE(hasPadding({.levels = {kListed, kOneEach}}));
  const Format triangle{.levels = {kLevelRows, {.dim = 1, .extent = Extent::Closed}}};
  const Format ragged{.levels = {kLevelRows, {.dim = 1, .extent = Extent::Ragged}}};
  for (const Format &format :
       {ell, Format{.levels = {kLevelRows, kOneEach}}, blocks, diagonals, Format{.parts = {csr, ell}}})
    CHECK(hasPadding(format));
  for (const Format &format : {triangle, ragged})
    CHECK((hasPadding(format) && takesZeroFill(format)));
  CHECK((!takesZeroFill(csr) && takesZeroFill({.parts = {csr, csr}})));
  CHECK_FALSE(hasPadding({.parts = {csr, csr}}));
  const Format rows{.levels = {kListed, kLevelRows}};
  CHECK((!hasPadding(rows) && takesZeroFill(rows)));
  for (const Format &format : {csr, ell})
    CHECK_FALSE(hasSlotsOutside(format));
  for (const Format &format : {blocks, diagonals})
    CHECK(hasSlotsOutside(format));
}

TEST_CASE("canonical formats hold each entry once and in order") {
  const Format csr{.levels = {kLevelRows, kListed}}, list{.levels = {kListed, kOneEach}};
  for (const Format &format : {csr, list})
    CHECK(isCanonical(format));
  Format unordered = csr, repeats = list, triangle = csr;
  unordered.levels[1].ordered = false;
  repeats.levels[1].unique = false;
  triangle.symmetry = Symmetry::Lower;
  for (const Format &format : {unordered, repeats, triangle, Format{.levels = {kLevelRows, wide(16)}}})
    CHECK_FALSE(isCanonical(format));
  CHECK(isElementwise(unordered));
}

TEST_CASE("a level's coordinates have a range") {
  const CoordinateRange whole = coordinateRange({.dim = 2});
  CHECK(whole.dim == 2);
  CHECK(whole.block == 1);
  CHECK_FALSE(whole.minus);

  const CoordinateRange blocks = coordinateRange({.dim = 1, .part = Part::Quotient, .block = 4});
  CHECK(blocks.dim == 1);
  CHECK(blocks.block == 4);
  CHECK_FALSE(blocks.minus);

  const CoordinateRange inBlock = coordinateRange({.dim = 1, .part = Part::Remainder, .block = 4});
  CHECK_FALSE(inBlock.dim);
  CHECK(inBlock.block == 4);
  CHECK_FALSE(inBlock.minus);

  const CoordinateRange diagonals = coordinateRange({.dim = 1, .part = Part::Difference, .minus = 0});
  CHECK(diagonals.dim == 1);
  CHECK(diagonals.block == 1);
  CHECK(diagonals.minus == 0);
}

} // namespace spc::format
