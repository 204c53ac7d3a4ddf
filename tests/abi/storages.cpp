#include "storages.h"

#include "fixtures.h"

#include <algorithm>
#include <sstream>

namespace spc::abi::test {
namespace {

using format::ClosedForm;
using format::Extent;
using format::Format;
using format::IndexType;
using format::Level;
using format::Part;
using format::Storage;
using format::Symmetry;

/// Levels of every kind, storing dimension 0.
std::vector<Level> levelKinds(bool isRoot) {
  std::vector<Level> levels{{}};
  for (const bool unique : {true, false})
    for (const bool ordered : {true, false}) {
      for (const Extent extent : {Extent::Ragged, Extent::Lengths})
        levels.push_back({.storage = Storage::Compressed, .extent = extent, .unique = unique, .ordered = ordered});
      for (const std::optional<int64_t> width : {std::optional<int64_t>(1), {2}, {16}, {}})
        levels.push_back({.storage = Storage::Compressed, .unique = unique, .ordered = ordered, .width = width});
    }
  if (isRoot)
    return levels;
  for (const ClosedForm start : {ClosedForm(), ClosedForm{.slope = 1}, ClosedForm{.constant = 11}}) {
    for (const Extent extent : {Extent::Ragged, Extent::Lengths})
      levels.push_back({.extent = extent, .start = start});
    for (const ClosedForm length :
         {ClosedForm{1, 1, 0}, ClosedForm{0, -1, 1}, ClosedForm{11, 0, 0}, ClosedForm{-1, 10, 0}})
      levels.push_back({.extent = Extent::Closed, .length = length, .start = start});
  }
  levels.push_back({.storage = Storage::Compressed, .extent = Extent::Closed, .length = {1, 1, 0}});
  return levels;
}

Level withDim(Level level, int dim) {
  level.dim = dim;
  return level;
}

void addOrderThree(std::vector<Format> &formats) {
  std::vector<int> modes = {0, 1, 2};
  do
    for (const Level &first : levelKinds(true))
      for (const Level &second : levelKinds(false))
        for (const Level &third : levelKinds(false)) {
          // Every 7th, so that the set stays small; 7 divides no number of kinds.
          static size_t count = 0;
          if (++count % 7 == 0)
            formats.push_back({"", {withDim(first, modes[0]), withDim(second, modes[1]), withDim(third, modes[2])}});
        }
  while (std::next_permutation(modes.begin(), modes.end()));
}

void addBlocks(std::vector<Format> &formats) {
  for (const int64_t rows : {1, 4, 41})
    for (const int64_t cols : {1, 14})
      for (const bool swapped : {false, true})
        for (const bool columnMajor : {false, true})
          for (const Level &first : levelKinds(true))
            for (const Level &second : levelKinds(false)) {
              Level outer[2] = {withDim(first, swapped), withDim(second, !swapped)};
              for (Level &level : outer) {
                level.part = Part::Quotient;
                level.block = level.dim == 0 ? rows : cols;
              }
              Level inner[2] = {{.dim = columnMajor}, {.dim = !columnMajor}};
              for (Level &level : inner) {
                level.part = Part::Remainder;
                level.block = level.dim == 0 ? rows : cols;
              }
              formats.push_back({"", {outer[0], outer[1], inner[0], inner[1]}});
            }
}

void addGroupsAndDiagonals(std::vector<Format> &formats) {
  for (const Level &kind : levelKinds(true))
    for (const int64_t group : {4, 14, 41}) {
      Level quotient = withDim({}, 1), remainder = withDim(kind, 1);
      quotient.part = Part::Quotient;
      remainder.part = Part::Remainder;
      quotient.block = remainder.block = group;
      formats.push_back({"", {{}, quotient, remainder}});
    }
  for (const Level &kind : levelKinds(true))
    for (const int whole : {0, 1})
      for (const int dim : {0, 1}) {
        Level difference = withDim(kind, dim);
        difference.part = Part::Difference;
        difference.minus = 1 - dim;
        formats.push_back({"", {difference, withDim({}, whole)}});
      }
}

std::string text(const ClosedForm &form) {
  return std::to_string(form.constant) + "," + std::to_string(form.slope) + "," + std::to_string(form.size);
}

} // namespace

Format ell(std::optional<int64_t> width, bool isUnique) {
  Level level{.dim = 1, .storage = Storage::Compressed, .unique = isUnique, .ordered = isUnique, .width = width};
  return {"", {{}, level}};
}

Format blocks(Extent columns, int64_t rows, int64_t cols, bool isColumnMajor) {
  const Level row{.part = Part::Quotient, .block = rows};
  const Level column{
      .dim = 1, .storage = Storage::Compressed, .extent = columns, .part = Part::Quotient, .block = cols};
  const Level inRow{.part = Part::Remainder, .block = rows}, inColumn{.dim = 1, .part = Part::Remainder, .block = cols};
  return isColumnMajor ? Format{"", {row, column, inColumn, inRow}} : Format{"", {row, column, inRow, inColumn}};
}

Format diagonals() {
  const Level difference{
      .dim = 1, .storage = Storage::Compressed, .extent = Extent::Ragged, .part = Part::Difference, .minus = 0};
  return {"", {difference, {}}};
}

Format ragged(Storage storage, Extent extent) {
  return {"", {{}, {.dim = 1, .storage = storage, .extent = extent}}};
}

Format triangle(Symmetry part) {
  Level level{.dim = 1, .extent = Extent::Closed, .length = {1, 1, 0}};
  if (part == Symmetry::Upper) {
    level.length = {0, -1, 1};
    level.start = {0, 1, 0};
  }
  return {"", {{}, level}};
}

Format grouped(int64_t entries, int64_t group) {
  const Level quotient{.dim = 1, .part = Part::Quotient, .block = group};
  Level remainder{.dim = 1, .storage = Storage::Compressed, .part = Part::Remainder, .block = group};
  remainder.width = entries;
  return {"", {{}, quotient, remainder}};
}

Format symmetric(Format format, Symmetry triangle) {
  format.symmetry = triangle;
  return format;
}

Format interleaved(Format format) {
  format.interleaved = true;
  return format;
}

Format withTypes(Format format, IndexType pointers, IndexType indices) {
  format.pointers = pointers;
  format.indices = indices;
  return format;
}

std::vector<Format> manyFormats() {
  std::vector<Format> formats;
  for (const Level &level : levelKinds(true))
    formats.push_back({"", {level}});
  for (const Level &outer : levelKinds(true))
    for (const Level &inner : levelKinds(false))
      for (const int first : {0, 1})
        formats.push_back({"", {withDim(outer, first), withDim(inner, 1 - first)}});
  addOrderThree(formats);
  addBlocks(formats);
  addGroupsAndDiagonals(formats);
  const size_t plain = formats.size();
  using enum IndexType;
  const std::pair<IndexType, IndexType> types[] = {{I64, I64}, {I64, I32}, {U8, U8}, {U16, U8}, {I32, U16}};
  for (size_t f = 0; f < plain; ++f) {
    const auto &[pointers, indices] = types[f % std::size(types)];
    formats.push_back(withTypes(formats[f], pointers, indices));
    if (formats[f].order() == 2 && f % 3 == 0)
      formats.push_back(symmetric(formats[f], f % 2 ? Symmetry::Lower : Symmetry::Upper));
  }
  for (const char *letters : {"cs", "css", "dcs", "csss"}) {
    formats.push_back(makeFormat(letters));
    formats.push_back(interleaved(formats.back()));
    formats.push_back(withTypes(formats.back(), I32, U8));
  }
  return formats;
}

std::string storageKey(const Format &format) {
  std::ostringstream key;
  bool hasPointers = false, hasIndices = false;
  for (int k = 0; k < format.levelCount(); ++k) {
    const Level &level = format.levels[static_cast<size_t>(k)];
    hasPointers = hasPointers || level.extent == Extent::Lengths || (k > 0 && level.extent == Extent::Ragged);
    hasIndices = hasIndices || !level.isDense();
    key << "dim " << level.dim << " extent " << static_cast<int>(level.extent) << " part "
        << static_cast<int>(level.part);
    if (level.part == Part::Quotient || level.part == Part::Remainder)
      key << " block " << level.block;
    if (level.part == Part::Difference)
      key << " minus " << level.minus;
    if (!level.isDense())
      key << " unique " << level.unique << " ordered " << level.ordered;
    if (!level.isDense() && level.extent == Extent::Fixed)
      key << " width " << level.width.value_or(-1);
    if (level.extent == Extent::Closed)
      key << " length " << text(level.length);
    if (level.isDense() && level.extent != Extent::Fixed)
      key << " start " << text(level.start);
    key << "; " << level.isDense() << " ";
  }
  if (hasPointers)
    key << format::spelling(format.pointers);
  if (hasIndices)
    key << " " << format::spelling(format.indices);
  key << " " << static_cast<int>(format.symmetry) << format.interleaved;
  return key.str();
}

} // namespace spc::abi::test
