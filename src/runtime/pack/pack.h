// From a list of entries to the arrays of a format. Freestanding.
#pragma once

#include "runtime/integers.h"
#include "runtime/runtime.h"

namespace spc::runtime {

/// Entries of a tensor in any order, by dimension. Owns nothing. One place may occur several times.
struct EntryList {
  int64_t order;                           ///< dimensions
  int64_t count;                           ///< entries
  Integers at[kMaxOrder];                  ///< by dimension: the coordinate of each entry, within its extent
  const void *values;                      ///< of the target's value type; not read without values
  Integers from;                           ///< where in `values` each entry's value is; a null array: entry e's at e
  Duplicates duplicates = Duplicates::Sum; ///< what those of one place make together
};

/// Builds the arrays of `target` from entries; entries of one place are combined in the order of the list.
///
/// Reads `order`, the byte widths, the value kind and all of each level but its arrays. All coordinates come out
/// sorted, and unique but for padding. Sets the counts, `stored`, the arrays, the width of a fixed level where it is
/// -1 (to the most entries of any parent), and `values` if `withValues` (else NULL). Each array is an allocation of its
/// own; one without elements is NULL; pointers have an element more than parents. Interleaved coordinates are one
/// array, to which the indices of each of their levels point.
///
/// Padding holds zeros. The slots of a list that a fixed width or a closed form leaves free repeat the parent's last
/// coordinate, or are 0; in levels that are unique, they have the least coordinates that the parent does not list. A
/// ragged run ends with its last entry.
///
/// Ok; Memory; Count (more entries of a parent than the width or the closed form); Shape (no coordinate is left for
/// padding); IndexRange (a run of a given length has no place for an entry); IndexType (an extent or a count overflows
/// the target's types); Duplicate (of entries whose repeats are a mistake). On failure nothing stays allocated and
/// every array is NULL.
Status packEntries(const Allocator &allocator, const EntryList &entries, Tensor &target, bool withValues);

/// Notes in `fits`, by entry, whether `target` has room for it: 0 where it has none. Lists of a given or a closed
/// length have room for the first coordinates of each parent, runs of a closed form for those in them, and all else for
/// all. Ok; Memory; IndexType.
Status findFitting(const Allocator &allocator, const EntryList &entries, Tensor &target, uint8_t *fits);

/// Sets every array of a tensor to NULL and the counts to 0.
void clearArrays(Tensor &target);

/// Releases every array of a packed tensor and sets pointers to NULL and counts to 0.
void releaseArrays(const Allocator &allocator, Tensor &target);

} // namespace spc::runtime
