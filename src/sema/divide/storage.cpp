#include "sema/divide/storage.h"

#include "format/levels.h"
#include "sema/kernel.h"

#include <algorithm>
#include <numeric>

namespace spc::sema {
namespace {

using format::Format;
using format::LevelKind;
using format::Part;

/// Whether where level `k` begins, or how long it is, follows from coordinates of a dimension.
bool isClosedOver(const Format &format, int k, int dim) {
  const format::Level &level = format.levels[k];
  const bool isClosed = hasClosedLength(kindOf(format, k)) || level.start != format::ClosedForm{};
  return isClosed && (level.dim == dim || (k > 0 && format.levels[k - 1].dim == dim));
}

/// Whether level `k` lists as many coordinates under each parent as the format says.
bool listsFixedNumber(const Format &format, int k) {
  return kindOf(format, k) == LevelKind::FixedWidth && format.levels[k].width.has_value();
}

int64_t blockOf(const Format &format, int dim) {
  int64_t block = 1;
  for (const Format &part : format.parts)
    block = std::lcm(block, blockOf(part, dim));
  for (const format::Level &level : format.levels)
    if (level.dim == dim && level.part == Part::Quotient)
      block = std::lcm(block, level.block);
  return block;
}

std::string whyNotCut(const Format &format, const std::string &name, int dim) {
  for (const Format &part : format.parts)
    if (std::string why = whyNotCut(part, name, dim); !why.empty())
      return why;
  if (format.symmetry != format::Symmetry::None)
    return "of '" + name + "' one triangle is stored, which says what the other one is";
  for (int k = 0; k < format.levelCount(); ++k) {
    const format::Level &level = format.levels[k];
    if (isClosedOver(format, k, dim))
      return "'" + name + "' is stored without a list of coordinates, in a form that parts of it do not have";
    if (!listsFixedNumber(format, k))
      continue;
    const std::string stores = "'" + name + "' stores " + std::to_string(*level.width) + " entries of each ";
    if (level.dim == dim && level.part == Part::Remainder)
      return stores + std::to_string(level.block) + " neighbours, which a cut may part";
    if (level.dim == dim || level.minus == dim)
      return stores + "row, and a part may have fewer columns";
    if (blockOf(format, dim) > 1)
      return stores + "row of blocks, which a cut may part";
  }
  return {};
}

bool mayRenumber(const Format &format, int dim) {
  if (format.isSum())
    return std::all_of(format.parts.begin(), format.parts.end(),
                       [&](const Format &part) { return mayRenumber(part, dim); });
  for (int k = 0; k < format.levelCount(); ++k) {
    const format::Level &level = format.levels[k];
    if (isClosedOver(format, k, dim) || (level.minus == dim && level.part == Part::Difference))
      return false;
    if (level.dim == dim && (level.part != Part::Whole || kindOf(format, k) == LevelKind::RaggedDense))
      return false;
    if (level.dim == dim && listsFixedNumber(format, k) && level.unique && *level.width > 1)
      return false; // what pads a row are other coordinates
  }
  return format.symmetry == format::Symmetry::None;
}

bool needsOne(const Format &format, int dim) {
  for (int k = 0; k < format.levelCount(); ++k)
    if (format.levels[k].dim == dim && listsFixedNumber(format, k))
      return true;
  return std::any_of(format.parts.begin(), format.parts.end(), [&](const Format &part) { return needsOne(part, dim); });
}

} // namespace

std::string whyNotCut(const Tensor &tensor, int dim) {
  return whyNotCut(tensor.format, tensor.partOf.empty() ? tensor.name : tensor.partOf, dim);
}

bool mayRenumber(const Tensor &tensor, int dim) {
  return mayRenumber(tensor.format, dim);
}

bool needsOne(const Tensor &tensor, int dim) {
  return needsOne(tensor.format, dim);
}

int64_t blockOf(const Tensor &tensor, int dim) {
  return blockOf(tensor.format, dim);
}

} // namespace spc::sema
