// Which runtime functions are made for speed. Freestanding.
#pragma once

/// Code for most of the runtime is generated for size, as it is generated anew in each kernel that uses it and waits
/// for memory anyway. A hot function is not: linkRuntime() knows the attribute. It stays a function of its own, as its
/// callers are for size.
#define SPC_HOT __attribute__((hot, noinline))

/// Before a loop over many elements that are next to each other. Bitcode is not vectorised otherwise, as most loops are
/// short or go anywhere.
#if defined(__clang__) && !__STDC_HOSTED__
#define SPC_VECTORIZE _Pragma("clang loop vectorize(enable) interleave_count(2)")
/// … a loop over so many that it is worth being unrolled.
#define SPC_UNROLL _Pragma("clang loop unroll_count(4)")
#else
#define SPC_VECTORIZE
#define SPC_UNROLL
#endif
