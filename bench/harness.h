// What the benchmarks share: checks, data, and timing of contenders in one process.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

/// Ends the program with status 1 and `what` on standard error unless `right`.
void check(bool right, const char *what);

/// Deterministic values in [-1, 1).
std::vector<double> randomValues(size_t count, uint64_t seed);

/// The largest difference of two elements in proportion to the largest of `expected`; infinite where one is a NaN.
/// `result` has as many elements, of whichever type.
template <class Result> double largestDifference(const Result &result, const std::vector<double> &expected) {
  double largest = 0, scale = 1e-300;
  for (size_t n = 0; n < expected.size(); ++n) {
    const double value = double(result[n]);
    if (std::isnan(value) || std::isnan(expected[n]))
      return std::numeric_limits<double>::infinity();
    largest = std::max(largest, std::abs(value - expected[n]));
    scale = std::max(scale, std::abs(expected[n]));
  }
  return largest / scale;
}

/// What compare() measured: the median seconds of one call of each, and the median of the rounds' ratios.
struct Comparison {
  double reference = 0;
  double candidate = 0;
  double ratio = 0; ///< reference / candidate: above 1 where the candidate is faster
};

/// Times both in `rounds` rounds, one after the other and the order alternating, with as many calls a round as take
/// milliseconds. Both have run once before that.
Comparison compare(int rounds, const std::function<void()> &reference, const std::function<void()> &candidate);

/// One contender among several. What `run` allocates `release` frees, which is not timed.
struct Job {
  std::function<void()> run, release;
};

/// What a job costs.
struct Measured {
  std::vector<double> seconds; ///< of one call, by round
  double faults = 0;           ///< page faults of one call, the mean over all rounds
  double hugeBytes = 0;        ///< of the process in huge pages, right after a call
};

/// Seconds of one call of a job, the shorter of two; released after each.
double shorterOfTwo(const Job &job);

/// Measures each job in each round, one after the other in an order drawn anew: one call that warms the caches, then as
/// many as take `roundSeconds`, at least one. Each has run once before that. Jobs that take long and more than
/// `kPatience` times as long as the first one are left out of all rounds but kLeastRounds.
inline constexpr double kPatience = 3;
inline constexpr int kLeastRounds = 2;
std::vector<Measured> measureTogether(int rounds, const std::vector<Job> &jobs, double roundSeconds = 5e-3);

/// The seconds alone of what measureTogether() gives.
std::vector<std::vector<double>> timeTogether(int rounds, const std::vector<Job> &jobs, double roundSeconds = 5e-3);

/// The median; the upper one of the two in the middle. Requires at least one value.
double median(std::vector<double> values);

/// The distance of the quartiles in proportion to the median. Requires at least one value.
double quartileSpread(std::vector<double> values);

/// Keeps the process on the core that it is on.
void pinToOneCore();

/// Has OpenMP's threads stay on a core each, unless the environment says where they run. OpenMP's libraries read that
/// as they are loaded, so that this starts the program anew. To be called before anything else uses OpenMP: where
/// several of its libraries are loaded, GNU's and LLVM's say, one of them has bound this thread to the first core by
/// then, which the others would take for the only one.
void pinThreads(char **argv);

/// Ends the program with status 1 where so many threads would share cores, whichever of OpenMP's libraries starts them:
/// their times would say nothing.
void checkThreadsApart(int threads);
