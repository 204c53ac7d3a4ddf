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

/// The sums of four vectors' lanes.
template <class T, int Lanes> SPC_INLINE Vector<T, 4> sumsOfLanes(const Vector<T, Lanes> (&vectors)[4]) {
  Vector<T, 4> parts[4];
  SPC_UNROLL for (int u = 0; u < 4; ++u) {
    if constexpr (Lanes == 16) {
      const Vector<T, 8> half = __builtin_shufflevector(vectors[u], vectors[u], 0, 1, 2, 3, 4, 5, 6, 7) +
                                __builtin_shufflevector(vectors[u], vectors[u], 8, 9, 10, 11, 12, 13, 14, 15);
      parts[u] = __builtin_shufflevector(half, half, 0, 1, 2, 3) + __builtin_shufflevector(half, half, 4, 5, 6, 7);
    } else if constexpr (Lanes == 8) {
      parts[u] = __builtin_shufflevector(vectors[u], vectors[u], 0, 1, 2, 3) +
                 __builtin_shufflevector(vectors[u], vectors[u], 4, 5, 6, 7);
    } else {
      parts[u] = vectors[u];
    }
  }
  const Vector<T, 4> low =
      __builtin_shufflevector(parts[0], parts[1], 0, 4, 2, 6) + __builtin_shufflevector(parts[0], parts[1], 1, 5, 3, 7);
  const Vector<T, 4> high =
      __builtin_shufflevector(parts[2], parts[3], 0, 4, 2, 6) + __builtin_shufflevector(parts[2], parts[3], 1, 5, 3, 7);
  return __builtin_shufflevector(low, high, 0, 1, 4, 5) + __builtin_shufflevector(low, high, 2, 3, 6, 7);
}

// Sparse dot products: values[p] * x[indices[p]] over [first, last), added up in one sum, in four, in two vectors whose
// factors are put together element by element, or as the compiler makes vectors of it (with gathers, where it has
// them).

template <class T>
SPC_INLINE T dotOneSum(const T *values, const int32_t *indices, const T *x, int32_t first, int32_t last) {
  T sum = 0;
  for (int32_t p = first; p < last; ++p)
    sum += values[p] * x[indices[p]];
  return sum;
}

template <class T>
SPC_INLINE T dotFourSums(const T *values, const int32_t *indices, const T *x, int32_t first, int32_t last) {
  T sums[4] = {};
  int32_t p = first;
  for (; p + 4 <= last; p += 4) {
    SPC_UNROLL for (int u = 0; u < 4; ++u) sums[u] += values[p + u] * x[indices[p + u]];
  }
  for (; p < last; ++p)
    sums[0] += values[p] * x[indices[p]];
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

template <class T>
SPC_INLINE T dotTwoVectors(const T *values, const int32_t *indices, const T *x, int32_t first, int32_t last) {
  constexpr int lanes = kLanes<T>;
  Vector<T, lanes> sums[2] = {};
  auto add = [&](int32_t p, int chain) __attribute__((always_inline)) {
    Vector<T, lanes> factors;
    SPC_UNROLL for (int lane = 0; lane < lanes; ++lane) factors[lane] = x[indices[p + lane]];
    sums[chain] += load<T, lanes>(values + p) * factors;
  };
  int32_t p = first;
  for (; p + 2 * lanes <= last; p += 2 * lanes)
    add(p, 0), add(p + lanes, 1);
  if (p + lanes <= last) {
    add(p, 0);
    p += lanes;
  }
  T sum = 0;
  for (; p < last; ++p)
    sum += values[p] * x[indices[p]];
  return sum + sumOfLanes<T, lanes>(sums[0] + sums[1]);
}

template <class T>
SPC_INLINE T dotSimd(const T *values, const int32_t *indices, const T *x, int32_t first, int32_t last) {
  T sum = 0;
#pragma omp simd reduction(+ : sum)
  for (int32_t p = first; p < last; ++p)
    sum += values[p] * x[indices[p]];
  return sum;
}

/// Where chunk `chunk` of `chunks` of about equal work begins; `work(n)` is the work of the first n of `count` items.
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

/// Calls body(begin, end) for chunks of about equal work: one on one thread, else 16 a thread, taken dynamically.
template <class Work, class Body> void forChunks(int threads, int64_t count, const Work &work, const Body &body) {
  struct Closure {
    const Work &work;
    const Body &body;
    int64_t count, chunks;
  } closure{work, body, count, threads == 1 ? 1 : 16 * int64_t(threads)};
  auto task = [](void *data, int64_t chunk) {
    const Closure &c = *static_cast<Closure *>(data);
    c.body(chunkBegin(c.count, chunk, c.chunks, c.work), chunkBegin(c.count, chunk + 1, c.chunks, c.work));
  };
  runParallel(threads, closure.chunks, task, &closure);
}

/// The same for rows, whose work is that of their entries and themselves.
template <class Body> void forRows(int threads, const int32_t *pointers, int64_t rows, const Body &body) {
  forChunks(threads, rows, [=](int64_t row) { return int64_t(pointers[row]) + row; }, body);
}

/// How many sets of sums a tile of so many vectors needs, so that additions do not wait for each other.
template <int Vectors> inline constexpr int kChains = Vectors >= 4 ? 1 : 4 / Vectors;

/// A tile of C = A B in CSR: columns [0, Vectors * Lanes) of the row that begins at `c` and has entries [p, end); b
/// points at the first of the columns too. The sums stay in registers for all entries of the row, in Chains sets. With
/// Prefetch, rows of B are asked for a few entries ahead, up to `last`.
template <class T, int Vectors, int Lanes, bool Prefetch, int Chains>
SPC_INLINE void sumRowTile(const int32_t *indices, const T *values, int32_t p, int32_t end, const T *b, T *c, int64_t k,
                           int32_t last) {
  constexpr int32_t ahead = 6;
  Vector<T, Lanes> sums[Chains][Vectors];
  SPC_UNROLL for (int chain = 0; chain < Chains; ++chain) {
    SPC_UNROLL for (int v = 0; v < Vectors; ++v) sums[chain][v] = Vector<T, Lanes>{};
  }
  auto addEntry = [&](int32_t p, int chain) __attribute__((always_inline)) {
    if constexpr (Prefetch)
      prefetch<Vectors * Lanes *int(sizeof(T))>(b + int64_t(indices[p + ahead < last ? p + ahead : p]) * k);
    const T *row = b + int64_t(indices[p]) * k;
    const T value = values[p];
    SPC_UNROLL for (int v = 0; v < Vectors; ++v) sums[chain][v] += value * load<T, Lanes>(row + v * Lanes);
  };
  if constexpr (Chains > 1) {
    for (; p + Chains <= end; p += Chains) {
      SPC_UNROLL for (int chain = 0; chain < Chains; ++chain) addEntry(p + chain, chain);
    }
  }
  for (; p < end; ++p)
    addEntry(p, 0);
  SPC_UNROLL for (int v = 0; v < Vectors; ++v) {
    Vector<T, Lanes> sum = sums[0][v];
    SPC_UNROLL for (int chain = 1; chain < Chains; ++chain) sum += sums[chain][v];
    store<T, Lanes>(c + v * Lanes, sum);
  }
}

} // namespace values::SPC_HAND
