// The structure of an operand, by the rules of the headers' validators. Freestanding.
#include "runtime/hot.h"
#include "runtime/levels/walk.h"
#include "runtime/workers.h"
#include "spc/levels.h"

namespace spc::runtime {
namespace {

spc_detail_level_kind kindOf(LevelKind kind, int64_t k) {
  switch (kind) {
  case LevelKind::Dense:
    return SPC_DETAIL_LEVEL_DENSE;
  case LevelKind::Singleton:
  case LevelKind::FixedWidth:
    return SPC_DETAIL_LEVEL_FIXED;
  case LevelKind::Compressed:
  case LevelKind::RaggedDense: // lengths are pointers by now
    return k == 0 ? SPC_DETAIL_LEVEL_ROOT : SPC_DETAIL_LEVEL_COMPRESSED;
  case LevelKind::ClosedDense:
  case LevelKind::ClosedCompressed:
    break;
  }
  return SPC_DETAIL_LEVEL_CLOSED;
}

spc_detail_closed_form formOf(const ClosedForm &form) {
  return {form.constant, form.slope, form.size};
}

/// Level k as validators see it.
spc_detail_level describe(const Tensor &tensor, int64_t k) {
  const Level &from = tensor.levels[k];
  const spc_detail_level_kind kind = kindOf(from.kind, k);
  const bool isDifference = from.part == Part::Difference;
  const bool isFixed = kind == SPC_DETAIL_LEVEL_FIXED, isSingleton = from.kind == LevelKind::Singleton;
  const int properties = (from.isUnique != 0 ? SPC_DETAIL_UNIQUE : 0) | (from.isOrdered != 0 ? SPC_DETAIL_ORDERED : 0) |
                         (isSingleton ? SPC_DETAIL_CONTINUES : 0) |
                         (kind == SPC_DETAIL_LEVEL_COMPRESSED ? SPC_DETAIL_COUNTED : 0);
  spc_detail_level level = spc_detail_make_level(kind, isDifference ? 1 - from.minusExtent : 0,
                                                 isDifference ? from.extent : denseCount(from), properties);
  level.count = isFixed ? (isSingleton ? 1 : from.width) : from.count;
  level.pointers = from.pointers;
  level.pointer_bits = static_cast<int>(8 * tensor.pointerBytes);
  level.parent_size = from.parentExtent;
  level.length = formOf(from.length);
  level.start = formOf(from.start);
  level.weight = from.weight;
  if (!isListed(from))
    return level;
  level.indices = from.indices;
  level.index_bits = static_cast<int>(8 * tensor.indexBytes);
  level.index_stride = from.stride;
  level.index_offset = from.offset;
  return level;
}

/// Runs `check` on a copy of the level whose type of indices, and usual stride, the compiler knows.
template <int bits, typename Check>
__attribute__((flatten)) spc_status withKnownIndices(const spc_detail_level &level, const Check &check) {
  spc_detail_level known = level;
  known.index_bits = bits;
  if (level.index_stride != 1 || level.pointer_bits != bits)
    return check(known);
  known.pointer_bits = bits;
  known.index_stride = 1;
  known.index_offset = 0;
  return check(known);
}

template <typename Check> spc_status withIndices(const spc_detail_level &level, const Check &check) {
  switch (level.index_bits) {
  case 32:
    return withKnownIndices<32>(level, check);
  case 64:
    return withKnownIndices<64>(level, check);
  default:
    return check(level);
  }
}

/// Calls check(begin, end) for shares of `items`, in parallel; what the first one says that is not content.
template <typename Check> spc_status checkShares(const Workers &workers, int64_t items, const Check &check) {
  const int64_t tasks = tasksFor(workers, items);
  spc_status results[kMaxTasks];
  forAll(workers, tasks, [&](int64_t task) {
    results[task] = check(shareBegin(items, task, tasks), shareBegin(items, task + 1, tasks));
  });
  for (int64_t task = 0; task < tasks; ++task)
    if (results[task] != SPC_OK)
      return results[task];
  return SPC_OK;
}

SPC_HOT spc_status checkRange(const spc_detail_level &level, int64_t begin, int64_t end) {
  return withIndices(level, [=](const spc_detail_level &known) { return spc_detail_check_range(&known, begin, end); });
}

/// Entries under one parent after the other, of a level without singletons below it.
SPC_HOT spc_status checkRows(const spc_detail_level &level, int64_t first, int64_t last) {
  const int64_t begin = level.kind == SPC_DETAIL_LEVEL_FIXED
                            ? first * level.count
                            : spc_detail_load_index(level.pointers, level.pointer_bits, first);
  return withIndices(
      level, [=](const spc_detail_level &known) { return spc_detail_check_order(&known, 1, first, last, begin); });
}

/// Entries `begin` to `end` - 1 of a root, and whether the first one may follow the one before it.
SPC_HOT spc_status checkRootRun(const spc_detail_level *levels, int chain, int64_t begin, int64_t end) {
  const int64_t before = begin > 0 ? begin - 1 : 0;
  if (chain > 1)
    return spc_detail_check_run(levels, chain, before, end);
  return withIndices(*levels,
                     [=](const spc_detail_level &known) { return spc_detail_check_run(&known, 1, before, end); });
}

spc_status checkOrder(const Workers &workers, const spc_detail_level *levels, int chain, int64_t parents,
                      int64_t count) {
  if (count < 2)
    return SPC_OK;
  if (levels->kind == SPC_DETAIL_LEVEL_ROOT)
    return checkShares(workers, count,
                       [=](int64_t begin, int64_t end) { return checkRootRun(levels, chain, begin, end); });
  if (chain == 1 && (levels->kind == SPC_DETAIL_LEVEL_COMPRESSED || levels->kind == SPC_DETAIL_LEVEL_FIXED))
    return checkShares(workers, parents, [=](int64_t first, int64_t last) { return checkRows(*levels, first, last); });
  return spc_detail_check_order(levels, chain, 0, parents, spc_detail_first_entry(levels, parents));
}

} // namespace

extern "C" int32_t spc_rt_check_structure(const Workers *workers, const Tensor *tensor, int64_t isSymmetric) {
  const int depth = static_cast<int>(tensor->order);
  spc_detail_level levels[SPC_DETAIL_MAX_LEVELS];
  for (int k = 0; k < depth; ++k)
    levels[k] = describe(*tensor, k);
  int64_t entries[SPC_DETAIL_MAX_LEVELS + 1];
  // Whether values are needed and there, the entry has found out.
  spc_status status = spc_detail_validate_counts(levels, depth, &tensor->stored, tensor, entries);
  for (int k = 0; k < depth && status == SPC_OK; ++k)
    if (levels[k].index_bits != 0)
      status = checkShares(*workers, entries[k + 1],
                           [&](int64_t begin, int64_t end) { return checkRange(levels[k], begin, end); });
  for (int k = 0; k < depth && status == SPC_OK; ++k)
    if (const int chain = spc_detail_order_chain(levels, depth, k); chain > 0)
      status = checkOrder(*workers, &levels[k], chain, entries[k], entries[k + 1]);
  if (status == SPC_OK && isSymmetric != 0)
    status = spc_detail_check_symmetric(levels, depth);
  return static_cast<int32_t>(status);
}

extern "C" int32_t spc_rt_check_strides(const int64_t *shape, const int64_t *strides, int64_t order, int64_t inner) {
  return static_cast<int32_t>(
      spc_detail_validate_dense(shape, strides, static_cast<int>(order), static_cast<int>(inner), shape));
}

} // namespace spc::runtime
