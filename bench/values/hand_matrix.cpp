// SpMV, SpMM and SDDMM in CSR, written by hand. What makes them fast: a tile of the output's row stays in registers for
// all entries of the row; of a dot product several are under way at once.
#include "hand_matrix.h"
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

template <class T> void spmvScalar(const View<T> &a, const T *__restrict x, T *__restrict y, int threads) {
  forChunks(threads, a.pointers, a.rows, [=](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      T sums[4] = {};
      int32_t p = a.pointers[i];
      const int32_t last = a.pointers[i + 1];
      for (; p + 4 <= last; p += 4) {
        SPC_UNROLL for (int u = 0; u < 4; ++u) sums[u] += a.values[p + u] * x[a.indices[p + u]];
      }
      for (; p < last; ++p)
        sums[0] += a.values[p] * x[a.indices[p]];
      y[i] = (sums[0] + sums[1]) + (sums[2] + sums[3]);
    }
  });
}

template <class T> void spmvSimd(const View<T> &a, const T *__restrict x, T *__restrict y, int threads) {
  forChunks(threads, a.pointers, a.rows, [=](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      T sum = 0;
#pragma omp simd reduction(+ : sum)
      for (int32_t p = a.pointers[i]; p < a.pointers[i + 1]; ++p)
        sum += a.values[p] * x[a.indices[p]];
      y[i] = sum;
    }
  });
}

/// How many entries ahead the rows of a dense operand are asked for.
constexpr int32_t kAhead = 6;

/// Columns [0, Vectors * Lanes) of row i of C; b and c point at the first of them.
template <class T, int Vectors, int Lanes, bool Prefetch>
SPC_INLINE void spmmTile(const View<T> &a, const T *b, T *c, int64_t k, int64_t i, int32_t last) {
  Vector<T, Lanes> sums[Vectors];
  SPC_UNROLL for (int v = 0; v < Vectors; ++v) sums[v] = Vector<T, Lanes>{};
  for (int32_t p = a.pointers[i]; p < a.pointers[i + 1]; ++p) {
    if constexpr (Prefetch)
      prefetch<Vectors * Lanes *int(sizeof(T))>(b + int64_t(a.indices[p + kAhead < last ? p + kAhead : p]) * k);
    const T *row = b + int64_t(a.indices[p]) * k;
    const T value = a.values[p];
    SPC_UNROLL for (int v = 0; v < Vectors; ++v) sums[v] += value * load<T, Lanes>(row + v * Lanes);
  }
  SPC_UNROLL for (int v = 0; v < Vectors; ++v) store<T, Lanes>(c + i * k + v * Lanes, sums[v]);
}

/// A row's tiles one after the other, or a tile's rows.
template <class T, bool Prefetch, bool RowsOutside>
void spmm(const View<T> &a, const T *b, T *c, int64_t k, int threads) {
  forChunks(threads, a.pointers, a.rows, [=](int64_t begin, int64_t end) {
    const int32_t last = a.pointers[end];
    if constexpr (RowsOutside) {
      for (int64_t i = begin; i < end; ++i)
        forEachTile<kTileVectors, kLanes<T>>(0, k, [&]<int Vectors, int Lanes>(int64_t column) {
          spmmTile<T, Vectors, Lanes, Prefetch>(a, b + column, c + column, k, i, last);
        });
    } else {
      forEachTile<kTileVectors, kLanes<T>>(0, k, [&]<int Vectors, int Lanes>(int64_t column) {
        for (int64_t i = begin; i < end; ++i)
          spmmTile<T, Vectors, Lanes, Prefetch>(a, b + column, c + column, k, i, last);
      });
    }
  });
}

/// Adds to Count sums the products of `left` with as many rows of `right`, vector by vector.
template <class T, int Count, int Lanes>
SPC_INLINE void addProducts(T (&sums)[Count], const T *left, const T *const (&right)[Count], int64_t k) {
  constexpr int chains = Count >= 4 ? 2 : 4; // so many additions are under way that none waits for another
  int64_t l = 0;
  if (k >= Lanes) {
    Vector<T, Lanes> partial[chains][Count];
    SPC_UNROLL for (int chain = 0; chain < chains; ++chain) {
      SPC_UNROLL for (int u = 0; u < Count; ++u) partial[chain][u] = Vector<T, Lanes>{};
    }
    for (; l + chains * Lanes <= k; l += chains * Lanes) {
      SPC_UNROLL for (int chain = 0; chain < chains; ++chain) {
        const Vector<T, Lanes> factor = load<T, Lanes>(left + l + chain * Lanes);
        SPC_UNROLL for (int u = 0; u < Count; ++u) partial[chain][u] +=
            factor * load<T, Lanes>(right[u] + l + chain * Lanes);
      }
    }
    for (; l + Lanes <= k; l += Lanes) {
      const Vector<T, Lanes> factor = load<T, Lanes>(left + l);
      SPC_UNROLL for (int u = 0; u < Count; ++u) partial[0][u] += factor * load<T, Lanes>(right[u] + l);
    }
    SPC_UNROLL for (int u = 0; u < Count; ++u) {
      Vector<T, Lanes> sum = partial[0][u];
      SPC_UNROLL for (int chain = 1; chain < chains; ++chain) sum += partial[chain][u];
      sums[u] += sumOfLanes<T, Lanes>(sum);
    }
  }
  for (; l < k; ++l) {
    SPC_UNROLL for (int u = 0; u < Count; ++u) sums[u] += left[l] * right[u][l];
  }
}

/// Entries p to p + Count - 1, all of one row, of which `left` is the operand's.
template <class T, int Count, bool Prefetch>
SPC_INLINE void sddmmEntries(const View<T> &s, const T *left, const T *b, T *out, int64_t k, int32_t p, int32_t last) {
  const T *right[Count];
  T sums[Count] = {};
  SPC_UNROLL for (int u = 0; u < Count; ++u) {
    right[u] = b + int64_t(s.indices[p + u]) * k;
    if constexpr (Prefetch) {
      const int32_t ahead = p + u + 8 < last ? p + u + 8 : p + u;
      const char *row = reinterpret_cast<const char *>(b + int64_t(s.indices[ahead]) * k);
      for (int64_t byte = 0; byte < k * int64_t(sizeof(T)); byte += 64)
        __builtin_prefetch(row + byte, 0, 3);
    }
  }
  addProducts<T, Count, kLanes<T>>(sums, left, right, k);
  SPC_UNROLL for (int u = 0; u < Count; ++u) out[p + u] = s.values[p + u] * sums[u];
}

template <class T, int Group, bool Prefetch, int64_t FixedWidth>
void sddmm(const View<T> &s, const T *a, const T *b, T *out, int64_t width, int threads) {
  const int64_t k = FixedWidth ? FixedWidth : width;
  forChunks(threads, s.pointers, s.rows, [=](int64_t begin, int64_t end) {
    const int32_t last = s.pointers[end];
    for (int64_t i = begin; i < end; ++i) {
      int32_t p = s.pointers[i];
      for (; p + Group <= s.pointers[i + 1]; p += Group)
        sddmmEntries<T, Group, Prefetch>(s, a + i * k, b, out, k, p, last);
      for (; p < s.pointers[i + 1]; ++p)
        sddmmEntries<T, 1, Prefetch>(s, a + i * k, b, out, k, p, last);
    }
  });
}

/// With the width as a constant where it is a usual one.
template <class T, int Group, bool Prefetch>
void sddmmOfWidth(const View<T> &s, const T *a, const T *b, T *out, int64_t k, int threads) {
  if (k == 16)
    sddmm<T, Group, Prefetch, 16>(s, a, b, out, k, threads);
  else if (k == 64)
    sddmm<T, Group, Prefetch, 64>(s, a, b, out, k, threads);
  else
    sddmm<T, Group, Prefetch, 0>(s, a, b, out, k, threads);
}

template <class T> void addSpmv(Contenders<T> &contenders, const Problem<T> &problem, int threads) {
  const View<T> a = viewOf(*problem.sparse);
  const T *x = problem.right.data();
  T *y = problem.result.data();
  contenders.push_back({"hand", SPC_HAND_NAME " scalar", [=] { spmvScalar(a, x, y, threads); }});
  contenders.push_back({"hand", SPC_HAND_NAME " simd", [=] { spmvSimd(a, x, y, threads); }});
}

template <class T> void addSpmm(Contenders<T> &contenders, const Problem<T> &problem, int threads) {
  auto add = [&](const char *name, auto kernel) {
    const View<T> a = viewOf(*problem.sparse);
    const T *b = problem.right.data();
    T *c = problem.result.data();
    contenders.push_back({"hand", name, [=, k = problem.width] { kernel(a, b, c, k, threads); }});
  };
  add(SPC_HAND_NAME " rows", spmm<T, false, true>);
  add(SPC_HAND_NAME " rows prefetch", spmm<T, true, true>);
  if (problem.width <= kTileVectors * kLanes<T>)
    return; // one tile: there is nothing to reorder
  add(SPC_HAND_NAME " tiles", spmm<T, false, false>);
  add(SPC_HAND_NAME " tiles prefetch", spmm<T, true, false>);
}

template <class T> void addSddmm(Contenders<T> &contenders, const Problem<T> &problem, int threads) {
  auto add = [&](const char *name, auto kernel) {
    const View<T> s = viewOf(*problem.sparse);
    const T *a = problem.left.data(), *b = problem.right.data();
    T *out = problem.result.data();
    contenders.push_back({"hand", name, [=, k = problem.width] { kernel(s, a, b, out, k, threads); }});
  };
  add(SPC_HAND_NAME " 4", sddmmOfWidth<T, 4, false>);
  add(SPC_HAND_NAME " 4 prefetch", sddmmOfWidth<T, 4, true>);
  add(SPC_HAND_NAME " 2", sddmmOfWidth<T, 2, false>);
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
  }
}

template void addMatrixKernels(Contenders<double> &, const Problem<double> &, int);
template void addMatrixKernels(Contenders<float> &, const Problem<float> &, int);

} // namespace values::SPC_HAND
