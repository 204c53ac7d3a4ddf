// The roofs of a roofline: bytes a second from each level of memory, and multiply-adds a second from registers.
#pragma once

#include <cstddef>

#if defined(__AVX512F__)
constexpr size_t kVectorBytes = 64;
#elif defined(__AVX__)
constexpr size_t kVectorBytes = 32;
#else
constexpr size_t kVectorBytes = 16;
#endif

/// Makes the compiler believe that the value is read and that all memory may have changed.
template <class T> inline void keep(const T &value) {
  asm volatile("" : : "m"(value) : "memory");
}

/// The best of several rounds of a(n) = b(n) + s * c(n) in f64, in bytes a second; three arrays of together `bytes` for
/// each thread, their traffic counted once: what a cache reads before it is overwritten is not counted. Uses the
/// number of threads that OpenMP was set to.
double triadBandwidth(size_t bytes);

/// The same for the sum of one array.
double readBandwidth(size_t bytes);

/// The best of several rounds of independent multiply-adds on vector registers, in operations a second, a multiply-add
/// being two. T is float or double.
template <class T> double peakRate();
