#include "machine/rounds.h"
#include "machine/vectors.h"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <sys/mman.h>
#include <vector>

namespace spc::machine {

namespace {

constexpr size_t kPage = size_t(2) << 20; ///< a large one, where the system has any
constexpr size_t kBytesARound = size_t(16) << 20;

struct FreeArray {
  void operator()(double *array) const { std::free(array); }
};
using Array = std::unique_ptr<double, FreeArray>;

/// Memory for `count` elements that no thread has touched; null where there is none.
Array makeArray(size_t count) {
  const size_t bytes = (count * sizeof(double) + kPage - 1) / kPage * kPage;
  Array array(static_cast<double *>(std::aligned_alloc(kPage, bytes)));
#ifdef MADV_HUGEPAGE
  if (array)
    madvise(array.get(), bytes, MADV_HUGEPAGE);
#endif
  return array;
}

struct Arrays {
  double *first, *second, *third;
  size_t count; ///< of elements in each, a multiple of kUnroll * 8
  double total = 0;
};

constexpr size_t kUnroll = 8; ///< as many sums as hide the latency of an addition

struct TriadPass {
  template <int Bytes> [[gnu::always_inline]] static inline void run(Arrays &arrays) {
    using Vector = typename VectorOf<double, Bytes>::Type;
    constexpr size_t lanes = Bytes / sizeof(double);
    const Vector scale = Vector{} + 0.5;
    auto *a = reinterpret_cast<Vector *>(arrays.first);
    const auto *b = reinterpret_cast<const Vector *>(arrays.second),
               *c = reinterpret_cast<const Vector *>(arrays.third);
    for (size_t n = 0; n < arrays.count / lanes; ++n)
      a[n] = b[n] + scale * c[n];
  }
};

struct SumPass {
  template <int Bytes> [[gnu::always_inline]] static inline void run(Arrays &arrays) {
    using Vector = typename VectorOf<double, Bytes>::Type;
    constexpr size_t lanes = Bytes / sizeof(double);
    const auto *a = reinterpret_cast<const Vector *>(arrays.first);
    Vector partial[kUnroll] = {};
    for (size_t n = 0; n < arrays.count / lanes; n += kUnroll)
#pragma GCC unroll 8
      for (size_t k = 0; k < kUnroll; ++k)
        partial[k] += a[n + k];
#pragma GCC unroll 8
    for (size_t k = 0; k < kUnroll; ++k)
      for (size_t lane = 0; lane < lanes; ++lane)
        arrays.total += partial[k][lane];
  }
};

/// Bytes a second of `Pass`, which each thread runs on `Used` arrays of its own of together `bytesEach` bytes.
template <class Pass, size_t Used> double bandwidth(int threads, size_t bytesEach, Effort effort) {
  constexpr size_t atOnce = kUnroll * 8;
  const size_t count = std::max<size_t>(1, bytesEach / (Used * sizeof(double)) / atOnce) * atOnce;
  const size_t bytes = Used * count * sizeof(double);
  const size_t repeats = std::max<size_t>(1, kBytesARound / bytes);
  std::vector<Array> arrays;
  for (size_t k = 0; k < Used * static_cast<size_t>(threads); ++k)
    if (!arrays.emplace_back(makeArray(count)))
      return 0;
  const auto at = [&](int thread, size_t k) { return arrays[Used * static_cast<size_t>(thread) + k].get(); };
  const auto prepare = [&](int thread) {
    for (size_t k = 0; k < Used; ++k)
      std::fill_n(at(thread, k), count, 1.0);
  };
  const auto work = [&](int thread) {
    Arrays passed{at(thread, 0), at(thread, Used > 1 ? 1 : 0), at(thread, Used - 1), count};
    for (size_t repeat = 0; repeat < repeats; ++repeat) {
      runOnVectors<Pass>(passed);
      keep(passed);
    }
  };
  const double seconds = leastSeconds(threads, effort, prepare, work);
  return static_cast<double>(bytes * repeats) * threads / seconds;
}

} // namespace

double triadBandwidth(int threads, size_t bytesEach, Effort effort) {
  return bandwidth<TriadPass, 3>(threads, bytesEach, effort);
}

double readBandwidth(int threads, size_t bytesEach, Effort effort) {
  return bandwidth<SumPass, 1>(threads, bytesEach, effort);
}

} // namespace spc::machine
