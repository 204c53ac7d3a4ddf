// Kernels written by hand for CSR with 32-bit indices, what a programmer who cares for speed writes: one pass into
// chunks' buffers of the largest size a result can have (only pages that are touched cost), then a copy; a dense
// accumulator with a two-level bitmap, which gives sorted rows without a sort; chunks of equal work, taken dynamically.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <sys/mman.h>

namespace assembly::hand {

struct Free {
  void operator()(void *memory) const { std::free(memory); }
};
template <class T> using Array = std::unique_ptr<T[], Free>;

/// The pages that large arrays ask for: those of 2 MiB take fewer page faults, but each clears more at once.
enum class Pages { Ordinary, Huge };
inline constexpr Pages kPages[] = {Pages::Ordinary, Pages::Huge};

/// Without initial values; ends the program where memory runs out.
template <class T> Array<T> allocate(int64_t count, Pages pages = Pages::Ordinary) {
  constexpr size_t page = size_t(2) << 20;
  const size_t bytes = size_t(count > 0 ? count : 1) * sizeof(T);
  const bool huge = pages == Pages::Huge && bytes >= 2 * page;
  void *memory = huge ? std::aligned_alloc(page, (bytes + page - 1) / page * page) : std::malloc(bytes);
  if (!memory)
    std::abort();
  if (huge)
    madvise(memory, bytes, MADV_HUGEPAGE);
  return Array<T>(static_cast<T *>(memory));
}

/// The same, all 0.
template <class T> Array<T> allocateZeros(int64_t count) {
  void *memory = std::calloc(size_t(count > 0 ? count : 1), sizeof(T));
  if (!memory)
    std::abort();
  return Array<T>(static_cast<T *>(memory));
}

template <class T> struct View {
  int64_t rows, columns;
  const int32_t *pointers, *indices;
  const T *values;
};

template <class T> struct Matrix {
  int64_t rows = 0, columns = 0;
  Array<int32_t> pointers, indices;
  Array<T> values;

  View<T> view() const { return {rows, columns, pointers.get(), indices.get(), values.get()}; }
};

/// `count` entries.
template <class T> struct Entries {
  int64_t rows, columns, count;
  const int32_t *row, *column;
  const T *values;
};

/// Where chunk `chunk` of `chunks` of equal work begins; `work(n)` is the work of the first n of `count` items.
template <class Work> int64_t chunkBegin(int64_t count, int64_t chunk, int64_t chunks, const Work &work) {
  if (chunk >= chunks)
    return count;
  const int64_t wanted = work(count) * chunk / chunks;
  int64_t low = 0, high = count;
  while (low < high) {
    const int64_t middle = (low + high) / 2;
    if (work(middle) < wanted)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/// How many chunks share the work well among threads.
inline int64_t chunksFor(int threads) {
  return threads == 1 ? 1 : 16 * int64_t(threads);
}

template <class T> Matrix<T> transpose(const View<T> &a, Pages pages, int threads);
/// How a product's row notes which of its columns occur; which is fastest depends on the matrix.
enum class Noting {
  Each,  ///< column by column: for columns that lie anywhere
  Words, ///< a word of the bitmap in a register: for neighbouring columns
  Runs,  ///< the same, and four columns at once where they follow each other: for blocks
};
inline constexpr Noting kNotings[] = {Noting::Each, Noting::Words, Noting::Runs};

template <class T> Matrix<T> multiply(const View<T> &a, const View<T> &b, Noting noting, Pages pages, int threads);
template <class T> Matrix<T> add(const View<T> &a, const View<T> &b, Pages pages, int threads);
template <class T> Matrix<T> fromSorted(const Entries<T> &a, Pages pages, int threads);
/// Entries may be in any order and repeat.
template <class T> Matrix<T> fromShuffled(const Entries<T> &a, Pages pages, int threads);

} // namespace assembly::hand
