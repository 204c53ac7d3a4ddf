// What kernels written by hand share: vectors as wide as the machine's, tiles of them, and chunks of equal work.
// Compiled by each compiler that is found, in a namespace of its own (SPC_HAND).
#pragma once

#include "task.h"

#ifdef __clang__
#define SPC_UNROLL _Pragma("clang loop unroll(full)")
#else
#define SPC_UNROLL _Pragma("GCC unroll 32")
#endif
#define SPC_INLINE inline __attribute__((always_inline))

namespace values::SPC_HAND {

#if defined(__AVX512F__)
inline constexpr int kVectorBytes = 64, kVectorRegisters = 32;
#elif defined(__AVX__)
inline constexpr int kVectorBytes = 32, kVectorRegisters = 16;
#elif defined(__aarch64__)
inline constexpr int kVectorBytes = 16, kVectorRegisters = 32;
#else
inline constexpr int kVectorBytes = 16, kVectorRegisters = 16;
#endif

/// Vectors of one type of values.
template <class T> inline constexpr int kLanes = kVectorBytes / int(sizeof(T));

/// How many vectors a tile of sums has: half of the registers, as the rest holds a factor and what the compiler likes.
inline constexpr int kTileVectors = kVectorRegisters / 2;

template <class T, int Lanes> struct VectorOf {
  typedef T type __attribute__((vector_size(Lanes * sizeof(T)), aligned(alignof(T)), may_alias));
};
template <class T> struct VectorOf<T, 1> {
  typedef T type;
};
template <class T, int Lanes> using Vector = typename VectorOf<T, Lanes>::type;

template <class T, int Lanes> SPC_INLINE Vector<T, Lanes> load(const T *from) {
  return *reinterpret_cast<const Vector<T, Lanes> *>(from);
}

template <class T, int Lanes> SPC_INLINE void store(T *to, Vector<T, Lanes> value) {
  *reinterpret_cast<Vector<T, Lanes> *>(to) = value;
}

/// Asks for `bytes` from `from` on.
template <int Bytes> SPC_INLINE void prefetch(const void *from) {
  SPC_UNROLL for (int line = 0; line < Bytes; line += 64)
      __builtin_prefetch(static_cast<const char *>(from) + line, 0, 3);
}

/// Cuts [column, k) into tiles of Vectors vectors and, for what is left, of fewer and then narrower ones: for each
/// calls visit<Vectors, Lanes>(column).
template <int Vectors, int Lanes, class Visit> SPC_INLINE void forEachTile(int64_t column, int64_t k, Visit visit) {
  for (; k - column >= Vectors * Lanes; column += Vectors * Lanes)
    visit.template operator()<Vectors, Lanes>(column);
  if constexpr (Vectors > 1)
    forEachTile<Vectors / 2, Lanes>(column, k, visit);
  else if constexpr (Lanes > 1)
    forEachTile<1, Lanes / 2>(column, k, visit);
}

/// The sum of a vector's lanes.
template <class T, int Lanes> SPC_INLINE T sumOfLanes(Vector<T, Lanes> vector) {
  if constexpr (Lanes == 1) {
    return vector;
  } else {
    T sum = vector[0];
    SPC_UNROLL for (int lane = 1; lane < Lanes; ++lane) sum += vector[lane];
    return sum;
  }
}

/// Where chunk `chunk` of `chunks` of about equal work begins, an item's work being 1 and what it owns.
inline int64_t chunkBegin(const int32_t *pointers, int64_t count, int64_t chunk, int64_t chunks) {
  if (chunk >= chunks)
    return count;
  const int64_t wanted = (int64_t(pointers[count]) - pointers[0] + count) * chunk / chunks;
  int64_t low = 0, high = count;
  while (low < high) {
    const int64_t middle = (low + high) / 2;
    if (int64_t(pointers[middle]) - pointers[0] + middle < wanted)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/// Calls body(begin, end) for chunks of about equal work: one on one thread, else 16 a thread, taken dynamically.
template <class Body> void forChunks(int threads, const int32_t *pointers, int64_t count, const Body &body) {
  struct Closure {
    const Body &body;
    const int32_t *pointers;
    int64_t count, chunks;
  } closure{body, pointers, count, threads == 1 ? 1 : 16 * int64_t(threads)};
  auto task = [](void *data, int64_t chunk) {
    const Closure &c = *static_cast<Closure *>(data);
    c.body(chunkBegin(c.pointers, c.count, chunk, c.chunks), chunkBegin(c.pointers, c.count, chunk + 1, c.chunks));
  };
  runParallel(threads, closure.chunks, task, &closure);
}

} // namespace values::SPC_HAND
