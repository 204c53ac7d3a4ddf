#include "machine/rounds.h"
#include "machine/vectors.h"

namespace spc::machine {

namespace {

// Latency times throughput is 8 to 10 on today's cores; with factor and summand these leave no register to spill.
constexpr int kChains = 12;
constexpr long kSteps = 200'000;

template <class T> struct Chains {
  T factor, summand;
  T total = 0; ///< what the chains add up to, so that none is left out
};

/// kSteps multiply-adds in each of kChains vectors.
struct MultiplyAdds {
  template <int Bytes, class T> [[gnu::always_inline]] static inline void run(Chains<T> &chains) {
    using Vector = typename VectorOf<T, Bytes>::Type;
    constexpr int lanes = Bytes / static_cast<int>(sizeof(T));
    const Vector factors = Vector{} + chains.factor, summands = Vector{} + chains.summand;
    Vector values[kChains];
#pragma GCC unroll 12
    for (int chain = 0; chain < kChains; ++chain)
      values[chain] = Vector{} + static_cast<T>(chain);
    for (long step = 0; step < kSteps; ++step)
#pragma GCC unroll 12
      for (int chain = 0; chain < kChains; ++chain)
        values[chain] = values[chain] * factors + summands;
#pragma GCC unroll 12
    for (int chain = 0; chain < kChains; ++chain)
      for (int lane = 0; lane < lanes; ++lane)
        chains.total += values[chain][lane];
  }
};

} // namespace

template <class T> double peakRate(int threads, Effort effort) {
  const volatile T factor = T(0.5), summand = 1; // read anew in each round, so that none is left out
  const auto work = [&](int) {
    Chains<T> chains{factor, summand};
    runOnVectors<MultiplyAdds>(chains);
    keep(chains);
  };
  const double seconds = leastSeconds(threads, effort, [](int) {}, work);
  const double lanes = vectorBytes() / static_cast<double>(sizeof(T));
  return 2.0 * kSteps * kChains * lanes * threads / seconds;
}

template double peakRate<float>(int threads, Effort effort);
template double peakRate<double>(int threads, Effort effort);

} // namespace spc::machine
