// This machine's memory, and this process's.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <utility>
#include <vector>

namespace spc {

/// Bytes of physical memory.
double physicalMemory();

/// Bytes that the system could give to processes without swapping (MemAvailable); where it does not say, those of
/// physical memory.
double freeMemory();

/// Whether the system limits the addresses that this process may use (ulimit -v), of which each thread takes many.
bool limitsAddresses();

/// Grows the heap at once, on large pages where there are any: a compilation allocates some 10 MiB in small pieces, and
/// is slowed down by a fault for each 4 KiB and by giving memory back in between; so are lists of entries.
void growHeap();

/// Gives what is free amid the heap that growHeap() made back to the system.
void releaseFreedMemory();

/// Asks for large pages under an array that is about to be filled; small ones are left alone.
void adviseLargePages(void *array, size_t bytes);

/// `bytes` of zeros for std::free, from the beginning of a cache line on, as vectors of that size would else be read
/// from two; large ones on large pages, which the system makes as they are used. Null where there is no memory.
void *zeroedLines(size_t bytes);

/// `bytes` for std::free that are about to be filled whole, from the beginning of a cache line on, which hold anything;
/// the system makes their pages at once where these are small. Null where there is no memory.
void *unsetLines(size_t bytes);

/// From here on arrays get the pages that the system gives any program, and large ones are asked for under none. Lists
/// of entries that were on large pages leave those to what is allocated after them: to be called before there are any.
void useOrdinaryPages();

/// An array that malloc has made.
struct FreeArray {
  void operator()(void *array) const { std::free(array); }
};
using MallocedArray = std::unique_ptr<void, FreeArray>;

struct MemoryRange {
  const void *begin;
  size_t bytes;
};

/// How much of some arrays lies on large pages (transparent ones), as far as the system says: of a mapping that holds
/// other things too, as much as there is.
double bytesOnLargePages(const std::vector<MemoryRange> &ranges);

/// From here on memory that is freed stays with the process, so that what is allocated again and again is not made of
/// new pages each time.
void keepFreedMemory();

/// Gives the memory under bytes that are not needed any more back to the system: what they hold is lost, and the array
/// that they are a part of is freed as ever.
void releasePages(void *bytes, size_t count);

/// For vectors that are filled whole: on large pages, and resize() leaves new elements unset.
template <typename T> struct LargePages : std::allocator<T> {
  T *allocate(size_t count) {
    T *array = std::allocator<T>::allocate(count);
    adviseLargePages(array, count * sizeof(T));
    return array;
  }
  template <typename U> void construct(U *at) { ::new (static_cast<void *>(at)) U; }
  template <typename U, typename... Arguments> void construct(U *at, Arguments &&...arguments) {
    ::new (static_cast<void *>(at)) U{std::forward<Arguments>(arguments)...};
  }
};

} // namespace spc
