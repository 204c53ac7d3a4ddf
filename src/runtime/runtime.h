// Helpers that kernels call: compiled to LLVM bitcode for each supported architecture, embedded in spc, and linked
// into a kernel as internal functions where it uses them (codegen/link_runtime.h).
//
// They are freestanding: no libc, no exceptions, memory only through the hooks that they are given. The entry code
// (codegen/entry_copies.cpp) builds the structs below on the stack, field by field in this order, so that every field
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

/// How a level is stored.
enum class LevelStorage : int64_t { Dense, Compressed, Singleton };

/// One level of a tensor and its arrays.
struct Level {
  LevelStorage storage;
  int64_t dimension;
  int64_t extent;
  void *pointers; ///< of a compressed level that is not the root
  void *indices;  ///< of every level that is not dense
};

/// A tensor in any format of the algebra, of order 1 to 8. Index types have 4 or 8 bytes, values too.
struct Tensor {
  int64_t order;
  int64_t rootCount; ///< entries of a compressed root
  int64_t stored;    ///< values in all
  int64_t pointerBytes;
  int64_t indexBytes;
  int64_t valueBytes;
  Level *levels;
  void *values;
};

inline constexpr int64_t kMaxOrder = 8;

/// Copies `source`, which is sorted and has no duplicates, into the storage that `copy` asks for: a dense root and
/// compressed levels below it, in any order of the dimensions (order 1: a dense vector). Reads `order`, the byte widths
/// and each level's dimension and extent of `copy`; sets `stored`, `values` and each level's pointers and indices.
/// All arrays lie in one block that starts at `values`: releasing `values` releases the copy.
///
/// Sorts by least significant digit first, one level after the other and skipping what is sorted already, hence in time
/// O(order * entries + extent of the root).
///
/// Ok; Memory; Count (negative counts, or more or fewer entries than `stored`); IndexRange (a coordinate outside its
/// extent); IndexType (a count or a coordinate overflows the copy's index types). On failure nothing stays allocated.
extern "C" int32_t spc_rt_reorder(const Allocator *allocator, const Tensor *source, Tensor *copy);

} // namespace spc::runtime
