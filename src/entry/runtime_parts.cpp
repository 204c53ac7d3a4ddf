#include "entry/runtime_parts.h"

namespace spc::entry {
namespace {

using runtime::Phase;

std::string forWidths(const std::string &name, int64_t first, int64_t second) {
  return name + "_" + std::to_string(first) + "_" + std::to_string(second);
}

/// Notes how rows lie in a target that is in the collecting order (runtime/contract.def); changes nothing for any
/// other.
void findLayout(const sema::Tensor &target, const sema::Collecting &collecting, AssemblyParts &parts) {
  const format::Format &format = target.format;
  const std::vector<format::Level> &levels = format.levels;
  const int count = format.levelCount();
  if (count != target.order() || collecting.rowOrder + 1 != count ||
      sema::keyBits(target, collecting) != format::bits(format.indices))
    return;
  for (int k = 0; k < count; ++k)
    if (levels[k].dim != collecting.dims[k] || levels[k].part != format::Part::Whole)
      return;
  int dense = 0;
  while (dense < count && levels[dense].isFullyDense())
    ++dense;
  int end = dense;
  while (end < count && levels[end].isCompressed())
    ++end;
  const int list = end - 1;
  while (end < count && levels[end].isSingleton())
    ++end;
  if (end < count || list < dense || (format.interleaved && format.firstListed() != list))
    return;
  parts.dense = dense;
  parts.list = list;
}

bool isWhole(const format::Level &level) {
  return level.part == format::Part::Whole;
}

/// A matrix of a dense and a compressed level.
bool isRows(const format::Format &format) {
  return format.levelCount() == 2 && isWhole(format.levels[0]) && format.levels[0].isFullyDense() &&
         isWhole(format.levels[1]) && format.levels[1].isCompressed();
}

bool isCoordinateList(const format::Format &format) {
  return format.levelCount() == 2 && isWhole(format.levels[0]) && format.levels[0].isCompressed() &&
         isWhole(format.levels[1]) && format.levels[1].isSingleton();
}

std::string placerFor(const sema::Tensor &target, bool isInOrder, size_t runs) {
  const int keyBytes = format::bits(target.format.indices) / 8;
  const int64_t bytes = sema::bytesOf(target.type);
  if (!isInOrder)
    return "place_entries";
  return runs > 1 || keyBytes < 4 || (bytes != 4 && bytes != 8) ? "place_row" : forWidths("place_row", keyBytes, bytes);
}

} // namespace

AssemblyParts assemblyParts(const sema::Kernel &kernel, const sema::Statement &statement, Phase phase) {
  const sema::Tensor &target = kernel.tensors[statement.target];
  const size_t runs = statement.terms.size();
  AssemblyParts parts;
  findLayout(target, *statement.collecting, parts);
  const bool isInOrder = parts.list >= 0;
  if (phase == Phase::Numeric) {
    parts.place = placerFor(target, isInOrder, runs);
    return parts;
  }
  parts.notesLengths = runs == 1 && parts.dense == 1 && parts.list == 1 && target.order() == 2;
  parts.pack = !isInOrder ? "pack_list" : parts.notesLengths ? "pack_matrix" : "pack_rows";
  if (runs > 1)
    parts.merge = "merge_runs";
  if (kernel.dropZeros && kernel.tensors[statement.target].fill == 0 && phase == Phase::Assemble)
    parts.dropZeros = "drop_zeros";
  return parts;
}

std::string converterFor(const sema::Tensor &source, const sema::Tensor &target, const std::vector<int> &dims) {
  const format::Format &from = source.format, &to = target.format;
  const int64_t valueBytes = sema::bytesOf(target.type);
  if (!isRows(to) || (valueBytes != 4 && valueBytes != 8))
    return "convert_sorted";
  const auto numberOf = [&](int dim) { return dims.empty() ? dim : dims[dim]; };
  const bool isMatrix =
      isRows(from) && numberOf(from.levels[0].dim) == to.levels[1].dim && format::bits(from.pointers) >= 32;
  if (!isMatrix && !isCoordinateList(from))
    return "convert_sorted";
  const int indexBits = format::bits(to.indices);
  if (indexBits < 32 || format::bits(from.indices) != indexBits)
    return "convert_sorted";
  if (format::bits(to.pointers) != indexBits)
    return "convert";
  const bool isUnique = isMatrix && from.levels[1].unique;
  return forWidths(isUnique ? "convert_unique_rows" : "convert_rows", indexBits / 8, valueBytes);
}

} // namespace spc::entry
