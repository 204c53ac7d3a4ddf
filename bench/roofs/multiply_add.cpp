#include "roofs.h"

#include <algorithm>
#include <limits>
#include <omp.h>

namespace {

// Latency times throughput is 8 to 10 on today's cores; with factor and summand these leave no register to spill.
constexpr int kChains = 12;

/// `steps` multiply-adds in each of the chains; what they add up to, so that none is left out.
template <class T> T chains(long steps, T factor, T summand) {
  using Vector __attribute__((vector_size(kVectorBytes))) = T;
  constexpr size_t lanes = kVectorBytes / sizeof(T);
  const Vector factors = Vector{} + factor, summands = Vector{} + summand;
  Vector values[kChains];
  for (int chain = 0; chain < kChains; ++chain)
    values[chain] = Vector{} + T(chain);
  for (long step = 0; step < steps; ++step)
#pragma GCC unroll 12
    for (int chain = 0; chain < kChains; ++chain)
      values[chain] = values[chain] * factors + summands;
  T total = 0;
  for (const Vector &value : values)
    for (size_t lane = 0; lane < lanes; ++lane)
      total += value[lane];
  return total;
}

volatile double factorRead = 0.5, summandRead = 1; // read anew in each round, so that none is left out

} // namespace

template <class T> double peakRate() {
  constexpr int rounds = 15;
  constexpr long steps = 2'000'000;
  constexpr double operations = 2.0 * steps * kChains * (kVectorBytes / sizeof(T));
  double start = 0, least = std::numeric_limits<double>::infinity();
  int threads = 1;
#pragma omp parallel
  for (int round = 0; round <= rounds; ++round) { // the first one warms up
#pragma omp barrier
#pragma omp master
    start = omp_get_wtime();
#pragma omp barrier
    keep(chains<T>(steps, T(factorRead), T(summandRead)));
#pragma omp barrier
#pragma omp master
    {
      threads = omp_get_num_threads();
      if (round > 0)
        least = std::min(least, omp_get_wtime() - start);
    }
  }
  return operations * threads / least;
}

template double peakRate<float>();
template double peakRate<double>();
