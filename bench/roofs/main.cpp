// Measures the roofs of this machine and writes them as CSV to standard output: with one thread and with all of
// OpenMP's, bandwidths in bytes a second from an array in the second-level cache, in the last-level cache and in
// memory, and peak multiply-add rates in operations a second.
#include "roofs.h"

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <omp.h>
#include <string>

namespace {

/// The size of the first core's data cache of that level, as Linux tells it; `otherwise` where there is none.
size_t cacheBytes(int level, size_t otherwise) {
  for (int index = 0;; ++index) {
    const std::string folder = "/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(index);
    std::ifstream levels(folder + "/level"), kinds(folder + "/type"), sizes(folder + "/size");
    int found = 0;
    std::string kind;
    size_t kibibytes = 0;
    if (!(levels >> found && kinds >> kind && sizes >> kibibytes))
      return otherwise;
    if (found == level && kind != "Instruction")
      return kibibytes << 10;
  }
}

void report(const char *roof, const char *type, int threads, size_t bytes, double rate) {
  std::printf("%s,%s,%d,%zu,%.4g\n", roof, type, threads, bytes, rate);
  std::fflush(stdout);
}

void measure(int threads) {
  omp_set_num_threads(threads);
  const size_t second = cacheBytes(2, size_t(1) << 20);
  const size_t last = cacheBytes(3, second);
  const size_t inSecond = second / 2;
  const size_t inLast = std::max(last / 2 / size_t(threads), 2 * second);
  const size_t inMemory = std::max(4 * last, size_t(128) << 20) / size_t(threads);
  const struct {
    const char *triad, *read;
    size_t bytes;
  } levels[] = {{"triad-l2", "read-l2", inSecond}, {"triad-llc", "read-llc", inLast}, {"triad", "read", inMemory}};
  for (const auto &level : levels) {
    report(level.triad, "f64", threads, level.bytes * size_t(threads), triadBandwidth(level.bytes));
    report(level.read, "f64", threads, level.bytes * size_t(threads), readBandwidth(level.bytes));
  }
  report("multiply-add", "f32", threads, 0, peakRate<float>());
  report("multiply-add", "f64", threads, 0, peakRate<double>());
}

} // namespace

int main() {
  const int all = omp_get_max_threads();
  std::printf("roof,type,threads,bytes,rate\n");
  measure(1);
  if (all > 1)
    measure(all);
}
