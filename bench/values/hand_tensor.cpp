// MTTKRP, TTV and TTM of a tensor of order 3 in CSF, written by hand. What the tensor does not reach is set to 0
// between slices or fibers, where it is in cache.
#include "hand_kernels.h"
#include "hand_vectors.h"

#include <algorithm>

namespace values::SPC_HAND {
namespace {

template <class T> struct View {
  int64_t shape[3], sliceCount;
  const int32_t *slices, *fiberPointers, *fibers, *entryPointers, *entries;
  const T *values;
};

template <class T> View<T> viewOf(const Csf<T> &t) {
  return {{t.shape[0], t.shape[1], t.shape[2]},
          int64_t(t.slices.size()),
          t.slices.data(),
          t.fiberPointers.data(),
          t.fibers.data(),
          t.entryPointers.data(),
          t.entries.data(),
          t.values.data()};
}

/// Calls body(slice) for all slices, in chunks of about equal numbers of entries. `clear(i, j)` is called before, for
/// the coordinates i to j - 1 that no slice has.
template <class T, class Body, class Clear>
void forSlices(const View<T> &t, int threads, const Body &body, const Clear &clear) {
  auto work = [&](int64_t slice) { return int64_t(t.entryPointers[t.fiberPointers[slice]]) + slice; };
  forChunks(threads, t.sliceCount, work, [&](int64_t begin, int64_t end) {
    for (int64_t slice = begin; slice < end; ++slice) {
      clear(slice ? t.slices[slice - 1] + 1 : 0, t.slices[slice]);
      body(slice);
    }
    if (end == t.sliceCount && begin < end)
      clear(t.slices[end - 1] + 1, t.shape[0]);
  });
}

/// Adds to `sums` the entries of a fiber, each times its row of `right`.
template <class T, int Vectors, int Lanes, bool Prefetch>
SPC_INLINE void addFiber(Vector<T, Lanes> (&sums)[Vectors], const View<T> &t, int32_t fiber, const T *right,
                         int64_t width, int32_t last) {
  constexpr int32_t ahead = 8;
  for (int32_t p = t.entryPointers[fiber]; p < t.entryPointers[fiber + 1]; ++p) {
    if constexpr (Prefetch)
      prefetch<Vectors * Lanes *int(sizeof(T))>(right + int64_t(t.entries[p + ahead < last ? p + ahead : p]) * width);
    const T *row = right + int64_t(t.entries[p]) * width;
    const T value = t.values[p];
    SPC_UNROLL for (int v = 0; v < Vectors; ++v) sums[v] += value * load<T, Lanes>(row + v * Lanes);
  }
}

/// Two tiles in registers: a slice's and a fiber's. left, right and out point at the tile's first column.
template <class T, int Vectors, int Lanes, bool Prefetch>
SPC_INLINE void mttkrpTile(const View<T> &t, int64_t slice, const T *left, const T *right, T *out, int64_t width) {
  const int32_t last = t.entryPointers[t.fiberPointers[t.sliceCount]];
  Vector<T, Lanes> sums[Vectors];
  SPC_UNROLL for (int v = 0; v < Vectors; ++v) sums[v] = Vector<T, Lanes>{};
  for (int32_t fiber = t.fiberPointers[slice]; fiber < t.fiberPointers[slice + 1]; ++fiber) {
    Vector<T, Lanes> inner[Vectors];
    SPC_UNROLL for (int v = 0; v < Vectors; ++v) inner[v] = Vector<T, Lanes>{};
    addFiber<T, Vectors, Lanes, Prefetch>(inner, t, fiber, right, width, last);
    const T *row = left + int64_t(t.fibers[fiber]) * width;
    SPC_UNROLL for (int v = 0; v < Vectors; ++v) sums[v] += inner[v] * load<T, Lanes>(row + v * Lanes);
  }
  SPC_UNROLL for (int v = 0; v < Vectors; ++v) store<T, Lanes>(out + t.slices[slice] * width + v * Lanes, sums[v]);
}

/// With tiles of TileVectors vectors.
template <class T, int TileVectors, bool Prefetch>
void mttkrp(const View<T> &t, const T *left, const T *right, T *out, int64_t width, int threads) {
  forSlices(
      t, threads,
      [=](int64_t slice) {
        forEachTile<TileVectors, kLanes<T>>(0, width, [&]<int Vectors, int Lanes>(int64_t column) {
          mttkrpTile<T, Vectors, Lanes, Prefetch>(t, slice, left + column, right + column, out + column, width);
        });
      },
      [=](int64_t begin, int64_t end) { std::fill(out + begin * width, out + end * width, T(0)); });
}

/// `Dot` is one of hand_vectors.h. A slice is set to 0 before its fibers are written, while that is in cache.
template <class T, T Dot(const T *, const int32_t *, const T *, int32_t, int32_t)>
void ttv(const View<T> &t, const T *x, T *out, int threads) {
  forSlices(
      t, threads,
      [=](int64_t slice) {
        T *__restrict row = out + t.slices[slice] * t.shape[1];
        std::fill(row, row + t.shape[1], T(0));
        for (int32_t fiber = t.fiberPointers[slice]; fiber < t.fiberPointers[slice + 1]; ++fiber)
          row[t.fibers[fiber]] = Dot(t.values, t.entries, x, t.entryPointers[fiber], t.entryPointers[fiber + 1]);
      },
      [=](int64_t begin, int64_t end) { std::fill(out + begin * t.shape[1], out + end * t.shape[1], T(0)); });
}

/// A fiber's tile stays in registers; what lies between fibers is set to 0.
template <class T, bool Prefetch> void ttm(const View<T> &t, const T *b, T *out, int64_t width, int threads) {
  const int32_t last = t.entryPointers[t.fiberPointers[t.sliceCount]];
  auto writeFiber = [=](int32_t fiber, T *element) {
    forEachTile<kTileVectors, kLanes<T>>(0, width, [&]<int Vectors, int Lanes>(int64_t column) {
      Vector<T, Lanes> sums[Vectors];
      SPC_UNROLL for (int v = 0; v < Vectors; ++v) sums[v] = Vector<T, Lanes>{};
      addFiber<T, Vectors, Lanes, Prefetch>(sums, t, fiber, b + column, width, last);
      SPC_UNROLL for (int v = 0; v < Vectors; ++v) store<T, Lanes>(element + column + v * Lanes, sums[v]);
    });
  };
  const int64_t rowSize = t.shape[1] * width;
  forSlices(
      t, threads,
      [=](int64_t slice) {
        T *row = out + t.slices[slice] * rowSize;
        int64_t done = 0;
        for (int32_t fiber = t.fiberPointers[slice]; fiber < t.fiberPointers[slice + 1]; ++fiber) {
          T *element = row + t.fibers[fiber] * width;
          std::fill(row + done, element, T(0));
          writeFiber(fiber, element);
          done = element - row + width;
        }
        std::fill(row + done, row + rowSize, T(0));
      },
      [=](int64_t begin, int64_t end) { std::fill(out + begin * rowSize, out + end * rowSize, T(0)); });
}

} // namespace

template <class T> void addTensorKernels(Contenders<T> &contenders, const Problem<T> &problem, int threads) {
  if (!problem.tensor)
    return;
  const View<T> t = viewOf(*problem.tensor);
  const T *left = problem.left.data(), *right = problem.right.data();
  T *out = problem.result.data();
  auto add = [&](const char *name, std::function<void()> run) { contenders.push_back({"hand", name, std::move(run)}); };
  const int64_t r = problem.width;
  switch (problem.kernel) {
  case Kernel::Mttkrp:
    add(SPC_HAND_NAME " small", [=] { mttkrp<T, kTileVectors / 2, false>(t, left, right, out, r, threads); });
    add(SPC_HAND_NAME " small prefetch", [=] { mttkrp<T, kTileVectors / 2, true>(t, left, right, out, r, threads); });
    add(SPC_HAND_NAME, [=] { mttkrp<T, kTileVectors, false>(t, left, right, out, r, threads); });
    add(SPC_HAND_NAME " prefetch", [=] { mttkrp<T, kTileVectors, true>(t, left, right, out, r, threads); });
    return;
  case Kernel::Ttv:
    add(SPC_HAND_NAME " one sum", [=] { ttv<T, dotOneSum<T>>(t, right, out, threads); });
    add(SPC_HAND_NAME " four sums", [=] { ttv<T, dotFourSums<T>>(t, right, out, threads); });
    add(SPC_HAND_NAME " two vectors", [=] { ttv<T, dotTwoVectors<T>>(t, right, out, threads); });
    add(SPC_HAND_NAME " simd", [=] { ttv<T, dotSimd<T>>(t, right, out, threads); });
    return;
  case Kernel::Ttm:
    add(SPC_HAND_NAME, [=] { ttm<T, false>(t, right, out, r, threads); });
    add(SPC_HAND_NAME " prefetch", [=] { ttm<T, true>(t, right, out, r, threads); });
    return;
  default:
    return;
  }
}

template void addTensorKernels(Contenders<double> &, const Problem<double> &, int);
template void addTensorKernels(Contenders<float> &, const Problem<float> &, int);

} // namespace values::SPC_HAND
