#include "support/memory.h"

#include <climits>
#include <cstdint>
#include <cstdlib>
#include <malloc.h>
#include <memory>
#include <sys/mman.h>
#include <unistd.h>

namespace spc {

double physicalMemory() {
  return static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
}

void growHeap() {
#ifdef M_TOP_PAD
  constexpr int kGrowth = 32 << 20;
  constexpr uintptr_t kLargePage = 2 << 20;
  mallopt(M_TOP_PAD, kGrowth);
  mallopt(M_TRIM_THRESHOLD, INT_MAX);
  mallopt(M_MMAP_THRESHOLD, kGrowth);
  const std::unique_ptr<void, decltype(&std::free)> piece(std::malloc(kLargePage / 4), std::free);
  // Other allocators than glibc's leave the break where it is.
  auto *begin = static_cast<char *>(piece.get());
  const uintptr_t skipped = (kLargePage - reinterpret_cast<uintptr_t>(begin) % kLargePage) % kLargePage;
  const uintptr_t end = reinterpret_cast<uintptr_t>(sbrk(0)), first = reinterpret_cast<uintptr_t>(begin) + skipped;
  if (begin && first < end && end - first <= 2 * kGrowth)
    madvise(begin + skipped, end - first, MADV_HUGEPAGE);
#endif
}

void adviseLargePages(void *array, size_t bytes) {
  constexpr size_t kWorthwhile = size_t{4} << 20;
  if (bytes < kWorthwhile)
    return;
  constexpr uintptr_t kPage = 4096; // less where pages are larger, which the system then refuses
  const size_t skipped = (kPage - reinterpret_cast<uintptr_t>(array) % kPage) % kPage;
  madvise(static_cast<char *>(array) + skipped, (bytes - skipped) / kPage * kPage, MADV_HUGEPAGE);
}

} // namespace spc
