// librsb: recursive blocks, each in the format that suits it. It converts the matrix beforehand, which is not timed.
#include "harness.h"
#include "task.h"

#include <omp.h>
#include <rsb.h>

namespace values {
namespace {

void must(rsb_err_t error) {
  check(error == RSB_ERR_NO_ERROR, "librsb returned an error");
}

/// What the library is started with is the most threads that it can be told to use later.
void start(int threads) {
  static const bool started = [] {
    const int before = omp_get_max_threads();
    omp_set_num_threads(omp_get_num_procs());
    must(rsb_lib_init(RSB_NULL_INIT_OPTIONS));
    omp_set_num_threads(before);
    return true;
  }();
  check(started, "librsb did not start");
  rsb_int_t count = threads;
  must(rsb_lib_set_opt(RSB_IO_WANT_EXECUTING_THREADS, &count));
}

template <class T> constexpr rsb_type_t kType = RSB_NUMERICAL_TYPE_DOUBLE;
template <> constexpr rsb_type_t kType<float> = RSB_NUMERICAL_TYPE_FLOAT;

template <class T> std::shared_ptr<rsb_mtx_t> converted(const Csr<T> &a) {
  rsb_err_t error = RSB_ERR_NO_ERROR;
  rsb_mtx_t *matrix =
      rsb_mtx_alloc_from_csr_const(a.values.data(), a.pointers.data(), a.indices.data(), rsb_nnz_idx_t(a.entries()),
                                   kType<T>, rsb_coo_idx_t(a.rows), rsb_coo_idx_t(a.columns), RSB_DEFAULT_ROW_BLOCKING,
                                   RSB_DEFAULT_COL_BLOCKING, RSB_FLAG_DEFAULT_RSB_MATRIX_FLAGS, &error);
  must(error);
  return {matrix, rsb_mtx_free};
}

} // namespace

template <class T> void addRsb(Contenders<T> &contenders, const Problem<T> &problem, int threads) {
  if (problem.kernel != Kernel::Spmv && problem.kernel != Kernel::Spmm)
    return;
  start(threads);
  auto run = [a = converted(*problem.sparse), b = problem.right.data(), c = problem.result.data(),
              k = rsb_coo_idx_t(problem.width), vector = problem.kernel == Kernel::Spmv] {
    const T one = 1, zero = 0;
    if (vector)
      must(rsb_spmv(RSB_TRANSPOSITION_N, &one, a.get(), b, 1, &zero, c, 1));
    else
      must(rsb_spmm(RSB_TRANSPOSITION_N, &one, a.get(), k, RSB_FLAG_WANT_ROW_MAJOR_ORDER, b, k, &zero, c, k));
  };
  contenders.push_back({"librsb", "", run});
}

template void addRsb(Contenders<double> &, const Problem<double> &, int);
template void addRsb(Contenders<float> &, const Problem<float> &, int);

} // namespace values
