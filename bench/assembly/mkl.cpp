// oneMKL's inspector-executor. Rows of results are sorted, as those of the others are.
#include "mkl_support.h"

#include "task.h"

#include <memory>

namespace assembly {
namespace {

using namespace mkl;

/// A matrix in CSR, or in CSC as the CSR of its transpose, by the function that shows its arrays.
template <class T> Csr<T> copyOf(const Matrix &matrix, decltype(Functions<T>::exportCsr) show, bool columns) {
  sparse_index_base_t base{};
  MKL_INT rows = 0, width = 0, *starts = nullptr, *ends = nullptr, *indices = nullptr;
  T *values = nullptr;
  must(show(matrix.get(), &base, &rows, &width, &starts, &ends, &indices, &values));
  if (columns)
    std::swap(rows, width);
  Csr<T> copy{rows, width, {0}, {}, {}};
  for (MKL_INT row = 0; row < rows; ++row) {
    copy.indices.insert(copy.indices.end(), indices + starts[row], indices + ends[row]);
    copy.values.insert(copy.values.end(), values + starts[row], values + ends[row]);
    copy.pointers.push_back(int32_t(copy.indices.size()));
  }
  return copy;
}

/// `compute` makes the result with up to `threads` threads.
template <class T>
Contender<T> contender(int threads, bool columns, const std::function<sparse_status_t(sparse_matrix_t *)> &compute) {
  auto result = std::make_shared<Matrix>();
  auto run = [=] {
    mkl_set_num_threads_local(threads);
    sparse_matrix_t made = nullptr;
    must(compute(&made));
    *result = owned(made);
    must(mkl_sparse_order(made));
  };
  const auto show = columns ? Functions<T>::exportCsc : Functions<T>::exportCsr;
  return {"mkl", run, [=] { return copyOf<T>(*result, show, columns); }, [=] { result->reset(); }};
}

template <class T> Contender<T> fromSorted(const Coo<T> &a, int threads) {
  return contender<T>(threads, false, [&a](sparse_matrix_t *result) {
    sparse_matrix_t listed = nullptr;
    must(Functions<T>::createCoo(&listed, SPARSE_INDEX_BASE_ZERO, MKL_INT(a.rows), MKL_INT(a.columns),
                                 MKL_INT(a.values.size()), unconst(a.row.data()), unconst(a.column.data()),
                                 unconst(a.values.data())));
    const Matrix list = owned(listed);
    return mkl_sparse_convert_csr(listed, SPARSE_OPERATION_NON_TRANSPOSE, result);
  });
}

/// A A, or A Aᵀ.
template <class T> Contender<T> product(const Matrix &a, sparse_operation_t second, int threads) {
  return contender<T>(threads, false, [=](sparse_matrix_t *result) {
    return mkl_sparse_sp2m(SPARSE_OPERATION_NON_TRANSPOSE, kGeneral, a.get(), second, kGeneral, a.get(),
                           SPARSE_STAGE_FULL_MULT, result);
  });
}

} // namespace

template <class T> std::optional<Contender<T>> mklContender(Operation operation, const Input<T> &input, int threads) {
  if (operation == Operation::FromSorted)
    return fromSorted(input.coo, threads);
  if (operation == Operation::FromShuffled) // it keeps repeated entries
    return std::nullopt;
  const Matrix a = viewOf(input.csr);
  switch (operation) {
  case Operation::Square:
    return product<T>(a, SPARSE_OPERATION_NON_TRANSPOSE, threads);
  case Operation::TimesTranspose:
    return product<T>(a, SPARSE_OPERATION_TRANSPOSE, threads);
  case Operation::Plus:
    return contender<T>(threads, false, [a, b = viewOf(input.other)](sparse_matrix_t *result) {
      return Functions<T>::add(SPARSE_OPERATION_NON_TRANSPOSE, a.get(), T(1), b.get(), result);
    });
  case Operation::PlusTranspose:
    return contender<T>(threads, false, [a](sparse_matrix_t *result) {
      return Functions<T>::add(SPARSE_OPERATION_TRANSPOSE, a.get(), T(1), a.get(), result);
    });
  default:
    return contender<T>(threads, true, [a](sparse_matrix_t *result) {
      return mkl_sparse_convert_csc(a.get(), SPARSE_OPERATION_NON_TRANSPOSE, result);
    });
  }
}

template std::optional<Contender<double>> mklContender(Operation, const Input<double> &, int);
template std::optional<Contender<float>> mklContender(Operation, const Input<float> &, int);

} // namespace assembly
