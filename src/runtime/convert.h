// From any format to any format that can be packed. Freestanding.
#pragma once

#include "runtime/runtime.h"

namespace spc::runtime {

/// Builds the arrays of `target` from the entries of `source`, a tensor of the same extents and value type in any
/// format of the algebra; entries of one place are summed. What is read and set of `target` is said at packEntries
/// (pack.h). Without values `source->values` is not read.
///
/// Takes time in proportion to entries, extents of dense levels and slots of the target. Matrices from rows to columns
/// or the other way round, and from coordinate lists to either, are counted and scattered; all else is sorted.
///
/// Ok; Memory; Count (negative counts, more or fewer entries than `stored`, or more entries of a parent than a fixed
/// width); IndexRange; Shape; IndexType. On failure nothing stays allocated and every array of `target` is NULL.
extern "C" int32_t spc_rt_convert(const Allocator *allocator, const Workers *workers, const Tensor *source,
                                  Tensor *target, int64_t withValues);

/// The same with less code, for kernels that know their types: to a dense and a compressed level of whole dimensions,
/// from these two the other way round, with pointers of 4 bytes or of 8, or from a list of coordinates. Those of unique
/// rows do not take lists, and no place may be listed twice. Coordinates of both and the target's pointers have
/// as many bytes as the name says first, values, if any are wanted, as it says second. IndexType also where it is
/// repeats alone that make the entries too many …
#define SPC_DECLARE_CONVERTERS(INDEX, VALUE)                                                                           \
  extern "C" int32_t spc_rt_convert_rows_##INDEX##_##VALUE(const Allocator *allocator, const Workers *workers,         \
                                                           const Tensor *source, Tensor *target, int64_t withValues);  \
  extern "C" int32_t spc_rt_convert_unique_rows_##INDEX##_##VALUE(                                                     \
      const Allocator *allocator, const Workers *workers, const Tensor *source, Tensor *target, int64_t withValues);
SPC_DECLARE_CONVERTERS(4, 4)
SPC_DECLARE_CONVERTERS(4, 8)
SPC_DECLARE_CONVERTERS(8, 4)
SPC_DECLARE_CONVERTERS(8, 8)
#undef SPC_DECLARE_CONVERTERS
/// … and to and from anything, sorting in any case.
extern "C" int32_t spc_rt_convert_sorted(const Allocator *allocator, const Workers *workers, const Tensor *source,
                                         Tensor *target, int64_t withValues);

/// Sets the values of `target`, whose arrays are there, from the entries of `source`; places that `source` lacks
/// become 0.
/// Ok; Memory; Count; IndexRange; Pattern (an entry has no place in the target: then the values are undefined).
extern "C" int32_t spc_rt_convert_values(const Allocator *allocator, const Tensor *source, Tensor *target);

/// The position among `target`'s values of the place at `coordinates` (by dimension), or -1 where it stores none.
/// Searches sorted lists in logarithmic time; a place that is not found that way is looked for in linear time, as lists
/// need not be sorted.
int64_t positionOf(const Tensor &target, const int64_t *coordinates);

} // namespace spc::runtime
