// Measures the roofs of this machine and writes them as CSV to standard output: with one thread and with all
// processors, bandwidths in bytes a second from an array in the second-level cache, in the last-level cache and in
// memory, and peak multiply-add rates in operations a second.
#include "machine/processors.h"
#include "machine/roofs.h"

#include <algorithm>
#include <cstdio>

using namespace spc;

namespace {

constexpr machine::Effort kLong{0.5};

void report(const char *roof, const char *type, int threads, size_t bytes, double rate) {
  std::printf("%s,%s,%d,%zu,%.4g\n", roof, type, threads, bytes, rate);
  std::fflush(stdout);
}

void measure(int threads) {
  const auto known = [](int level, size_t otherwise) {
    const auto bytes = static_cast<size_t>(machine::cacheBytes(level));
    return bytes > 0 ? bytes : otherwise;
  };
  const size_t second = known(2, size_t(1) << 20);
  const size_t last = known(3, second);
  const size_t inSecond = second / 2;
  const size_t inLast = std::max(last / 2 / size_t(threads), 2 * second);
  const size_t inMemory = std::max(4 * last, size_t(128) << 20) / size_t(threads);
  const struct {
    const char *triad, *read;
    size_t bytes;
  } levels[] = {{"triad-l2", "read-l2", inSecond}, {"triad-llc", "read-llc", inLast}, {"triad", "read", inMemory}};
  for (const auto &level : levels) {
    report(level.triad, "f64", threads, level.bytes * size_t(threads),
           machine::triadBandwidth(threads, level.bytes, kLong));
    report(level.read, "f64", threads, level.bytes * size_t(threads),
           machine::readBandwidth(threads, level.bytes, kLong));
  }
  report("multiply-add", "f32", threads, 0, machine::peakRate<float>(threads, kLong));
  report("multiply-add", "f64", threads, 0, machine::peakRate<double>(threads, kLong));
}

} // namespace

int main() {
  const int all = machine::processorCount();
  std::printf("roof,type,threads,bytes,rate\n");
  measure(1);
  if (all > 1)
    measure(all);
}
