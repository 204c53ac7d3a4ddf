// The loops that TACO's published schedules come to, written for this bench: not TACO's own output. ../README.md says
// which. As there, names follow the levels: pos and crd of one of them; counters have 32 bits.
#include "hand_kernels.h"

#include <algorithm>

namespace values::SPC_HAND {
namespace {

constexpr int32_t kChunk = 16; ///< rows or fibers that a schedule splits off for a thread
constexpr int32_t kUnroll = 8; ///< entries that it splits off for vectors

template <class T> struct Operands {
  int32_t width = 1, second = 0;                  ///< columns of dense operands; the tensor's second extent
  int32_t rows = 0, slices = 0, fibers = 0;       ///< rows: of blocks where the matrix is in blocks
  const int32_t *crd1 = nullptr, *pos2 = nullptr; ///< of a tensor: slices and their fibers
  const int32_t *crd2 = nullptr;                  ///< of a tensor: fibers
  const int32_t *pos = nullptr, *crd = nullptr;   ///< of entries or blocks
  const T *values = nullptr, *left = nullptr, *right = nullptr;
  T *out = nullptr;
};

/// The body of a parallel loop, for [begin, end) of its rows, slices or chunks.
template <class T> using Loops = void(const Operands<T> &, int32_t begin, int32_t end);

template <class T> void spmvPlain(const Operands<T> &o, int32_t begin, int32_t end) {
  const int32_t *__restrict pos = o.pos, *__restrict crd = o.crd;
  const T *__restrict values = o.values, *__restrict x = o.right;
  T *__restrict y = o.out;
  for (int32_t i = begin; i < end; i++) {
    T sum = 0;
    for (int32_t p = pos[i]; p < pos[i + 1]; p++)
      sum += values[p] * x[crd[p]];
    y[i] = sum;
  }
}

template <class T> void spmvSchedule(const Operands<T> &o, int32_t begin, int32_t end) {
  for (int32_t i0 = begin; i0 < end; i0++)
    spmvPlain(o, i0 * kChunk, std::min(i0 * kChunk + kChunk, o.rows));
}

template <class T> void spmmPlain(const Operands<T> &o, int32_t begin, int32_t end) {
  const int32_t *__restrict pos = o.pos, *__restrict crd = o.crd;
  const T *__restrict values = o.values, *__restrict b = o.right;
  T *__restrict c = o.out;
  const int32_t width = o.width;
  for (int32_t i = begin; i < end; i++)
    for (int32_t p = pos[i]; p < pos[i + 1]; p++) {
      const int32_t j = crd[p];
      for (int32_t k = 0; k < width; k++)
        c[i * width + k] += values[p] * b[j * width + k];
    }
}

/// Entries in eights, between the columns and them the loop over columns, as vectors.
template <class T> void spmmSchedule(const Operands<T> &o, int32_t begin, int32_t end) {
  const int32_t *__restrict pos = o.pos, *__restrict crd = o.crd;
  const T *__restrict values = o.values, *__restrict b = o.right;
  T *__restrict c = o.out;
  const int32_t width = o.width;
  for (int32_t i = begin * kChunk; i < std::min(end * kChunk, o.rows); i++)
    for (int32_t p0 = pos[i] / kUnroll; p0 < (pos[i + 1] + kUnroll - 1) / kUnroll; p0++) {
      const int32_t first = p0 * kUnroll;
      if (first < pos[i] || first + kUnroll > pos[i + 1]) {
        for (int32_t k = 0; k < width; k++)
          for (int32_t p = std::max(first, pos[i]); p < std::min(first + kUnroll, pos[i + 1]); p++)
            c[i * width + k] += values[p] * b[crd[p] * width + k];
        continue;
      }
#pragma omp simd
      for (int32_t k = 0; k < width; k++)
        for (int32_t p1 = 0; p1 < kUnroll; p1++)
          c[i * width + k] += values[first + p1] * b[crd[first + p1] * width + k];
    }
}

template <class T> void sddmmPlain(const Operands<T> &o, int32_t begin, int32_t end) {
  const int32_t *__restrict pos = o.pos, *__restrict crd = o.crd;
  const T *__restrict values = o.values, *__restrict a = o.left, *__restrict b = o.right;
  T *__restrict d = o.out;
  const int32_t width = o.width;
  for (int32_t i = begin; i < end; i++)
    for (int32_t p = pos[i]; p < pos[i + 1]; p++) {
      const int32_t j = crd[p];
      T sum = 0;
      for (int32_t k = 0; k < width; k++)
        sum += values[p] * a[i * width + k] * b[j * width + k];
      d[p] = sum;
    }
}

/// Entries in eights, which are the vectors, inside of the loop over columns.
template <class T> void sddmmSchedule(const Operands<T> &o, int32_t begin, int32_t end) {
  const int32_t *__restrict pos = o.pos, *__restrict crd = o.crd;
  const T *__restrict values = o.values, *__restrict a = o.left, *__restrict b = o.right;
  T *__restrict d = o.out;
  const int32_t width = o.width;
  for (int32_t i = begin * kChunk; i < std::min(end * kChunk, o.rows); i++)
    for (int32_t p0 = pos[i] / kUnroll; p0 < (pos[i + 1] + kUnroll - 1) / kUnroll; p0++) {
      const int32_t first = p0 * kUnroll;
      if (first < pos[i] || first + kUnroll > pos[i + 1]) {
        for (int32_t k = 0; k < width; k++)
          for (int32_t p = std::max(first, pos[i]); p < std::min(first + kUnroll, pos[i + 1]); p++)
            d[p] += values[p] * a[i * width + k] * b[crd[p] * width + k];
        continue;
      }
      for (int32_t k = 0; k < width; k++) {
#pragma omp simd
        for (int32_t p1 = 0; p1 < kUnroll; p1++)
          d[first + p1] += values[first + p1] * a[i * width + k] * b[crd[first + p1] * width + k];
      }
    }
}

template <class T> void blocksPlain(const Operands<T> &o, int32_t begin, int32_t end) {
  const int32_t *__restrict pos = o.pos, *__restrict crd = o.crd;
  const T *__restrict values = o.values, *__restrict x = o.right;
  T *__restrict y = o.out;
  for (int32_t i = begin; i < end; i++)
    for (int32_t p = pos[i]; p < pos[i + 1]; p++)
      for (int32_t row = 0; row < kBlock; row++) {
        T sum = 0;
        for (int32_t column = 0; column < kBlock; column++)
          sum += values[(p * kBlock + row) * kBlock + column] * x[crd[p] * kBlock + column];
        y[i * kBlock + row] += sum;
      }
}

template <class T> void mttkrpPlain(const Operands<T> &o, int32_t begin, int32_t end) {
  const int32_t *__restrict pos2 = o.pos2, *__restrict crd2 = o.crd2, *__restrict pos = o.pos, *__restrict crd = o.crd;
  const T *__restrict values = o.values, *__restrict b = o.left, *__restrict c = o.right;
  T *__restrict m = o.out;
  const int32_t width = o.width;
  for (int32_t s = begin; s < end; s++)
    for (int32_t f = pos2[s]; f < pos2[s + 1]; f++)
      for (int32_t p = pos[f]; p < pos[f + 1]; p++)
        for (int32_t r = 0; r < width; r++)
          m[o.crd1[s] * width + r] += values[p] * b[crd2[f] * width + r] * c[crd[p] * width + r];
}

/// A fiber's sums in a workspace.
template <class T> void mttkrpWorkspace(const Operands<T> &o, int32_t begin, int32_t end) {
  const int32_t *__restrict pos2 = o.pos2, *__restrict crd2 = o.crd2, *__restrict pos = o.pos, *__restrict crd = o.crd;
  const T *__restrict values = o.values, *__restrict b = o.left, *__restrict c = o.right;
  T *__restrict m = o.out;
  const int32_t width = o.width;
  std::vector<T> memory(width);
  T *__restrict w = memory.data();
  for (int32_t s = begin; s < end; s++)
    for (int32_t f = pos2[s]; f < pos2[s + 1]; f++) {
      for (int32_t r = 0; r < width; r++)
        w[r] = 0;
      for (int32_t p = pos[f]; p < pos[f + 1]; p++)
        for (int32_t r = 0; r < width; r++)
          w[r] += values[p] * c[crd[p] * width + r];
      for (int32_t r = 0; r < width; r++)
        m[o.crd1[s] * width + r] += w[r] * b[crd2[f] * width + r];
    }
}

template <class T> void ttvPlain(const Operands<T> &o, int32_t begin, int32_t end) {
  const int32_t *__restrict pos2 = o.pos2, *__restrict crd2 = o.crd2, *__restrict pos = o.pos, *__restrict crd = o.crd;
  const T *__restrict values = o.values, *__restrict x = o.right;
  T *__restrict y = o.out;
  for (int32_t s = begin; s < end; s++)
    for (int32_t f = pos2[s]; f < pos2[s + 1]; f++) {
      T sum = 0;
      for (int32_t p = pos[f]; p < pos[f + 1]; p++)
        sum += values[p] * x[crd[p]];
      y[o.crd1[s] * o.second + crd2[f]] = sum;
    }
}

/// Calls visit(f, place) for the fibers of chunks [begin, end), `place` being that of the fiber in the output; the
/// slice is searched for at a chunk's begin.
template <class T, class Visit>
void forFiberChunks(const Operands<T> &o, int32_t begin, int32_t end, const Visit &visit) {
  for (int32_t chunk = begin; chunk < end; chunk++) {
    int32_t s = int32_t(std::upper_bound(o.pos2, o.pos2 + o.slices, chunk * kChunk) - o.pos2) - 1;
    for (int32_t f = chunk * kChunk; f < std::min(chunk * kChunk + kChunk, o.fibers); f++) {
      while (f == o.pos2[s + 1])
        s++;
      visit(f, o.crd1[s] * o.second + o.crd2[f]);
    }
  }
}

template <class T> void ttvSchedule(const Operands<T> &o, int32_t begin, int32_t end) {
  const int32_t *__restrict pos = o.pos, *__restrict crd = o.crd;
  const T *__restrict values = o.values, *__restrict x = o.right;
  T *__restrict y = o.out;
  forFiberChunks(o, begin, end, [=](int32_t f, int32_t place) {
    T sum = 0;
    for (int32_t p = pos[f]; p < pos[f + 1]; p++)
      sum += values[p] * x[crd[p]];
    y[place] = sum;
  });
}

template <class T> void ttmPlain(const Operands<T> &o, int32_t begin, int32_t end) {
  const int32_t *__restrict pos2 = o.pos2, *__restrict crd2 = o.crd2, *__restrict pos = o.pos, *__restrict crd = o.crd;
  const T *__restrict values = o.values, *__restrict b = o.right;
  T *__restrict y = o.out;
  const int32_t width = o.width;
  for (int32_t s = begin; s < end; s++)
    for (int32_t f = pos2[s]; f < pos2[s + 1]; f++) {
      const int32_t place = (o.crd1[s] * o.second + crd2[f]) * width;
      for (int32_t p = pos[f]; p < pos[f + 1]; p++)
        for (int32_t r = 0; r < width; r++)
          y[place + r] += values[p] * b[crd[p] * width + r];
    }
}

/// Entries in eights, which are the vectors, inside of the loop over columns.
template <class T> void ttmSchedule(const Operands<T> &o, int32_t begin, int32_t end) {
  const int32_t *__restrict pos = o.pos, *__restrict crd = o.crd;
  const T *__restrict values = o.values, *__restrict b = o.right;
  T *__restrict y = o.out;
  const int32_t width = o.width;
  forFiberChunks(o, begin, end, [=](int32_t f, int32_t place) {
    for (int32_t p0 = pos[f]; p0 < pos[f + 1]; p0 += kUnroll)
      for (int32_t r = 0; r < width; r++) {
        T sum = 0;
        if (p0 + kUnroll > pos[f + 1]) {
          for (int32_t p = p0; p < pos[f + 1]; p++)
            sum += values[p] * b[crd[p] * width + r];
        } else {
#pragma omp simd reduction(+ : sum)
          for (int32_t p1 = 0; p1 < kUnroll; p1++)
            sum += values[p0 + p1] * b[crd[p0 + p1] * width + r];
        }
        y[place * width + r] += sum;
      }
  });
}

/// body(begin, end) for pieces of [0, count): an equal range for each thread where `grain` is 0, else `grain` at a
/// time, taken dynamically.
template <class Body> void forPieces(int threads, int64_t count, int64_t grain, const Body &body) {
  struct Closure {
    const Body &body;
    int64_t count, pieces;
  } closure{body, count, grain ? (count + grain - 1) / grain : threads};
  auto task = [](void *data, int64_t n) {
    const Closure &c = *static_cast<Closure *>(data);
    c.body(c.count * n / c.pieces, c.count * (n + 1) / c.pieces);
  };
  if (threads == 1)
    body(int64_t(0), count);
  else if (grain)
    runParallel(threads, closure.pieces, task, &closure);
  else
    runStatic(threads, threads, task, &closure);
}

template <class T> Operands<T> operandsOf(const Problem<T> &problem) {
  Operands<T> o;
  o.width = int32_t(problem.width);
  o.left = problem.left.data(), o.right = problem.right.data();
  o.out = problem.result.data();
  if (problem.tensor) {
    const Csf<T> &t = *problem.tensor;
    o.second = int32_t(t.shape[1]);
    o.slices = int32_t(t.slices.size()), o.fibers = int32_t(t.fibers.size());
    o.crd1 = t.slices.data(), o.pos2 = t.fiberPointers.data(), o.crd2 = t.fibers.data();
    o.pos = t.entryPointers.data(), o.crd = t.entries.data();
    o.values = t.values.data();
  } else if (problem.kernel == Kernel::BsrSpmv) {
    const Bsr<T> &a = *problem.blocks;
    o.rows = int32_t(a.rows / kBlock);
    o.pos = a.pointers.data(), o.crd = a.indices.data(), o.values = a.values.data();
  } else {
    const Csr<T> &a = *problem.sparse;
    o.rows = int32_t(a.rows);
    o.pos = a.pointers.data(), o.crd = a.indices.data(), o.values = a.values.data();
  }
  return o;
}

} // namespace

template <class T> void addTacoLoops(Contenders<T> &contenders, const Problem<T> &problem, int threads) {
  const Operands<T> o = operandsOf(problem);
  auto add = [&](const std::string &name, Loops<T> *loops, int32_t count, bool addsUp) {
    for (const int grain : {0, 64}) {
      if (grain && threads == 1)
        continue;
      auto run = [=, size = int64_t(problem.result.size())] {
        if (addsUp)
          forPieces(threads, size, 0, [&](int64_t begin, int64_t end) { std::fill(o.out + begin, o.out + end, T(0)); });
        forPieces(threads, count, grain, [&](int64_t begin, int64_t end) { loops(o, int32_t(begin), int32_t(end)); });
      };
      contenders.push_back({"taco-loops", SPC_HAND_NAME " " + name + (grain ? " dynamic" : ""), run});
    }
  };
  const int32_t rowChunks = (o.rows + kChunk - 1) / kChunk, fiberChunks = (o.fibers + kChunk - 1) / kChunk;
  switch (problem.kernel) {
  case Kernel::Spmv:
    add("plain", spmvPlain<T>, o.rows, false);
    add("schedule", spmvSchedule<T>, rowChunks, false);
    return;
  case Kernel::Spmm:
    add("plain", spmmPlain<T>, o.rows, true);
    add("schedule", spmmSchedule<T>, rowChunks, true);
    return;
  case Kernel::Sddmm:
    add("plain", sddmmPlain<T>, o.rows, false);
    add("schedule", sddmmSchedule<T>, rowChunks, true);
    return;
  case Kernel::BsrSpmv:
    add("plain", blocksPlain<T>, o.rows, true);
    return;
  case Kernel::Mttkrp:
    add("plain", mttkrpPlain<T>, o.slices, true);
    add("workspace", mttkrpWorkspace<T>, o.slices, true);
    return;
  case Kernel::Ttv:
    add("plain", ttvPlain<T>, o.slices, true);
    add("schedule", ttvSchedule<T>, fiberChunks, true);
    return;
  case Kernel::Ttm:
    add("plain", ttmPlain<T>, o.slices, true);
    add("schedule", ttmSchedule<T>, fiberChunks, true);
    return;
  case Kernel::BsrSpmm:
  case Kernel::Gcn:
    return;
  }
}

template void addTacoLoops(Contenders<double> &, const Problem<double> &, int);
template void addTacoLoops(Contenders<float> &, const Problem<float> &, int);

} // namespace values::SPC_HAND
