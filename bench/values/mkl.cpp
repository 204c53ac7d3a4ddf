// oneMKL's inspector-executor: it prepares the matrix beforehand for many calls, which is not timed.
#include "mkl_support.h"

#include "task.h"

namespace values {
namespace {

using namespace mkl;

template <class T> Matrix viewOf(const Bsr<T> &a) {
  sparse_matrix_t matrix = nullptr;
  MKL_INT *pointers = unconst(a.pointers.data());
  must(Functions<T>::createBsr(&matrix, SPARSE_INDEX_BASE_ZERO, SPARSE_LAYOUT_ROW_MAJOR, MKL_INT(a.rows / kBlock),
                               MKL_INT(a.columns / kBlock), kBlock, pointers, pointers + 1, unconst(a.indices.data()),
                               unconst(a.values.data())));
  return owned(matrix);
}

template <class T> Contender<T> timesVector(const Matrix &a, const Problem<T> &problem, int threads) {
  must(mkl_sparse_set_mv_hint(a.get(), SPARSE_OPERATION_NON_TRANSPOSE, kGeneral, kCalls));
  must(mkl_sparse_optimize(a.get()));
  return {"mkl", "", [=, x = problem.right.data(), y = problem.result.data()] {
            mkl_set_num_threads_local(threads);
            must(Functions<T>::timesVector(SPARSE_OPERATION_NON_TRANSPOSE, T(1), a.get(), kGeneral, x, T(0), y));
          }};
}

template <class T> Contender<T> timesMatrix(const Matrix &a, const Problem<T> &problem, int threads) {
  const auto k = MKL_INT(problem.width);
  must(mkl_sparse_set_mm_hint(a.get(), SPARSE_OPERATION_NON_TRANSPOSE, kGeneral, SPARSE_LAYOUT_ROW_MAJOR, k, kCalls));
  must(mkl_sparse_optimize(a.get()));
  return {"mkl", "", [=, b = problem.right.data(), c = problem.result.data()] {
            mkl_set_num_threads_local(threads);
            must(Functions<T>::timesMatrix(SPARSE_OPERATION_NON_TRANSPOSE, T(1), a.get(), kGeneral,
                                           SPARSE_LAYOUT_ROW_MAJOR, b, k, k, T(0), c, k));
          }};
}

} // namespace

template <class T> void addMkl(Contenders<T> &contenders, const Problem<T> &problem, int threads) {
  mkl_set_num_threads_local(threads); // what is prepared depends on it
  switch (problem.kernel) {
  case Kernel::Spmv:
    return contenders.push_back(timesVector(mkl::viewOf(*problem.sparse), problem, threads));
  case Kernel::Spmm:
    return contenders.push_back(timesMatrix(mkl::viewOf(*problem.sparse), problem, threads));
  case Kernel::BsrSpmv:
    return contenders.push_back(timesVector(viewOf(*problem.blocks), problem, threads));
  case Kernel::BsrSpmm:
    return contenders.push_back(timesMatrix(viewOf(*problem.blocks), problem, threads));
  default:
    return;
  }
}

template void addMkl(Contenders<double> &, const Problem<double> &, int);
template void addMkl(Contenders<float> &, const Problem<float> &, int);

} // namespace values
