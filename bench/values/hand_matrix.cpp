// SpMV, SpMM, SDDMM and a layer of a graph network in CSR, written by hand. What makes them fast: a tile of the
// output's row stays in registers for all entries of the row; several dot products are under way at once.
#include "hand_kernels.h"
#include "hand_vectors.h"

namespace values::SPC_HAND {
namespace {

template <class T> struct View {
  int64_t rows;
  const int32_t *pointers, *indices;
  const T *values;
};

template <class T> View<T> viewOf(const Csr<T> &a) {
  return {a.rows, a.pointers.data(), a.indices.data(), a.values.data()};
}

/// `Dot` sums values[p] * x[indices[p]] over [first, last).
template <class T, T Dot(const T *, const int32_t *, const T *, int32_t, int32_t)>
void spmv(const View<T> &a, const T *x, T *__restrict y, int threads) {
  forRows(threads, a.pointers, a.rows, [=](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i)
      y[i] = Dot(a.values, a.indices, x, a.pointers[i], a.pointers[i + 1]);
  });
}

/// Row by row, each in tiles.
template <class T, bool Prefetch> void spmm(const View<T> &a, const T *b, T *c, int64_t k, int threads) {
  forRows(threads, a.pointers, a.rows, [=](int64_t begin, int64_t end) {
    const int32_t last = a.pointers[end];
    for (int64_t i = begin; i < end; ++i)
      forEachTile<kTileVectors, kLanes<T>>(0, k, [&]<int Vectors, int Lanes>(int64_t column) {
        sumRowTile<T, Vectors, Lanes, Prefetch, kChains<Vectors>>(a.indices, a.values, a.pointers[i], a.pointers[i + 1],
                                                                  b + column, c + i * k + column, k, last);
      });
  });
}

/// Tile by tile, each for all rows, so that little stands between short rows.
template <class T, bool Prefetch> void spmmByTile(const View<T> &a, const T *b, T *c, int64_t k, int threads) {
  forRows(threads, a.pointers, a.rows, [=](int64_t begin, int64_t end) {
    forEachTile<kTileVectors, kLanes<T>>(0, k, [&]<int Vectors, int Lanes>(int64_t column) {
      const int32_t *__restrict pointers = a.pointers, *__restrict indices = a.indices, last = pointers[end];
      const T *__restrict values = a.values;
      T *out = c + begin * k + column;
      int32_t p = pointers[begin];
      for (int64_t i = begin; i < end; ++i, out += k) {
        const int32_t rowEnd = pointers[i + 1];
        sumRowTile<T, Vectors, Lanes, Prefetch, 1>(indices, values, p, rowEnd, b + column, out, k, last);
        p = rowEnd;
      }
    });
  });
}

/// Rows i to i + Rows - 1 of a tile of the product of dense matrices, x having kFeatures columns.
template <class T, int Rows, int Vectors, int Lanes>
SPC_INLINE void multiplyTile(const T *x, const T *w, T *y, int64_t k, int64_t i) {
  Vector<T, Lanes> sums[Rows][Vectors];
  SPC_UNROLL for (int r = 0; r < Rows; ++r) {
    SPC_UNROLL for (int v = 0; v < Vectors; ++v) sums[r][v] = Vector<T, Lanes>{};
  }
  for (int64_t l = 0; l < kFeatures; ++l) {
    SPC_UNROLL for (int v = 0; v < Vectors; ++v) {
      const Vector<T, Lanes> factor = load<T, Lanes>(w + l * k + v * Lanes);
      SPC_UNROLL for (int r = 0; r < Rows; ++r) sums[r][v] += x[(i + r) * kFeatures + l] * factor;
    }
  }
  SPC_UNROLL for (int r = 0; r < Rows; ++r) {
    SPC_UNROLL for (int v = 0; v < Vectors; ++v) store<T, Lanes>(y + (i + r) * k + v * Lanes, sums[r][v]);
  }
}

/// y = x w; x has `rows` rows.
template <class T> void multiplyDense(const T *x, const T *w, T *y, int64_t rows, int64_t k, int threads) {
  constexpr int height = 4, vectors = kTileVectors / height;
  forChunks(
      threads, rows, [](int64_t row) { return row; },
      [=](int64_t begin, int64_t end) {
        forEachTile<vectors, kLanes<T>>(0, k, [&]<int Vectors, int Lanes>(int64_t column) {
          int64_t i = begin;
          for (; i + height <= end; i += height)
            multiplyTile<T, height, Vectors, Lanes>(x, w + column, y + column, k, i);
          for (; i < end; ++i)
            multiplyTile<T, 1, Vectors, Lanes>(x, w + column, y + column, k, i);
        });
      });
}

/// The sums of the products of `left` with Count rows of `right`. LeftVectors: how many vectors `left` consists of; 0
/// where only `k` says it.
template <class T, int Count, int LeftVectors>
SPC_INLINE void addProducts(T (&sums)[Count], const T *left, const T *const (&right)[Count], int64_t k) {
  constexpr int lanes = kLanes<T>, chains = Count >= 4 ? 2 : 4; // so that additions do not wait for each other
  Vector<T, lanes> partial[chains][Count];
  SPC_UNROLL for (int chain = 0; chain < chains; ++chain) {
    SPC_UNROLL for (int u = 0; u < Count; ++u) partial[chain][u] = Vector<T, lanes>{};
  }
  auto addVector = [&](int64_t l, int chain) __attribute__((always_inline)) {
    const Vector<T, lanes> factor = load<T, lanes>(left + l);
    SPC_UNROLL for (int u = 0; u < Count; ++u) partial[chain][u] += factor * load<T, lanes>(right[u] + l);
  };
  int64_t l = 0;
  if constexpr (LeftVectors > 0) {
    SPC_UNROLL for (int v = 0; v < LeftVectors; ++v) addVector(v * lanes, v % chains);
    l = LeftVectors * lanes;
  } else {
    for (; l + chains * lanes <= k; l += chains * lanes) {
      SPC_UNROLL for (int chain = 0; chain < chains; ++chain) addVector(l + chain * lanes, chain);
    }
    for (; l + lanes <= k; l += lanes)
      addVector(l, 0);
  }
  SPC_UNROLL for (int chain = 1; chain < chains; ++chain) {
    SPC_UNROLL for (int u = 0; u < Count; ++u) partial[0][u] += partial[chain][u];
  }
  if constexpr (Count == 4 && lanes >= 4) {
    store<T, 4>(sums, sumsOfLanes<T, lanes>(partial[0]));
  } else {
    SPC_UNROLL for (int u = 0; u < Count; ++u) sums[u] = sumOfLanes<T, lanes>(partial[0][u]);
  }
  for (; l < k; ++l) {
    SPC_UNROLL for (int u = 0; u < Count; ++u) sums[u] += left[l] * right[u][l];
  }
}

/// Entries p to p + Count - 1, all of one row, of which `left` is the operand's.
template <class T, int Count, bool Prefetch, int LeftVectors>
SPC_INLINE void sddmmEntries(const View<T> &s, const T *left, const T *b, T *__restrict out, int64_t k, int32_t p,
                             int32_t last) {
  const T *right[Count];
  T sums[Count];
  SPC_UNROLL for (int u = 0; u < Count; ++u) {
    right[u] = b + int64_t(s.indices[p + u]) * k;
    if constexpr (Prefetch) {
      const int32_t ahead = p + u + 8 < last ? p + u + 8 : p + u;
      const char *row = reinterpret_cast<const char *>(b + int64_t(s.indices[ahead]) * k);
      for (int64_t byte = 0; byte < k * int64_t(sizeof(T)); byte += 64)
        __builtin_prefetch(row + byte, 0, 3);
    }
  }
  addProducts<T, Count, LeftVectors>(sums, left, right, k);
  SPC_UNROLL for (int u = 0; u < Count; ++u) out[p + u] = s.values[p + u] * sums[u];
}

/// With LeftVectors vectors a row, where that is not 0.
template <class T, bool Prefetch, int LeftVectors>
void sddmm(const View<T> &s, const T *a, const T *b, T *out, int64_t width, int threads) {
  const int64_t k = LeftVectors ? LeftVectors * kLanes<T> : width;
  forRows(threads, s.pointers, s.rows, [=](int64_t begin, int64_t end) {
    const int32_t last = s.pointers[end];
    for (int64_t i = begin; i < end; ++i) {
      const T *row = a + i * k;
      constexpr bool hold = LeftVectors > 0 && LeftVectors <= kTileVectors;
      T held[hold ? LeftVectors * kLanes<T> : 1]; // the row's operand, which then stays in registers
      if constexpr (hold) {
        SPC_UNROLL for (int v = 0; v < LeftVectors; ++v)
            store<T, kLanes<T>>(held + v * kLanes<T>, load<T, kLanes<T>>(row + v * kLanes<T>));
        row = held;
      }
      int32_t p = s.pointers[i];
      for (; p + 4 <= s.pointers[i + 1]; p += 4)
        sddmmEntries<T, 4, Prefetch, LeftVectors>(s, row, b, out, k, p, last);
      for (; p < s.pointers[i + 1]; ++p)
        sddmmEntries<T, 1, Prefetch, LeftVectors>(s, row, b, out, k, p, last);
    }
  });
}

/// With the number of vectors as a constant where it is a usual one.
template <class T, bool Prefetch>
void sddmmOfWidth(const View<T> &s, const T *a, const T *b, T *out, int64_t k, int threads) {
  const int64_t vectors = k % kLanes<T> ? 0 : k / kLanes<T>;
  if (vectors == 2)
    sddmm<T, Prefetch, 2>(s, a, b, out, k, threads);
  else if (vectors == 4)
    sddmm<T, Prefetch, 4>(s, a, b, out, k, threads);
  else if (vectors == 8)
    sddmm<T, Prefetch, 8>(s, a, b, out, k, threads);
  else if (vectors == 16)
    sddmm<T, Prefetch, 16>(s, a, b, out, k, threads);
  else
    sddmm<T, Prefetch, 0>(s, a, b, out, k, threads);
}

template <class T> void addSpmv(Contenders<T> &contenders, const Problem<T> &problem, int threads) {
  auto add = [&](const char *name, auto kernel) {
    const View<T> a = viewOf(*problem.sparse);
    const T *x = problem.right.data();
    T *y = problem.result.data();
    contenders.push_back({"hand", name, [=] { kernel(a, x, y, threads); }});
  };
  add(SPC_HAND_NAME " one sum", spmv<T, dotOneSum<T>>);
  add(SPC_HAND_NAME " four sums", spmv<T, dotFourSums<T>>);
  add(SPC_HAND_NAME " two vectors", spmv<T, dotTwoVectors<T>>);
  add(SPC_HAND_NAME " simd", spmv<T, dotSimd<T>>);
}

template <class T> void addSpmm(Contenders<T> &contenders, const Problem<T> &problem, int threads) {
  auto add = [&](const char *name, auto kernel) {
    const View<T> a = viewOf(*problem.sparse);
    const T *b = problem.right.data();
    T *c = problem.result.data();
    contenders.push_back({"hand", name, [=, k = problem.width] { kernel(a, b, c, k, threads); }});
  };
  add(SPC_HAND_NAME, spmm<T, false>);
  add(SPC_HAND_NAME " prefetch", spmm<T, true>);
  add(SPC_HAND_NAME " by tile", spmmByTile<T, false>);
  add(SPC_HAND_NAME " by tile prefetch", spmmByTile<T, true>);
}

template <class T> void addGcn(Contenders<T> &contenders, const Problem<T> &problem, int threads) {
  auto add = [&](const char *name, auto kernel) {
    const View<T> a = viewOf(*problem.sparse);
    const T *x = problem.left.data(), *w = problem.right.data();
    T *y = problem.scratch.data(), *h = problem.result.data();
    contenders.push_back({"hand", name, [=, k = problem.width, rows = problem.sparse->columns] {
                            multiplyDense(x, w, y, rows, k, threads);
                            kernel(a, y, h, k, threads);
                          }});
  };
  add(SPC_HAND_NAME, spmm<T, false>);
  add(SPC_HAND_NAME " prefetch", spmm<T, true>);
  add(SPC_HAND_NAME " by tile", spmmByTile<T, false>);
}

template <class T> void addSddmm(Contenders<T> &contenders, const Problem<T> &problem, int threads) {
  auto add = [&](const char *name, auto kernel) {
    const View<T> s = viewOf(*problem.sparse);
    const T *a = problem.left.data(), *b = problem.right.data();
    T *out = problem.result.data();
    contenders.push_back({"hand", name, [=, k = problem.width] { kernel(s, a, b, out, k, threads); }});
  };
  add(SPC_HAND_NAME, sddmmOfWidth<T, false>);
  add(SPC_HAND_NAME " prefetch", sddmmOfWidth<T, true>);
}

} // namespace

template <class T> void addMatrixKernels(Contenders<T> &contenders, const Problem<T> &problem, int threads) {
  switch (problem.kernel) {
  case Kernel::Spmv:
    return addSpmv(contenders, problem, threads);
  case Kernel::Spmm:
    return addSpmm(contenders, problem, threads);
  case Kernel::Sddmm:
    return addSddmm(contenders, problem, threads);
  case Kernel::Gcn:
    return addGcn(contenders, problem, threads);
  default:
    return;
  }
}

template void addMatrixKernels(Contenders<double> &, const Problem<double> &, int);
template void addMatrixKernels(Contenders<float> &, const Problem<float> &, int);

} // namespace values::SPC_HAND
