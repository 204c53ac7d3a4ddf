#include "machine/processors.h"
#include "machine/roofs.h"

#include <catch2/catch.hpp>

#include <thread>

using namespace spc;

namespace {

constexpr machine::Effort kShort{0.03};

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
  const double f32 = machine::peakRate<float>(1, kShort), f64 = machine::peakRate<double>(1, kShort);
  CHECK(f64 > 1e9); // a multiply-add of two lanes each nanosecond is 4e9
  CHECK(f64 < 1e12);
  CHECK(f32 > f64); // twice the lanes
  const double small = machine::readBandwidth(1, 1 << 14, kShort), large = machine::readBandwidth(1, 64 << 20, kShort);
  CHECK(large > 1e8);
  CHECK(small > large); // a cache's, memory's
  CHECK(machine::triadBandwidth(1, 1 << 14, kShort) > 1e8);
}

TEST_CASE("Several threads measure together, also more than there are processors") {
  CHECK(machine::peakRate<double>(3, kShort) > 1e9);
  CHECK(machine::readBandwidth(3, 1 << 20, kShort) > 1e8);
  CHECK(machine::triadBandwidth(3, 1 << 20, kShort) > 1e8);
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
  CHECK(roofs.f32 > roofs.f64);
  CHECK(roofs.f64 > 1e9);
  CHECK(roofs.read > 1e8);
  CHECK(roofs.triad > 1e8);
}
