// Helpers that kernels call: compiled to LLVM bitcode for each supported architecture, embedded in spc, and linked
// into a kernel as internal functions where it uses them (codegen/link_runtime.h).
//
// They are freestanding: no libc, no exceptions, memory only through the hooks that they are given. The entry code
// (entry/copies.cpp) builds the structs below on the stack, field by field in this order, so that every field
// is one int64_t or one pointer.
#pragma once

#include "runtime/status.h"

namespace spc::runtime {

/// Memory as the kernel's caller provides it. Never asked for 0 bytes; `allocate` returns NULL when memory ran out.
struct Allocator {
  void *user;
  void *(*allocate)(void *user, int64_t bytes);
  void (*release)(void *user, void *memory);
};

/// Threads as the kernel's caller provides them: calls task(closure, index) for each index below `tasks`, in any order,
/// on any threads. NULL: there are none.
struct Workers {
  void *user;
  void (*parallelFor)(void *user, int64_t tasks, void (*task)(void *closure, int64_t index), void *closure);
};

/// How a level is stored.
enum class LevelStorage : int64_t {
  Dense,            ///< every coordinate under each parent
  Compressed,       ///< listed, in segments that pointers delimit; at the root one segment
  Singleton,        ///< one listed coordinate a parent
  Fixed,            ///< `width` listed coordinates a parent
  RaggedDense,      ///< as many ascending coordinates from `start` as pointers say
  ClosedDense,      ///< `length` ascending coordinates from `start`
  ClosedCompressed, ///< `length` listed coordinates
  FixedUnique,      ///< as Fixed, and those of one parent ascend without repeats, padding included
};

/// What a level's coordinate is of the tensor's dimensions, as in format::Part.
enum class LevelPart : int64_t { Whole, Quotient, Remainder, Difference };

/// constant + slope * (parent's coordinate) + size * (extent of the level's dimension)
struct ClosedForm {
  int64_t constant = 0, slope = 0, size = 0;
};

/// One level of a tensor and its arrays.
struct Level {
  LevelStorage storage;
  int64_t dimension; ///< of a difference j - i that of j
  int64_t extent;    ///< of the dimension
  void *pointers;    ///< of a compressed level that is not the root, and of a ragged dense one
  void *indices;     ///< of every level that lists coordinates
  LevelPart part = LevelPart::Whole;
  int64_t block = 1;       ///< of a quotient or remainder
  int64_t minus = 0;       ///< of a difference: the dimension of i
  int64_t minusExtent = 0; ///< … and its extent
  int64_t width = 0;       ///< of fixed levels
  int64_t stride = 1;      ///< entry p's coordinate is indices[p * stride + offset]
  int64_t offset = 0;
  int64_t parentExtent = 1; ///< of closed forms: what the parent's coordinate runs over
  ClosedForm length;        ///< of closed levels
  ClosedForm start;         ///< of ragged and closed dense levels
  int64_t isUnique = 0;     ///< not 0: no coordinate occurs twice under one parent
};

/// What adding up two values means.
enum class ValueKind : int64_t { Float, Half, Brain, Integer, Bool, Complex };

/// A tensor in any format of the algebra, of 1 to 16 levels. Index types have 1, 2, 4 or 8 bytes, those of 1 and 2
/// unsigned.
struct Tensor {
  int64_t order;     ///< levels
  int64_t rootCount; ///< entries of a compressed root
  int64_t stored;    ///< values in all
  int64_t pointerBytes;
  int64_t indexBytes;
  int64_t valueBytes;
  Level *levels;
  void *values;
  ValueKind valueKind = ValueKind::Float;
};

inline constexpr int64_t kMaxLevels = 16;
inline constexpr int64_t kMaxOrder = 8;

/// Copies `source` into the storage that `copy` asks for: a dense root and compressed levels below it, one for each
/// dimension, in any order of the dimensions (order 1: a dense vector). Entries of one place are summed; slots outside
/// of the tensor (padding of blocks and diagonals) are left out. Reads `order`, the byte widths and each level's
/// dimension and extent of `copy`; sets `stored`, `values` and each level's pointers and indices. All arrays lie in one
/// block that starts at `values`: releasing `values` releases the copy. Where the source's values are NULL those of the
/// copy are undefined.
///
/// Sorts by least significant digit first, one level after the other and skipping what is sorted already, hence in time
/// O(order * entries + extent of the root).
///
/// Ok; Memory; Count (negative counts, or more or fewer entries than `stored`); IndexRange (a coordinate outside its
/// extent); IndexType (a count or a coordinate overflows the copy's index types). On failure nothing stays allocated.
extern "C" int32_t spc_rt_reorder(const Allocator *allocator, const Tensor *source, Tensor *copy);

/// Adds up `count` lengths of `bytes` bytes each into `pointers`, count + 1 numbers of the same width that start at 0.
/// Ok; Pointers (a negative length); IndexType (the sum overflows the width).
extern "C" int32_t spc_rt_scan(const void *lengths, void *pointers, int64_t bytes, int64_t count);

} // namespace spc::runtime
