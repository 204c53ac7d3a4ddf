#include "machine/roofs.h"

#include "machine/processors.h"

#include <algorithm>

namespace spc::machine {

size_t bytesInMemory(int threads) {
  constexpr size_t mebibyte = size_t(1) << 20;
  const size_t wanted = 4 * static_cast<size_t>(lastLevelCacheBytes());
  const size_t together = std::clamp(wanted, 128 * mebibyte, 256 * mebibyte);
  return std::max(together / static_cast<size_t>(threads), 32 * mebibyte);
}

Roofs measureRoofs(int threads) {
  const size_t bytes = bytesInMemory(threads);
  Roofs roofs;
  roofs.threads = threads;
  roofs.f32 = peakRate<float>(threads, {0.05});
  roofs.f64 = peakRate<double>(threads, {0.05});
  roofs.read = readBandwidth(threads, bytes);
  roofs.triad = triadBandwidth(threads, bytes);
  return roofs;
}

} // namespace spc::machine
