// MLIR's own pipeline, as it comes: the sparsifier's loops, scalar and vectorised, compiled by clang. With several
// threads the outermost loop is cut into as many equal ranges, which is what its parallel loops become.
#include "mlir_kernels.h"

#include <numeric>

namespace values {
namespace {

using namespace mlir;

/// The rows, or rows of blocks, from `first` on that a thread works on, as a matrix with pointers of its own.
template <class T> struct Slice {
  int64_t first, rows, firstEntry, entries;
  std::vector<int32_t> pointers;
  const int32_t *indices;
  const T *values;
};

template <class T> using Slices = std::shared_ptr<const std::vector<Slice<T>>>;

/// Of a matrix with `size` values for each entry.
template <class Matrix> auto slicesOf(const Matrix &a, int64_t size, int threads) {
  using T = typename decltype(a.values)::value_type;
  auto slices = std::make_shared<std::vector<Slice<T>>>();
  const auto rows = int64_t(a.pointers.size()) - 1;
  for (int64_t n = 0; n < threads; ++n) {
    const int64_t begin = rows * n / threads, end = rows * (n + 1) / threads;
    const int32_t first = a.pointers[begin];
    Slice<T> slice{begin,
                   end - begin,
                   first,
                   a.pointers[end] - first,
                   {},
                   a.indices.data() + first,
                   a.values.data() + first * size};
    for (int64_t i = begin; i <= end; ++i)
      slice.pointers.push_back(a.pointers[i] - first);
    slices->push_back(std::move(slice));
  }
  return Slices<T>(slices);
}

/// Calls function(arrays and specifier of the slice in CSR, operands...).
template <class Function, class T, class... Operands>
void callCsr(Function *function, const Slice<T> &a, int64_t columns, Operands... operands) {
  Array1 pointers = arrayOf(a.pointers), indices = arrayOf(a.indices, a.entries), values = arrayOf(a.values, a.entries);
  function(&pointers, &indices, &values, a.rows, columns, a.rows + 1, a.entries, a.entries, &operands...);
}

/// The same in blocks.
template <class Function, class T, class... Operands>
void callBsr(Function *function, const Slice<T> &a, int64_t columns, Operands... operands) {
  constexpr int64_t size = int64_t(kBlock) * kBlock;
  Array1 pointers = arrayOf(a.pointers), indices = arrayOf(a.indices, a.entries);
  Array1 values = arrayOf(a.values, a.entries * size);
  function(&pointers, &indices, &values, a.rows, columns / kBlock, kBlock, kBlock, a.rows + 1, a.entries,
           a.entries * size, &operands...);
}

/// `numbers` counts from 0.
template <class T>
void sddmm(Sddmm *function, const Slice<T> &s, const Problem<T> &problem, const std::vector<int32_t> &numbers) {
  const int64_t k = problem.width, columns = problem.sparse->columns;
  Array1 pointers = arrayOf(s.pointers), entries = arrayOf(numbers.data(), s.entries);
  Array1 indices = arrayOf(s.indices, s.entries), values = arrayOf(s.values, s.entries);
  Array2 a = arrayOf(problem.left.data() + s.first * k, s.rows, k), b = arrayOf(problem.right.data(), columns, k);
  Array1 d = arrayOf(problem.result.data() + s.firstEntry, s.entries);
  function(&pointers, &entries, &indices, &values, s.rows, s.entries, columns, s.rows + 1, s.entries, s.entries,
           s.entries, &a, &b, &d);
}

/// Appends both variants; body(slice, variant) computes.
template <class T, class Body> void addVariants(Contenders<T> &contenders, const Slices<T> &slices, const Body &body) {
  for (int variant : {0, 1})
    contenders.push_back({"mlir", kVariants[variant],
                          [=] { forSlices(*slices, [&](const Slice<T> &slice) { body(slice, variant); }); }});
}

/// SpMV and SpMM in CSR.
template <class T> void addProducts(Contenders<T> &contenders, const Problem<T> &problem, int threads) {
  const Slices<T> slices = slicesOf(*problem.sparse, 1, threads);
  const int64_t columns = problem.sparse->columns, k = problem.width;
  const T *b = problem.right.data();
  T *c = problem.result.data();
  if (problem.kernel == Kernel::Spmv)
    addVariants(contenders, slices, [=](const Slice<T> &a, int variant) {
      callCsr(Functions<T>::spmv[variant], a, columns, arrayOf(b, columns), arrayOf(c + a.first, a.rows));
    });
  else
    addVariants(contenders, slices, [=](const Slice<T> &a, int variant) {
      callCsr(Functions<T>::spmm[variant], a, columns, arrayOf(b, columns, k), arrayOf(c + a.first * k, a.rows, k));
    });
}

/// SpMV and SpMM in blocks.
template <class T> void addBlockProducts(Contenders<T> &contenders, const Problem<T> &problem, int threads) {
  const Slices<T> slices = slicesOf(*problem.blocks, int64_t(kBlock) * kBlock, threads);
  const int64_t columns = problem.blocks->columns, k = problem.width;
  const T *b = problem.right.data();
  T *c = problem.result.data();
  if (problem.kernel == Kernel::BsrSpmv)
    addVariants(contenders, slices, [=](const Slice<T> &a, int variant) {
      callBsr(Functions<T>::bsrSpmv[variant], a, columns, arrayOf(b, columns),
              arrayOf(c + a.first * kBlock, a.rows * kBlock));
    });
  else
    addVariants(contenders, slices, [=](const Slice<T> &a, int variant) {
      callBsr(Functions<T>::bsrSpmm[variant], a, columns, arrayOf(b, columns, k),
              arrayOf(c + a.first * kBlock * k, a.rows * kBlock, k));
    });
}

} // namespace

template <class T> void addMlir(Contenders<T> &contenders, const Problem<T> &problem, int threads) {
  switch (problem.kernel) {
  case Kernel::Spmv:
  case Kernel::Spmm:
    return addProducts(contenders, problem, threads);
  case Kernel::Sddmm: {
    auto numbers = std::make_shared<std::vector<int32_t>>(problem.result.size());
    std::iota(numbers->begin(), numbers->end(), 0);
    return addVariants(contenders, slicesOf(*problem.sparse, 1, threads),
                       [&problem, numbers](const Slice<T> &s, int variant) {
                         sddmm(Functions<T>::sddmm[variant], s, problem, *numbers);
                       });
  }
  case Kernel::BsrSpmv:
  case Kernel::BsrSpmm:
    return addBlockProducts(contenders, problem, threads);
  case Kernel::Mttkrp:
  case Kernel::Ttv:
  case Kernel::Ttm:
    return addTensorKernels(contenders, problem, threads);
  case Kernel::Gcn:
    return;
  }
}

template void addMlir(Contenders<double> &, const Problem<double> &, int);
template void addMlir(Contenders<float> &, const Problem<float> &, int);

} // namespace values
