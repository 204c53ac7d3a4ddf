#include "machine/processors.h"
#include "machine/roofs.h"

#include <catch2/catch.hpp>

#include <thread>

using namespace spc;

namespace {

constexpr machine::Effort kShort{0.03};

/// Whether `holds` is true in one of 40 trials, as another process may hold the processor during some.
template <typename Holds> bool isEverTrue(Holds holds) {
  for (int trial = 0; trial < 40; ++trial)
    if (holds())
      return true;
  return false;
}

} // namespace

TEST_CASE("This process has processors, and no cache is smaller than the one before it") {
  const int count = machine::processorCount();
  CHECK(count >= 1);
  CHECK(count <= static_cast<int>(std::thread::hardware_concurrency()));
  for (int level = 2; machine::cacheBytes(level) > 0; ++level)
    CHECK(machine::cacheBytes(level) >= machine::cacheBytes(level - 1));
  CHECK(machine::cacheBytes(9) == 0);
  CHECK(machine::lastLevelCacheBytes() >= machine::cacheBytes(1));
}

TEST_CASE("Roofs are rates of this machine, in operations and bytes a second") {
  const double f64 = machine::peakRate<double>(1, kShort);
  CHECK(f64 > 1e8); // a multiply-add of two lanes each nanosecond is 4e9
  CHECK(f64 < 1e12);
  // A vector has twice the lanes of f32, and a cache is faster than memory.
  CHECK(isEverTrue([] { return machine::peakRate<float>(1, kShort) > machine::peakRate<double>(1, kShort); }));
  CHECK(isEverTrue(
      [] { return machine::readBandwidth(1, 1 << 14, kShort) > machine::readBandwidth(1, 64 << 20, kShort); }));
  CHECK(machine::readBandwidth(1, 64 << 20, kShort) > 1e7);
  CHECK(machine::triadBandwidth(1, 1 << 14, kShort) > 1e7);
}

TEST_CASE("Several threads measure together, also more than there are processors") {
  CHECK(machine::peakRate<double>(3, kShort) > 1e8);
  CHECK(machine::readBandwidth(3, 1 << 20, kShort) > 1e7);
  CHECK(machine::triadBandwidth(3, 1 << 20, kShort) > 1e7);
}

TEST_CASE("What takes no memory of the cache's is measured in arrays that exceed it, as far as that is fast") {
  for (int threads : {1, 2, 64}) {
    const size_t together = machine::bytesInMemory(threads) * static_cast<size_t>(threads);
    CHECK(together >= size_t(128) << 20);
    CHECK(together <= static_cast<size_t>(threads) * (size_t(256) << 20));
  }
  CHECK(machine::readBandwidth(1, size_t(1) << 60, kShort) == 0);
}

TEST_CASE("All roofs of some threads come together") {
  const machine::Roofs roofs = machine::measureRoofs(2);
  CHECK(roofs.threads == 2);
  CHECK(roofs.f32 > 1e8);
  CHECK(roofs.f64 > 1e8);
  CHECK(roofs.read > 1e7);
  CHECK(roofs.triad > 1e7);
}
