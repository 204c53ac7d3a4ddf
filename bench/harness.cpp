#include "harness.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <random>
#include <sched.h>
#include <unistd.h>

namespace {

double seconds(const std::function<void()> &work) {
  auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

} // namespace

void check(bool right, const char *what) {
  if (right)
    return;
  std::fprintf(stderr, "%s: %s\n", program_invocation_short_name, what);
  std::exit(1);
}

std::vector<double> randomValues(size_t count, uint64_t seed) {
  std::vector<double> values(count);
  uint64_t state = seed;
  for (double &value : values) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    value = double(int64_t(state >> 11)) / double(int64_t(1) << 52) - 1;
  }
  return values;
}

double largestDifference(const std::vector<double> &result, const std::vector<double> &expected) {
  double largest = 0, scale = 1e-300;
  for (size_t n = 0; n < expected.size(); ++n) {
    if (std::isnan(result[n]) || std::isnan(expected[n]))
      return std::numeric_limits<double>::infinity();
    largest = std::max(largest, std::abs(result[n] - expected[n]));
    scale = std::max(scale, std::abs(expected[n]));
  }
  return largest / scale;
}

Comparison compare(int rounds, const std::function<void()> &reference, const std::function<void()> &candidate) {
  double once = std::max(seconds(reference), seconds(candidate));
  int repeat = std::max(1, int(5e-3 / std::max(once, 1e-9)));
  auto run = [&](const std::function<void()> &work) {
    return seconds([&] {
             for (int n = 0; n < repeat; ++n)
               work();
           }) /
           repeat;
  };
  std::vector<double> references, candidates, ratios;
  for (int round = 0; round < rounds; ++round) {
    double first = run(round % 2 ? candidate : reference);
    double second = run(round % 2 ? reference : candidate);
    references.push_back(round % 2 ? second : first);
    candidates.push_back(round % 2 ? first : second);
    ratios.push_back(references.back() / candidates.back());
  }
  return {median(references), median(candidates), median(ratios)};
}

std::vector<std::vector<double>> timeTogether(int rounds, const std::vector<Job> &jobs, double roundSeconds) {
  auto runs = [](const Job &job, int count) {
    double total = 0;
    for (int n = 0; n < count; ++n) {
      total += seconds(job.run);
      job.release();
    }
    return total / count;
  };
  std::vector<int> repeats;
  std::vector<size_t> order(jobs.size());
  for (const Job &job : jobs)
    repeats.push_back(std::max(1, int(roundSeconds / std::max(runs(job, 1), 1e-9))));
  std::iota(order.begin(), order.end(), size_t(0));
  std::mt19937_64 random(1);
  std::vector<std::vector<double>> times(jobs.size());
  for (int round = 0; round < rounds; ++round) {
    std::shuffle(order.begin(), order.end(), random);
    for (size_t job : order)
      times[job].push_back(runs(jobs[job], repeats[job]));
  }
  return times;
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + values.size() / 2, values.end());
  return values[values.size() / 2];
}

void pinToOneCore() {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  CPU_SET(sched_getcpu(), &cores);
  sched_setaffinity(0, sizeof cores, &cores);
}

void pinThreads(char **argv) {
  if (std::getenv("OMP_PROC_BIND"))
    return;
  setenv("OMP_PROC_BIND", "true", 1);
  setenv("OMP_PLACES", "cores", 1);
  execv("/proc/self/exe", argv);
}
