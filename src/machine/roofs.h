// The most that this machine can do, measured: multiply-adds from registers, and bytes from memory. The denominators of
// "share of the roof" for any kernel.
#pragma once

#include <cstddef>

namespace spc::machine {

/// How long to measure one roof. Rounds of a few milliseconds, of which the best counts, begin for as long as `seconds`
/// have not passed.
struct Effort {
  double seconds = 0.1;
};

/// Operations a second of independent multiply-adds on vector registers by `threads` threads together, a multiply-add
/// being two operations. On the widest vectors that the processor has (x86: AVX-512, AVX with FMA, else SSE2; 128 bits
/// elsewhere), whatever spc is compiled for. T is float or double.
template <class T> double peakRate(int threads, Effort effort = {});

/// Bytes a second at which `threads` threads together sum arrays of f64, of `bytesEach` bytes in each thread. Which
/// level of memory that is, the size says. 0 where there is no memory for them.
double readBandwidth(int threads, size_t bytesEach, Effort effort = {});

/// The same for a(n) = b(n) + s * c(n), three arrays of together `bytesEach` in each thread. Their bytes count once:
/// what a cache reads before it is overwritten is not counted.
double triadBandwidth(int threads, size_t bytesEach, Effort effort = {});

/// The roofs of `threads` threads together. Rates of two measurements differ by some percent, on a shared machine by
/// more; a kernel whose arrays fit into a cache may exceed `read` and `triad`.
struct Roofs {
  int threads = 1;
  double f32 = 0;   ///< operations a second, a multiply-add being two
  double f64 = 0;   ///< the same
  double read = 0;  ///< bytes a second from memory; 0 where it is unknown
  double triad = 0; ///< the same
};

/// Bytes in each of `threads` threads that together are too many for the last-level cache, as far as measuring stays
/// fast: 128 to 256 MiB together, or 32 MiB each where these are more.
size_t bytesInMemory(int threads);

/// All four roofs; takes some 0.1 to 0.2 s for each. `threads` is at least 1; processorCount() (processors.h) for all.
Roofs measureRoofs(int threads);

} // namespace spc::machine
