#include "roofs.h"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <memory>
#include <omp.h>

namespace {

constexpr size_t kAlignment = 64;

struct Free {
  void operator()(double *array) const { std::free(array); }
};
using Array = std::unique_ptr<double, Free>;

/// `count` elements, touched by the thread that asks for them.
Array makeArray(size_t count, double value) {
  auto *array = static_cast<double *>(std::aligned_alloc(kAlignment, count * sizeof(double)));
  if (!array)
    std::abort();
  std::fill_n(array, count, value);
  return Array(array);
}

void triad(double *a, const double *b, const double *c, double scale, size_t count) {
#pragma omp simd
  for (size_t n = 0; n < count; ++n)
    a[n] = b[n] + scale * c[n];
}

/// With as many sums as hide the latency of an addition.
double sum(const double *a, size_t count) {
  using Vector __attribute__((vector_size(kVectorBytes))) = double;
  constexpr size_t lanes = kVectorBytes / sizeof(double), sums = 8;
  Vector partial[sums] = {};
  size_t n = 0;
  for (; n + sums * lanes <= count; n += sums * lanes)
#pragma GCC unroll 8
    for (size_t k = 0; k < sums; ++k)
      partial[k] += *reinterpret_cast<const Vector *>(a + n + k * lanes);
  double total = 0;
  for (const Vector &vector : partial)
    for (size_t lane = 0; lane < lanes; ++lane)
      total += vector[lane];
  for (; n < count; ++n)
    total += a[n];
  return total;
}

/// Bytes a second of `pass`, which each thread runs on arrays that it makes itself with `make` and that have `bytes`
/// together: the best round, from the first thread's start to the last one's end.
template <class Make, class Pass> double bandwidth(size_t bytes, Make make, Pass pass) {
  constexpr int rounds = 15;
  constexpr size_t bytesARound = size_t(256) << 20;
  const size_t repeats = std::max<size_t>(1, bytesARound / bytes);
  double start = 0, least = std::numeric_limits<double>::infinity();
  int threads = 1;
#pragma omp parallel
  {
    auto arrays = make();
    for (int round = 0; round <= rounds; ++round) { // the first one warms up
#pragma omp barrier
#pragma omp master
      start = omp_get_wtime();
#pragma omp barrier
      for (size_t repeat = 0; repeat < repeats; ++repeat)
        pass(arrays);
#pragma omp barrier
#pragma omp master
      {
        threads = omp_get_num_threads();
        if (round > 0)
          least = std::min(least, omp_get_wtime() - start);
      }
    }
  }
  return double(bytes) * double(repeats) * threads / least;
}

struct Triad {
  Array a, b, c;
};

} // namespace

double triadBandwidth(size_t bytes) {
  const size_t count = bytes / (3 * sizeof(double)) / 8 * 8;
  return bandwidth(
      3 * count * sizeof(double), [&] { return Triad{makeArray(count, 0), makeArray(count, 1), makeArray(count, 2)}; },
      [&](Triad &arrays) { triad(arrays.a.get(), arrays.b.get(), arrays.c.get(), 0.5, count), keep(arrays); });
}

double readBandwidth(size_t bytes) {
  const size_t count = bytes / sizeof(double) / 8 * 8;
  return bandwidth(
      count * sizeof(double), [&] { return makeArray(count, 1); },
      [&](Array &array) { keep(sum(array.get(), count)); });
}
