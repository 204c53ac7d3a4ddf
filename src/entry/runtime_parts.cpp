#include "entry/runtime_parts.h"

#include "format/levels.h"
#include "sema/nest.h"
#include "sema/two_phases.h"

namespace spc::entry {
namespace {

using format::LevelKind;
using runtime::Phase;
namespace functions = runtime::functions;

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
  int end = 0;
  const auto skip = [&](LevelKind kind) {
    while (end < count && format::kindOf(format, end) == kind)
      ++end;
    return end;
  };
  const int dense = skip(LevelKind::Dense), list = skip(LevelKind::Compressed) - 1;
  skip(LevelKind::Singleton);
  if (end < count || list < dense || (format.interleaved && format.firstListed() != list))
    return;
  parts.dense = dense;
  parts.list = list;
}

bool isWhole(const format::Level &level) {
  return level.part == format::Part::Whole;
}

bool isWholeMatrix(const format::Format &format) {
  return format.levelCount() == 2 && isWhole(format.levels[0]) && isWhole(format.levels[1]);
}

/// A matrix of a dense and a compressed level.
bool isRows(const format::Format &format) {
  return isWholeMatrix(format) && format.levels[0].isFullyDense() &&
         format::kindOf(format, 1) == LevelKind::Compressed && !format.levels[1].hasLengths();
}

bool isCooMatrix(const format::Format &format) {
  return isWholeMatrix(format) && format::isCoordinateList(format);
}

const runtime::Function &sorterFor(const sema::Tensor &target, int valueBytes) {
  const format::Format &format = target.format;
  const runtime::Function *own = isRows(format) && format::bits(format.pointers) == format::bits(format.indices)
                                     ? functions::pack_list_rows_of(format::bits(format.indices) / 8, valueBytes)
                                     : nullptr;
  return own ? *own : functions::pack_list;
}

const runtime::Function &placerFor(const sema::Tensor &target, bool isInOrder, int runs, int valueBytes) {
  if (!isInOrder)
    return functions::place_entries;
  const runtime::Function *own = functions::place_row_of(format::bits(target.format.indices) / 8, valueBytes);
  return own && runs == 1 ? *own : functions::place_row;
}

} // namespace

AssemblyParts assemblyParts(const sema::Kernel &kernel, const sema::Statement &statement, Phase phase) {
  const sema::Tensor &target = kernel.tensors[statement.target];
  const int runs = sema::runCount(kernel, statement);
  AssemblyParts parts;
  findLayout(target, *statement.collecting, parts);
  const bool isInOrder = parts.list >= 0;
  if (statement.collecting->isWide && phase != Phase::Symbolic)
    parts.narrow = &functions::narrow_values;
  if (phase != Phase::Assemble && sema::mergePlan(kernel, statement) == sema::MergePlan::None) {
    parts.startPlan = &functions::plan_start;
    parts.finishPlan = phase == Phase::Symbolic ? &functions::plan_finish : nullptr;
  }
  if (phase == Phase::Numeric) {
    parts.place = &placerFor(target, isInOrder, runs, sema::bytesOf(sema::sumType(kernel, statement)));
    return parts;
  }
  parts.notesLengths = runs == 1 && parts.dense == 1 && parts.list == 1 && target.order() == 2;
  parts.pack = !isInOrder           ? &sorterFor(target, sema::bytesOf(sema::sumType(kernel, statement)))
               : parts.notesLengths ? &functions::pack_matrix
                                    : &functions::pack_rows;
  if (runs > 1)
    parts.merge = &functions::merge_runs;
  const auto *temporary = target.as<sema::Temporary>();
  const bool drops = temporary ? temporary->dropsZeros || (kernel.dropZeros && temporary->standsFor) : kernel.dropZeros;
  if (drops && target.fill == 0 && phase == Phase::Assemble)
    parts.dropZeros = &functions::drop_zeros;
  return parts;
}

const runtime::Function &converterFor(const sema::Tensor &source, const sema::Tensor &target, bool dropsPadding,
                                      const std::vector<int> &dims) {
  const format::Format &from = source.format, &to = target.format;
  if (dropsPadding && format::hasPadding(from))
    return functions::convert_entries;
  const int indexBytes = format::bits(to.indices) / 8;
  if (from.duplicates != format::Duplicates::Sum || !isRows(to) ||
      format::bits(from.indices) != format::bits(to.indices))
    return functions::convert_sorted;
  const auto numberOf = [&](int dim) { return dims.empty() ? dim : dims[dim]; };
  const bool isMatrix =
      isRows(from) && numberOf(from.levels[0].dim) == to.levels[1].dim && format::bits(from.pointers) >= 32;
  if (!isMatrix && !isCooMatrix(from))
    return functions::convert_sorted;
  const bool isOfWidth = format::bits(to.pointers) == format::bits(to.indices);
  if (source.is<sema::Tie>() && isMatrix && format::bits(from.pointers) == format::bits(to.pointers) && isOfWidth)
    return functions::transpose_tie;
  const bool isUnique = isMatrix && from.levels[1].unique;
  const auto ofWidths = isUnique ? functions::convert_unique_rows_of : functions::convert_rows_of;
  const runtime::Function *own = ofWidths(indexBytes, sema::bytesOf(target.type));
  if (!own)
    return functions::convert_sorted;
  return isOfWidth ? *own : functions::convert;
}

} // namespace spc::entry
