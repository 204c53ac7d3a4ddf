// MLIR's own pipeline, as it comes: the sparsifier's loops, scalar and vectorised, compiled by clang. With several
// threads the outermost loop is cut into as many ranges of rows, which is what its parallel loops become.
#include "mlir_kernels.h"

#include "task.h"

#include <numeric>

namespace values {
namespace {

using namespace mlir;

constexpr const char *kVariants[] = {"scalar", "vector"};

/// The rows from `firstRow` on that a thread works on, as a matrix with pointers of its own.
template <class T> struct Slice {
  int64_t firstRow, rows, columns, firstEntry, entries;
  std::vector<int32_t> pointers;
  const int32_t *indices;
  const T *values;
};

template <class T> using Slices = std::shared_ptr<const std::vector<Slice<T>>>;

template <class T> Slices<T> slicesOf(const Csr<T> &a, int threads) {
  auto slices = std::make_shared<std::vector<Slice<T>>>();
  for (int64_t n = 0; n < threads; ++n) {
    const int64_t begin = a.rows * n / threads, end = a.rows * (n + 1) / threads;
    const int32_t first = a.pointers[begin];
    Slice<T> slice{begin,
                   end - begin,
                   a.columns,
                   first,
                   a.pointers[end] - first,
                   {},
                   a.indices.data() + first,
                   a.values.data() + first};
    for (int64_t i = begin; i <= end; ++i)
      slice.pointers.push_back(a.pointers[i] - first);
    slices->push_back(std::move(slice));
  }
  return slices;
}

/// Calls body(slice) for all slices, each by a thread.
template <class T, class Body> void forSlices(const std::vector<Slice<T>> &slices, const Body &body) {
  struct Closure {
    const std::vector<Slice<T>> &slices;
    const Body &body;
  } closure{slices, body};
  auto task = [](void *data, int64_t n) {
    const Closure &c = *static_cast<Closure *>(data);
    c.body(c.slices[n]);
  };
  if (slices.size() == 1)
    task(&closure, 0);
  else
    runStatic(int(slices.size()), int64_t(slices.size()), task, &closure);
}

template <class T> void spmv(Spmv *function, const Slice<T> &a, const Problem<T> &problem) {
  Array1 pointers = vectorOf(a.pointers.data(), a.rows + 1), indices = vectorOf(a.indices, a.entries);
  Array1 values = vectorOf(a.values, a.entries), x = vectorOf(problem.right.data(), a.columns);
  Array1 y = vectorOf(problem.result.data() + a.firstRow, a.rows);
  function(&pointers, &indices, &values, a.rows, a.columns, a.rows + 1, a.entries, a.entries, &x, &y);
}

template <class T> void spmm(Spmm *function, const Slice<T> &a, const Problem<T> &problem) {
  const int64_t k = problem.width;
  Array1 pointers = vectorOf(a.pointers.data(), a.rows + 1), indices = vectorOf(a.indices, a.entries);
  Array1 values = vectorOf(a.values, a.entries);
  Array2 b = matrixOf(problem.right.data(), a.columns, k);
  Array2 c = matrixOf(problem.result.data() + a.firstRow * k, a.rows, k);
  function(&pointers, &indices, &values, a.rows, a.columns, a.rows + 1, a.entries, a.entries, &b, &c);
}

/// `numbers` counts from 0.
template <class T>
void sddmm(Sddmm *function, const Slice<T> &s, const Problem<T> &problem, const std::vector<int32_t> &numbers) {
  const int64_t k = problem.width;
  Array1 pointers = vectorOf(s.pointers.data(), s.rows + 1), entries = vectorOf(numbers.data(), s.entries);
  Array1 indices = vectorOf(s.indices, s.entries), values = vectorOf(s.values, s.entries);
  Array2 a = matrixOf(problem.left.data() + s.firstRow * k, s.rows, k);
  Array2 b = matrixOf(problem.right.data(), s.columns, k);
  Array1 d = vectorOf(problem.result.data() + s.firstEntry, s.entries);
  function(&pointers, &entries, &indices, &values, s.rows, s.entries, s.columns, s.rows + 1, s.entries, s.entries,
           s.entries, &a, &b, &d);
}

} // namespace

template <class T> void addMlir(Contenders<T> &contenders, const Problem<T> &problem, int threads) {
  const Slices<T> slices = slicesOf(*problem.sparse, threads);
  auto add = [&](int variant, auto body) {
    contenders.push_back({"mlir", kVariants[variant], [=] { forSlices(*slices, body); }});
  };
  auto numbers = std::make_shared<std::vector<int32_t>>(problem.kernel == Kernel::Sddmm ? problem.result.size() : 0);
  std::iota(numbers->begin(), numbers->end(), 0);
  for (int variant : {0, 1}) {
    switch (problem.kernel) {
    case Kernel::Spmv:
      add(variant, [&problem, variant](const Slice<T> &a) { spmv(Functions<T>::spmv[variant], a, problem); });
      break;
    case Kernel::Spmm:
      add(variant, [&problem, variant](const Slice<T> &a) { spmm(Functions<T>::spmm[variant], a, problem); });
      break;
    case Kernel::Sddmm:
      add(variant, [&problem, variant, numbers](const Slice<T> &s) {
        sddmm(Functions<T>::sddmm[variant], s, problem, *numbers);
      });
      break;
    }
  }
}

template void addMlir(Contenders<double> &, const Problem<double> &, int);
template void addMlir(Contenders<float> &, const Problem<float> &, int);

} // namespace values
