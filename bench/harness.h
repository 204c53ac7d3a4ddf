// What the benchmarks share: checks, data, and timing of contenders in one process.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

/// Ends the program with status 1 and `what` on standard error unless `right`.
void check(bool right, const char *what);

/// Deterministic values in [-1, 1).
std::vector<double> randomValues(size_t count, uint64_t seed);

/// The largest difference of two elements in proportion to the largest of `expected`; infinite where one is a NaN.
double largestDifference(const std::vector<double> &result, const std::vector<double> &expected);

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

/// The seconds of one call of each job, by job and round. In each round all run one after the other, in an order drawn
/// anew, as often as takes `roundSeconds`, at least once. Each has run once before that.
std::vector<std::vector<double>> timeTogether(int rounds, const std::vector<Job> &jobs, double roundSeconds = 5e-3);

/// The median; the upper one of the two in the middle. Requires at least one value.
double median(std::vector<double> values);

/// Keeps the process on the core that it is on.
void pinToOneCore();

/// Has OpenMP's threads stay on a core each, unless the environment says where they run. The library reads that as it
/// is loaded, so that this starts the program anew.
void pinThreads(char **argv);
