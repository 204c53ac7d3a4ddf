// Which runtime functions are made for speed. Freestanding.
#pragma once

/// Marks a function that is compiled for speed; linkRuntime() knows the attribute. Most of the runtime is compiled for
/// size, since it is compiled anew into each kernel that uses it and waits for memory anyway. A hot function is not
/// inlined: its callers are compiled for size.
#define SPC_HOT __attribute__((hot, noinline))

/// Stands before a loop over many contiguous elements. Other loops of the runtime are not vectorised: most are short or
/// access memory anywhere.
///
/// They are vectorised here, for the architecture's first processor: a kernel only has code generated of them. In
/// vectors of eight elements, which code generation splits where registers are shorter.
#if defined(__clang__) && !__STDC_HOSTED__
#if defined(__x86_64__) || defined(__aarch64__)
#define SPC_VECTORIZE _Pragma("clang loop vectorize(enable) vectorize_width(8) interleave_count(1)")
#else
#define SPC_VECTORIZE _Pragma("clang loop vectorize(enable) interleave_count(2)")
#endif
/// Stands before a loop over so many elements that unrolling pays.
#define SPC_UNROLL _Pragma("clang loop unroll_count(4)")
/// Stands before a loop over a constant number of vectors, which then are in registers.
#define SPC_UNROLL_ALL _Pragma("clang loop unroll(full)")
#else
#define SPC_VECTORIZE
#define SPC_UNROLL
#define SPC_UNROLL_ALL
#endif
