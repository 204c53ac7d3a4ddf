// Assembling a sparse output: generated code collects entries row by row, several chunks of rows at once; the runtime
// merges them and packs them into the levels of the output's format. Freestanding.
//
// The order in which the loops visit the output's dimensions is the collecting order. Its first `rowOrder` dimensions
// are the row: rows come in ascending order, and the rows of a chunk before those of the next one. The others are the
// key, one number that counts row-major over their extents.
//
// Entry code calls start, then, for each chunk on any thread, each run one after the other (begin … end), then finish.
// The allocator and its caller's parallel loop must be thread safe.
//
// A kernel links the functions that it names, and no others: what only some assemblies need is passed as pointers, and
// what runs for each row or entry exists for the usual widths.
#pragma once

#include "runtime/runtime.h"

namespace spc::runtime {

/// What one loop nest of one chunk collects. Generated code reads and writes `keys`, `values` and the workspace and
/// reads all fields anew after each call.
struct Run {
  void *keys;       ///< of Assembly::keyBytes each
  void *values;     ///< null in the symbolic phase
  int64_t capacity; ///< entries that fit; at least 1
  uint64_t *bits;   ///< of a dense workspace: bit k % 64 of word k / 64: key k was touched; null: not a dense workspace
  uint64_t *summary; ///< bit w % 64 of word w / 64: bits[w] is not 0
  void *slots; ///< the workspace's values, 0 where untouched: by key (dense) or by slot (hash); null when symbolic
};

/// How a nest meets its entries.
enum class Form : int64_t {
  Append,    ///< keys ascend within a row and do not repeat
  Workspace, ///< in any order, with repeats
};

enum class Phase : int64_t {
  Assemble, ///< pattern and values
  Symbolic, ///< the pattern alone
  Numeric,  ///< values for a pattern that is there
};

struct AssemblyState;

/// The pointers array of a compressed level whose parents are an assembly's rows.
struct RowPointers {
  const void *array;
  int64_t bytes; ///< of one pointer
};

inline constexpr int64_t kMaxShares = 4;

/// Built by the entry code, but for `state`.
struct Assembly {
  const Allocator *allocator;
  Tensor *target; ///< levels described, arrays unset; in the numeric phase with its arrays
  Phase phase;
  int64_t order;           ///< the output's dimensions, 1 to 8
  int64_t rowOrder;        ///< how many of them make a row: fewer than `order`
  int64_t dims[kMaxOrder]; ///< collecting order: the dimension at each place
  int64_t keyBytes;        ///< the target's index bytes where the key is one dimension and the target lists it as a
                           ///< whole, else 8
  int64_t dense;           ///< rows in the target's order (see below): how many levels are dense
  int64_t list;            ///< … and the compressed level that has an index for each entry; else -1
  int64_t notesLengths;    ///< not 0: each row's length is noted, for spc_rt_pack_matrix
  int64_t chunks;          ///< at least 1
  int64_t runs;            ///< of each chunk, at least 1
  const int64_t *borders;  ///< by chunk: its first row, of the first dimension; null where there is one chunk
  int64_t expected;        ///< how many entries there may be in all, to make room at first; 0: unknown
  int64_t shares; ///< how many of the arrays below are set: chunks' shares of what is expected are in proportion
                  ///< to the operands' entries in their rows; 0: equal
  RowPointers shareOf[kMaxShares];
  int64_t workspaceBytes; ///< a larger dense workspace becomes a hash table; 0: the runtime's own limit
  Workers workers;        ///< for the runtime's own work on the chunks; none: one after the other
  /// One of the spc_rt_place_… in the numeric phase, else null.
  void (*place)(Run *run, int64_t count, const int64_t *coordinates);
  /// One of the spc_rt_pack_…; null in the numeric phase.
  int32_t (*pack)(Assembly *assembly);
  /// spc_rt_merge_runs where there are several and values or patterns are packed, else null.
  void (*merge)(Run *run, Run *other);
  /// spc_rt_drop_zeros, or null where entries whose value is 0 are kept.
  int64_t (*dropZeros)(const Run *run, int64_t count);
  AssemblyState *state; ///< the runtime's own
};

// Rows are in the target's order where the levels follow the collecting order, one a dimension: dense levels,
// compressed ones, at the end a compressed level with or without singletons below it, the list; the key is the last
// level's coordinate, and keys have its indices' width. All levels of the list have one stride, those above have 1.

/// Opens an assembly: zeroes the values in the numeric phase, allocating them where `target->values` is null.
/// Ok; Memory; IndexType (a key does not fit int64 or keyBytes). On failure nothing stays allocated and `finish` must
/// not be called.
extern "C" int32_t spc_rt_assembly_start(Assembly *assembly);

/// Opens run `run` of chunk `chunk`. NULL where memory ran out: the caller skips the nest, `finish` returns Memory.
extern "C" Run *spc_rt_run_begin(Assembly *assembly, int64_t chunk, int64_t run, Form form);

/// Makes room for `more` entries beyond `count`, at least 1. Returns the new count, which may be less (rows that have
/// ended move away): the next entry is written there. Where memory ran out that is 0 and there is room for 1 entry,
/// and the caller goes on.
extern "C" int64_t spc_rt_run_grow(Run *run, int64_t count, int64_t more);

/// Append form: the entries from the row's start to `count` are the row of these coordinates (rowOrder numbers), which
/// may be empty. Returns the new count.
extern "C" int64_t spc_rt_row_end(Run *run, int64_t count, const int64_t *coordinates);

/// Dense workspace: appends the touched keys, which lie in [first, last] (none where first > last), and their values
/// to the `count` entries so far, clears the workspace and ends the row. Returns the new count. For keys and values of
/// as many bytes as the name says (0: no values), or of any.
extern "C" int64_t spc_rt_row_flush(Run *run, int64_t count, int64_t first, int64_t last, const int64_t *coordinates);
/// Hash workspace: the slot of `key`, whose value is 0 when new; `slots` may have moved. Where memory ran out some
/// slot.
extern "C" int64_t spc_rt_locate(Run *run, int64_t key);

/// Hash workspace: the slot of `key`, or -1 where it has none.
extern "C" int64_t spc_rt_find(const Run *run, int64_t key);

/// Hash workspace: as spc_rt_row_flush.
extern "C" int64_t spc_rt_hash_flush(Run *run, int64_t count, const int64_t *coordinates);

#define SPC_DECLARE_FLUSHES(KEY, VALUE)                                                                                \
  extern "C" int64_t spc_rt_row_flush_##KEY##_##VALUE(Run *run, int64_t count, int64_t first, int64_t last,            \
                                                      const int64_t *coordinates);                                     \
  extern "C" int64_t spc_rt_hash_flush_##KEY##_##VALUE(Run *run, int64_t count, const int64_t *coordinates);
#define SPC_FOR_WIDTHS(DO) DO(4, 0) DO(4, 4) DO(4, 8) DO(8, 0) DO(8, 4) DO(8, 8)
SPC_FOR_WIDTHS(SPC_DECLARE_FLUSHES)
#undef SPC_DECLARE_FLUSHES

/// The nest is done.
extern "C" void spc_rt_run_end(Run *run, int64_t count);

/// Packs what was collected into the target's arrays, each an allocation of its own (NULL where it has no elements),
/// and closes the assembly. In the symbolic phase `values` becomes NULL. In the numeric phase the values are there
/// already: of places that nothing touched, 0.
/// Ok; Memory; Pattern (numeric: an entry has no place); IndexType (too many entries for the pointers' type); Count (a
/// fixed width is exceeded); Shape (padding needs a coordinate, but the extent is 0). On failure nothing stays
/// allocated but what the caller passed, and the target's arrays are unset.
extern "C" int32_t spc_rt_assembly_finish(Assembly *assembly);

// For the fields of Assembly.

/// Packs the one run of each chunk into a matrix of a dense and a compressed level, where rows are in the target's
/// order and their lengths are noted.
extern "C" int32_t spc_rt_pack_matrix(Assembly *assembly);
/// … into any target, where rows are in its order.
extern "C" int32_t spc_rt_pack_rows(Assembly *assembly);
/// … into any target, by sorting.
extern "C" int32_t spc_rt_pack_list(Assembly *assembly);

/// Puts the first `count` entries of a run, a row, at their places among the target's values, where rows are in its
/// order. There is one run of each chunk, and keys and values have as many bytes as the name says.
extern "C" void spc_rt_place_row_4_4(Run *run, int64_t count, const int64_t *coordinates);
extern "C" void spc_rt_place_row_4_8(Run *run, int64_t count, const int64_t *coordinates);
extern "C" void spc_rt_place_row_8_4(Run *run, int64_t count, const int64_t *coordinates);
extern "C" void spc_rt_place_row_8_8(Run *run, int64_t count, const int64_t *coordinates);
/// … adds to the values of other runs. Keys and values have any widths.
extern "C" void spc_rt_place_row(Run *run, int64_t count, const int64_t *coordinates);
/// … in any target.
extern "C" void spc_rt_place_entries(Run *run, int64_t count, const int64_t *coordinates);

/// Merges the rows of two runs of a chunk into `run`: all keys of both, values added. Empties `other`.
extern "C" void spc_rt_merge_runs(Run *run, Run *other);

/// Removes the zeros from the row that ends at `count`. Returns the new count.
extern "C" int64_t spc_rt_drop_zeros(const Run *run, int64_t count);

} // namespace spc::runtime
