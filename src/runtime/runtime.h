// Helpers that kernels call: compiled to LLVM bitcode for each supported architecture, embedded in spc, and linked
// into a kernel as internal functions where it uses them (codegen/link_runtime.h).
//
// They are freestanding: no libc, no exceptions, memory only through the hooks that they are given. contract.def has
// the structs and functions that kernels know.
#pragma once

#include "runtime/contract.h"
#include "runtime/status.h"

namespace spc::runtime {

/// The meaning of adding up two values.
enum class ValueKind : int64_t { Float, Half, Brain, Integer, Bool, Complex, Unsigned };

/// What entries of one place make together (format::Duplicates).
enum class Duplicates : int64_t { Sum, Min, Max, Last, Error };

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

} // namespace spc::runtime
