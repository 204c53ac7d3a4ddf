// The levels' part of a struct's name: readable for well-known storages, spelled level by level for all others.
#include "abi/struct_names.h"

#include "format/levels.h"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <tuple>

namespace spc::abi {
namespace {

using format::ClosedForm;
using format::Format;
using format::Level;
using format::LevelKind;
using format::Part;

/// A number as part of an identifier.
std::string number(int64_t value) {
  return value < 0 ? "m" + std::to_string(-static_cast<uint64_t>(value)) : std::to_string(value);
}

std::string formText(const ClosedForm &form) {
  return number(form.constant) + "i" + number(form.slope) + "n" + number(form.size);
}

/// Only a level above a singleton repeats coordinates: each repeat goes on in the singleton.
bool usuallyUnique(const Format &format, int k) {
  return !format::continuesParent(format, k + 1);
}

/// A fixed width that is not 1.
bool isWide(const Format &format, int k) {
  return format::kindOf(format, k) == LevelKind::FixedWidth && !format.levels[k].hasWidthOne();
}

/// Marks where a level's properties are not the usual ones: n not unique, q unique, u unordered, o ordered. Fixed
/// widths of whole dimensions usually are neither: their padding repeats coordinates in any order.
std::string marks(const Format &format, int k) {
  const Level &level = format.levels[k];
  if (level.isDense())
    return "";
  const bool isPadded = isWide(format, k) && level.part != Part::Remainder;
  std::string text;
  if (level.unique != (isPadded ? false : usuallyUnique(format, k)))
    text += level.unique ? "q" : "n";
  if (level.ordered == isPadded)
    text += level.ordered ? "o" : "u";
  return text;
}

/// A ragged level's start is its first coordinate under each parent, 0 unless said.
std::string kindText(const Format &format, int k) {
  const Level &level = format.levels[k];
  const std::string start = level.start == ClosedForm() ? "" : "f" + formText(level.start);
  switch (format::kindOf(format, k)) {
  case LevelKind::Dense:
    return "d";
  case LevelKind::RaggedDense:
    return (level.hasLengths() ? "rl" : "r") + start;
  case LevelKind::ClosedDense:
    return "t" + formText(level.length) + start;
  case LevelKind::Compressed:
    return level.hasLengths() ? "cl" : "c";
  case LevelKind::Singleton:
    return "s";
  case LevelKind::FixedWidth:
    return level.hasWidthOne() ? "s" : "e" + (level.width ? std::to_string(*level.width) : "");
  case LevelKind::ClosedCompressed:
    return "ct" + formText(level.length);
  }
  return "";
}

std::string partText(const Level &level) {
  const std::string dim = std::to_string(level.dim);
  switch (level.part) {
  case Part::Whole:
    return dim;
  case Part::Quotient:
    return dim + "q" + std::to_string(level.block);
  case Part::Remainder:
    return dim + "r" + std::to_string(level.block);
  case Part::Difference:
    return dim + "x" + std::to_string(level.minus);
  }
  return dim;
}

std::string spelledOut(const Format &format) {
  std::string text;
  for (int k = 0; k < format.levelCount(); ++k)
    text += (k > 0 ? "_" : "") + kindText(format, k) + marks(format, k) + partText(format.levels[k]);
  return text;
}

/// Whether a level stores a whole dimension and is dense, compressed or a singleton.
bool isPlainLevel(const Format &format, int k) {
  const Level &level = format.levels[k];
  switch (format::kindOf(format, k)) {
  case LevelKind::Dense:
  case LevelKind::Singleton:
    return level.part == Part::Whole;
  case LevelKind::Compressed:
    return level.part == Part::Whole && !level.hasLengths();
  case LevelKind::FixedWidth:
    return level.part == Part::Whole && level.hasWidthOne();
  case LevelKind::RaggedDense:
  case LevelKind::ClosedDense:
  case LevelKind::ClosedCompressed:
    break;
  }
  return false;
}

bool isPlain(const Format &format) {
  for (int k = 0; k < format.levelCount(); ++k)
    if (!isPlainLevel(format, k))
      return false;
  return true;
}

/// "_201" for levels that store the dimensions 2, 0, 1; nothing for levels in order.
std::string modesUnlessInOrder(const Format &format) {
  std::string digits = "_";
  bool inOrder = true;
  for (int k = 0; k < format.levelCount(); ++k) {
    digits += std::to_string(format.levels[k].dim);
    inOrder = inOrder && format.levels[k].dim == k;
  }
  return inOrder ? "" : digits;
}

bool hasUsualProperties(const Format &format) {
  for (int k = 0; k < format.levelCount(); ++k)
    if (!marks(format, k).empty())
      return false;
  return true;
}

/// Of a plain format.
bool isCompressed(const Format &format, int k) {
  return format::kindOf(format, k) == LevelKind::Compressed;
}

bool isAllCompressed(const Format &format) {
  for (int k = 0; k < format.levelCount(); ++k)
    if (!isCompressed(format, k))
      return false;
  return true;
}

Structure plainStructure(const Format &format) {
  const int order = format.order();
  const std::string modes = modesUnlessInOrder(format);
  if (hasUsualProperties(format)) {
    if (order == 1 && isCompressed(format, 0))
      return {"spvec"};
    if (isCoordinateList(format))
      return {"coo" + std::to_string(order) + modes, order == 2};
    if (order == 2 && format.levels[0].isDense() && isCompressed(format, 1))
      return {modes.empty() ? "csr" : "csc", true};
    if (order == 2 && isAllCompressed(format))
      return {modes.empty() ? "dcsr" : "dcsc"};
    if (isAllCompressed(format))
      return {"csf" + std::to_string(order) + modes};
  }
  std::string letters;
  for (int k = 0; k < format.levelCount(); ++k)
    letters += kindText(format, k) + marks(format, k);
  // Letters that happen to spell another type's name are told apart by their modes.
  if (modes.empty() && (letters == "csc" || letters == "dcsc"))
    for (int k = 0; k < format.levelCount(); ++k)
      letters += (k == 0 ? "_" : "") + std::to_string(k);
  return {letters + modes};
}

/// Blocks: the outer levels say which block, the inner ones where in it. No name where the levels are no blocks.
Structure blockStructure(const Format &format, const std::string &text) {
  const auto sizeOf = [&](int dim) {
    for (const Level &level : format.levels)
      if (level.dim == dim && level.part == Part::Quotient)
        return std::to_string(level.block);
    return std::string();
  };
  const std::string rows = sizeOf(0), columns = sizeOf(1);
  const std::string row = "0q" + rows, column = "1q" + columns, inRow = "d0r" + rows, inColumn = "d1r" + columns;
  const std::tuple<const char *, std::string, bool> outers[] = {{"bsr", "d" + row + "_c" + column, true},
                                                                {"bsc", "d" + column + "_c" + row, true},
                                                                {"dbsr", "c" + row + "_c" + column, false},
                                                                {"dbsc", "c" + column + "_c" + row, false},
                                                                {"bell", "d" + row + "_e" + column, true}};
  for (const auto &[name, outer, isMatrix] : outers) {
    if (text == outer + "_" + inRow + "_" + inColumn)
      return {name + rows + "x" + columns, isMatrix};
    if (text == outer + "_" + inColumn + "_" + inRow)
      return {name + rows + "x" + columns + "_cm", isMatrix};
  }
  return {};
}

/// Rows of as many entries each, or of as many entries in each group of neighbours; no name where the levels are
/// neither.
Structure fixedWidthStructure(const Format &format, const std::string &text) {
  const Level &last = format.levels.back();
  const int innermost = format.levelCount() - 1;
  if (!isWide(format, innermost))
    return {};
  const std::string entries = kindText(format, innermost).substr(1);
  if (format.levelCount() == 2 && format.levels[0].isFullyDense() && format.levels[0].part == Part::Whole &&
      last.part == Part::Whole)
    return {"ell" + entries + marks(format, 1) + modesUnlessInOrder(format), true};
  const std::string group = std::to_string(last.block);
  if (text == "d0_d1q" + group + "_e" + entries + marks(format, innermost) + "1r" + group)
    return {"nm" + entries + "of" + group + marks(format, innermost)};
  return {};
}

/// Well-known storages by their spelled-out levels, all others by these.
Structure partsStructure(const Format &format) {
  static constexpr std::tuple<std::string_view, const char *, bool> kNames[] = {
      {"d0_r1", "ragged", true},
      {"d0_rl1", "ragged_len", true},
      {"d0_cl1", "csr_len", true},
      {"c1x0_d0", "dia", false},
      {"c1x0_d1", "dia_cols", false},
      {"d0_t1i1n01", "lower", true},
      {"d0_t0im1n1f0i1n01", "upper", true},
  };
  const std::string text = spelledOut(format);
  for (const auto &[levels, name, isMatrix] : kNames)
    if (text == levels)
      return {name, isMatrix};
  for (const Structure &known : {blockStructure(format, text), fixedWidthStructure(format, text)})
    if (!known.name.empty())
      return known;
  return {text};
}

} // namespace

Structure structureOf(const Format &format) {
  if (format.isDense())
    return {"dense" + std::to_string(format.order()) + modesUnlessInOrder(format)};
  Structure structure = isPlain(format) ? plainStructure(format) : partsStructure(format);
  if (format.interleaved)
    structure.name += "_aos";
  if (format.symmetry != format::Symmetry::None)
    structure.name += std::string(format::isHermitian(format.symmetry) ? "_herm" : "_sym") +
                      (format::storesLower(format.symmetry) ? "lo" : "up");
  return structure;
}

} // namespace spc::abi
