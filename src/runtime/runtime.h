// Helpers that kernels call: compiled to LLVM bitcode for each supported architecture, embedded in spc, and linked
// into a kernel as internal functions where it uses them (codegen/link_runtime.h).
//
// They are freestanding: no libc, no exceptions, memory only through the hooks that they are given. contract.def has
// the structs and functions that kernels know.
#pragma once

#include "runtime/contract.h"
#include "runtime/status.h"

namespace spc::runtime {

/// What adding up two values means.
enum class ValueKind : int64_t { Float, Half, Brain, Integer, Bool, Complex };

enum class Phase : int64_t {
  Assemble, ///< pattern and values
  Symbolic, ///< the pattern alone
  Numeric,  ///< values for a pattern that is there
};

// clang-format off
#define SPC_STRUCT(STRUCT) struct STRUCT {
#define SPC_FIELD(STRUCT, TYPE, NAME, ...) TYPE NAME __VA_ARGS__;
#define SPC_ARRAY(STRUCT, TYPE, NAME, COUNT) TYPE NAME[COUNT];
#define SPC_END(STRUCT) };
// clang-format on
#define SPC_FUNCTION(RESULT, NAME, ...) extern "C" RESULT spc_rt_##NAME(__VA_ARGS__);
#include "runtime/contract.def"

/// The widths of keys and values for which rows are flushed (contract.def, SPC_SIX_WIDTHS).
#define SPC_FOR_WIDTHS(DO) DO(4, 0) DO(4, 4) DO(4, 8) DO(8, 0) DO(8, 4) DO(8, 8)

inline constexpr int64_t kMaxLevels = 16;

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

} // namespace spc::runtime
