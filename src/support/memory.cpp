#include "support/memory.h"

#include <algorithm>
#include <climits>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <malloc.h>
#include <memory>
#include <string>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

namespace spc {

namespace {

constexpr size_t kLargeArray = size_t{4} << 20;
constexpr size_t kLargePage = size_t{2} << 20;
constexpr size_t kManyPages = size_t{64} << 10; ///< bytes; making them one by one is slow
constexpr int kHeapGrowth = 32 << 20;           ///< bytes
constexpr uintptr_t kPage = 4096;               ///< less where pages are larger, which the system then refuses

bool asksForLargePages = true; ///< set before there are threads

/// How far on the next page begins.
size_t bytesToPage(const void *array) {
  return (kPage - reinterpret_cast<uintptr_t>(array) % kPage) % kPage;
}

char *allocateLines(size_t bytes) {
  constexpr size_t kLine = 64;
  if (bytes > SIZE_MAX - kLine)
    return nullptr;
  return static_cast<char *>(std::aligned_alloc(kLine, (bytes + kLine - 1) / kLine * kLine));
}

} // namespace

double physicalMemory() {
  return static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
}

double freeMemory() {
  std::ifstream file("/proc/meminfo");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("MemAvailable:"))
      return std::strtod(line.c_str() + line.find(':') + 1, nullptr) * 1024;
  return physicalMemory();
}

bool limitsAddresses() {
  struct rlimit limit{};
  return getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
}

void growHeap() {
#ifdef M_TOP_PAD
  mallopt(M_TOP_PAD, kHeapGrowth);
  mallopt(M_TRIM_THRESHOLD, INT_MAX);
  mallopt(M_MMAP_THRESHOLD, kHeapGrowth);
  const std::unique_ptr<void, decltype(&std::free)> piece(std::malloc(kLargePage / 4), std::free);
  // Other allocators than glibc's leave the break where it is.
  auto *begin = static_cast<char *>(piece.get());
  const uintptr_t skipped = (kLargePage - reinterpret_cast<uintptr_t>(begin) % kLargePage) % kLargePage;
  const uintptr_t end = reinterpret_cast<uintptr_t>(sbrk(0)), first = reinterpret_cast<uintptr_t>(begin) + skipped;
  if (begin && first < end && end - first <= 2 * kHeapGrowth)
    madvise(begin + skipped, end - first, MADV_HUGEPAGE);
#endif
}

void releaseFreedMemory() {
#ifdef M_TOP_PAD
  malloc_trim(kHeapGrowth);
#endif
}

void adviseLargePages(void *array, size_t bytes) {
  if (bytes < kLargeArray || !asksForLargePages)
    return;
  const size_t skipped = bytesToPage(array);
  madvise(static_cast<char *>(array) + skipped, (bytes - skipped) / kPage * kPage, MADV_HUGEPAGE);
}

void *zeroedLines(size_t bytes) {
  char *array = allocateLines(bytes);
  if (!array)
    return nullptr;
  // Whole pages are given back to the system, whose new ones are zeros.
  const size_t skipped = bytesToPage(array);
  const size_t whole = bytes < kLargeArray ? 0 : (bytes - skipped) / kPage * kPage;
  if (whole == 0 || madvise(array + skipped, whole, MADV_DONTNEED) != 0) {
    std::memset(array, 0, bytes);
    return array;
  }
  std::memset(array, 0, skipped);
  std::memset(array + skipped + whole, 0, bytes - skipped - whole);
  adviseLargePages(array, bytes);
  return array;
}

void *unsetLines(size_t bytes) {
  char *array = allocateLines(bytes);
  if (!array || bytes < kManyPages)
    return array;
  adviseLargePages(array, bytes);
#ifdef MADV_POPULATE_WRITE
  const size_t skipped = bytesToPage(array);
  if (bytes < kLargeArray) // a fault for each page takes twice as long
    madvise(array + skipped, (bytes - skipped) / kPage * kPage, MADV_POPULATE_WRITE);
#endif
  return array;
}

void useOrdinaryPages() {
  asksForLargePages = false;
}

double bytesOnLargePages(const std::vector<MemoryRange> &ranges) {
  std::ifstream file("/proc/self/smaps");
  double bytes = 0, overlap = 0;
  for (std::string line; std::getline(file, line);) {
    char *rest = nullptr;
    const uintptr_t begin = std::strtoull(line.c_str(), &rest, 16);
    if (*rest == '-') { // "7f32-7f54 rw-p ...", at which a mapping's lines begin
      const uintptr_t end = std::strtoull(rest + 1, nullptr, 16);
      overlap = 0;
      for (const MemoryRange &range : ranges) {
        const auto first = std::max(reinterpret_cast<uintptr_t>(range.begin), begin);
        const auto last = std::min(reinterpret_cast<uintptr_t>(range.begin) + range.bytes, end);
        overlap += last > first ? static_cast<double>(last - first) : 0;
      }
    } else if (line.starts_with("AnonHugePages:")) {
      bytes += std::min(overlap, std::strtod(line.c_str() + line.find(':') + 1, nullptr) * 1024);
    }
  }
  return bytes;
}

void keepFreedMemory() {
#ifdef M_MMAP_MAX
  mallopt(M_MMAP_MAX, 0);
  mallopt(M_TRIM_THRESHOLD, -1);
#endif
}

void releasePages(void *bytes, size_t count) {
  const auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  const auto begin = reinterpret_cast<uintptr_t>(bytes), skipped = (page - begin % page) % page;
  if (count > skipped + page) // else there is no whole page
    madvise(static_cast<char *>(bytes) + skipped, (count - skipped) / page * page, MADV_DONTNEED);
}

} // namespace spc
