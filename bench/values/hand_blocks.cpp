// SpMV and SpMM in blocks of 8 x 8, written by hand: a sum for each row of a block row, or for each of a tile of them,
// stays in registers for all of its blocks.
#include "hand_kernels.h"
#include "hand_vectors.h"

namespace values::SPC_HAND {
namespace {

template <class T> struct View {
  int64_t blockRows;
  const int32_t *pointers, *indices;
  const T *values;
};

template <class T> View<T> viewOf(const Bsr<T> &a) {
  return {a.rows / kBlock, a.pointers.data(), a.indices.data(), a.values.data()};
}

template <class T> void multiplyVector(const View<T> &a, const T *x, T *__restrict y, int threads) {
  constexpr int lanes = kLanes<T> < kBlock ? kLanes<T> : kBlock;
  forRows(threads, a.pointers, a.blockRows, [=](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      Vector<T, lanes> sums[kBlock];
      SPC_UNROLL for (int row = 0; row < kBlock; ++row) sums[row] = Vector<T, lanes>{};
      for (int32_t p = a.pointers[i]; p < a.pointers[i + 1]; ++p) {
        const T *block = a.values + int64_t(p) * kBlock * kBlock;
        SPC_UNROLL for (int column = 0; column < kBlock; column += lanes) {
          const Vector<T, lanes> factor = load<T, lanes>(x + int64_t(a.indices[p]) * kBlock + column);
          SPC_UNROLL for (int row = 0; row < kBlock; ++row) sums[row] +=
              factor * load<T, lanes>(block + row * kBlock + column);
        }
      }
      T *to = y + i * kBlock;
      if constexpr (lanes >= 4) {
        store<T, 4>(to, sumsOfLanes<T, lanes>({sums[0], sums[1], sums[2], sums[3]}));
        store<T, 4>(to + 4, sumsOfLanes<T, lanes>({sums[4], sums[5], sums[6], sums[7]}));
      } else {
        SPC_UNROLL for (int row = 0; row < kBlock; ++row) to[row] = sumOfLanes<T, lanes>(sums[row]);
      }
    }
  });
}

/// Rows [0, Rows) of block row i and columns [0, Vectors * Lanes) of C; values, b and c point at the first of them.
template <class T, int Rows, int Vectors, int Lanes>
SPC_INLINE void sumTile(const View<T> &a, const T *values, const T *b, T *c, int64_t k, int64_t i) {
  Vector<T, Lanes> sums[Rows][Vectors];
  SPC_UNROLL for (int row = 0; row < Rows; ++row) {
    SPC_UNROLL for (int v = 0; v < Vectors; ++v) sums[row][v] = Vector<T, Lanes>{};
  }
  for (int32_t p = a.pointers[i]; p < a.pointers[i + 1]; ++p) {
    const T *block = values + int64_t(p) * kBlock * kBlock, *rows = b + int64_t(a.indices[p]) * kBlock * k;
    SPC_UNROLL for (int column = 0; column < kBlock; ++column) {
      SPC_UNROLL for (int v = 0; v < Vectors; ++v) {
        const Vector<T, Lanes> factor = load<T, Lanes>(rows + column * k + v * Lanes);
        SPC_UNROLL for (int row = 0; row < Rows; ++row) sums[row][v] += block[row * kBlock + column] * factor;
      }
    }
  }
  SPC_UNROLL for (int row = 0; row < Rows; ++row) {
    SPC_UNROLL for (int v = 0; v < Vectors; ++v) store<T, Lanes>(c + (i * kBlock + row) * k + v * Lanes, sums[row][v]);
  }
}

template <class T> void multiplyMatrix(const View<T> &a, const T *b, T *c, int64_t k, int threads) {
  constexpr int height = kTileVectors / 2 < kBlock ? kTileVectors / 2 : kBlock;
  forRows(threads, a.pointers, a.blockRows, [=](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i)
      forEachTile<2, kLanes<T>>(0, k, [&]<int Vectors, int Lanes>(int64_t column) {
        for (int row = 0; row < kBlock; row += height)
          sumTile<T, height, Vectors, Lanes>(a, a.values + row * kBlock, b + column, c + row * k + column, k, i);
      });
  });
}

} // namespace

template <class T> void addBlockKernels(Contenders<T> &contenders, const Problem<T> &problem, int threads) {
  if (problem.kernel != Kernel::BsrSpmv && problem.kernel != Kernel::BsrSpmm)
    return;
  const View<T> a = viewOf(*problem.blocks);
  const T *b = problem.right.data();
  T *c = problem.result.data();
  if (problem.kernel == Kernel::BsrSpmv)
    contenders.push_back({"hand", SPC_HAND_NAME, [=] { multiplyVector(a, b, c, threads); }});
  else
    contenders.push_back({"hand", SPC_HAND_NAME, [=, k = problem.width] { multiplyMatrix(a, b, c, k, threads); }});
}

template void addBlockKernels(Contenders<double> &, const Problem<double> &, int);
template void addBlockKernels(Contenders<float> &, const Problem<float> &, int);

} // namespace values::SPC_HAND
