// The levels' part of a struct's name: readable for well-known storages, spelled level by level for all others.
#include "abi/struct_names.h"

#include <algorithm>
#include <vector>

namespace spc::abi {
namespace {

using format::ClosedForm;
using format::Extent;
using format::Format;
using format::Level;
using format::Part;

/// A number as part of an identifier.
std::string number(int64_t value) {
  return value < 0 ? "m" + std::to_string(-value) : std::to_string(value);
}

std::string formText(const ClosedForm &form) {
  return number(form.constant) + "i" + number(form.slope) + "n" + number(form.size);
}

/// Only a level above a singleton repeats coordinates: each repeat goes on in the singleton.
bool usuallyUnique(const Format &format, int k) {
  return k + 1 == format.levelCount() || !format.levels[k + 1].isSingleton();
}

/// Marks where a level's properties are not the usual ones: n not unique, q unique, u unordered; of fixed widths, whose
/// padding usually repeats coordinates in any order, q unique and o ordered.
std::string marks(const Format &format, int k) {
  const Level &level = format.levels[k];
  std::string text;
  if (level.isDense())
    return text;
  if (level.isFixedWidth())
    return std::string(level.unique ? "q" : "") + (level.ordered ? "o" : "");
  if (level.unique != usuallyUnique(format, k))
    text += level.unique ? "q" : "n";
  return text + (level.ordered ? "" : "u");
}

std::string kindText(const Level &level) {
  const std::string closed =
      level.extent != Extent::Closed
          ? ""
          : "t" + formText(level.length) + (level.start == ClosedForm() ? "" : "f" + formText(level.start));
  if (level.isDense())
    return level.extent == Extent::Fixed    ? "d"
           : level.extent == Extent::Ragged ? "r"
           : level.extent == Extent::Closed ? closed
                                            : "rl";
  if (level.isSingleton())
    return "s";
  if (level.isFixedWidth())
    return "e" + (level.width ? std::to_string(*level.width) : "");
  return level.extent == Extent::Closed ? "c" + closed : level.extent == Extent::Lengths ? "cl" : "c";
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
    text += (k > 0 ? "_" : "") + kindText(format.levels[k]) + marks(format, k) + partText(format.levels[k]);
  return text;
}

/// Every level stores a whole dimension, and is dense, compressed or a singleton.
bool isPlain(const Format &format) {
  return std::all_of(format.levels.begin(), format.levels.end(), [](const Level &level) {
    return level.part == Part::Whole && (level.isFullyDense() || level.isCompressed() || level.isSingleton());
  });
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

bool isAllCompressed(const Format &format) {
  return std::all_of(format.levels.begin(), format.levels.end(),
                     [](const Level &level) { return level.isCompressed(); });
}

std::string plainName(const Format &format) {
  const int order = format.order();
  const std::string modes = modesUnlessInOrder(format);
  if (hasUsualProperties(format)) {
    if (order == 1 && format.levels[0].isCompressed())
      return "spvec";
    if (isCoordinateList(format))
      return "coo" + std::to_string(order) + modes;
    if (order == 2 && format.levels[0].isDense() && format.levels[1].isCompressed())
      return modes.empty() ? "csr" : "csc";
    if (order == 2 && isAllCompressed(format))
      return modes.empty() ? "dcsr" : "dcsc";
    if (isAllCompressed(format))
      return "csf" + std::to_string(order) + modes;
  }
  std::string letters;
  for (int k = 0; k < format.levelCount(); ++k)
    letters += kindText(format.levels[k]) + marks(format, k);
  // Letters that happen to spell another type's name are told apart by their modes.
  if (modes.empty() && (letters == "csc" || letters == "dcsc"))
    for (int k = 0; k < format.levelCount(); ++k)
      letters += (k == 0 ? "_" : "") + std::to_string(k);
  return letters + modes;
}

/// Well-known storages by their spelled-out levels.
std::string wellKnownName(const Format &format) {
  const std::string text = spelledOut(format);
  if (format.levelCount() == 2 && format.levels[0].isFullyDense() && format.levels[1].isFixedWidth() &&
      format.levels[1].part == Part::Whole && format.levels[0].part == Part::Whole)
    return "ell" + kindText(format.levels[1]).substr(1) + marks(format, 1) + modesUnlessInOrder(format);
  if (text == "d0_r1")
    return "ragged";
  if (text == "d0_rl1")
    return "ragged_len";
  if (text == "d0_cl1")
    return "csr_len";
  if (text == "d0_t1i1n01")
    return "lower";
  if (text == "d0_t0im1n1f0i1n01")
    return "upper";
  if (text == "c1x0_d0")
    return "dia";
  const auto block = [&](int k) { return std::to_string(format.levels[k].block); };
  if (format.levelCount() == 4) {
    const std::string rows = block(0), columns = block(1), outer = "d0q" + rows + "_c1q" + columns;
    if (text == outer + "_d0r" + rows + "_d1r" + columns)
      return "bsr" + rows + "x" + columns;
    if (text == outer + "_d1r" + columns + "_d0r" + rows)
      return "bsr" + rows + "x" + columns + "_cm";
  }
  return text;
}

} // namespace

bool isCoordinateList(const Format &format) {
  for (int k = 0; k < format.levelCount(); ++k)
    if (!(k == 0 ? format.levels[k].isCompressed() : format.levels[k].isSingleton()))
      return false;
  return format.levelCount() > 0;
}

std::string structureName(const Format &format) {
  if (format.isDense())
    return "dense" + std::to_string(format.order()) + modesUnlessInOrder(format);
  std::string name = isPlain(format) ? plainName(format) : wellKnownName(format);
  if (format.interleaved)
    name += "_aos";
  if (format.symmetry != format::Symmetry::None)
    name += format.symmetry == format::Symmetry::Lower ? "_symlo" : "_symup";
  return name;
}

} // namespace spc::abi
