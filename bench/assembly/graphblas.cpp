// SuiteSparse:GraphBLAS. Results are waited for, until nothing is pending and rows are sorted.
#include "graphblas_support.h"

#include "task.h"

#include <memory>

namespace assembly {
namespace {

using namespace graphblas;

/// The arrays of `matrix`, which has none afterwards.
template <class T> Csr<T> takeArrays(GrB_Matrix matrix) {
  GrB_Index rows = 0, columns = 0, count = 0;
  must(GrB_Matrix_nrows(&rows, matrix));
  must(GrB_Matrix_ncols(&columns, matrix));
  must(GrB_Matrix_nvals(&count, matrix));
  GrB_Index *pointers = nullptr, *indices = nullptr, sizes[3];
  void *values = nullptr;
  bool iso = false, jumbled = false;
  must(GxB_Matrix_unpack_CSR(matrix, &pointers, &indices, &values, &sizes[0], &sizes[1], &sizes[2], &iso, &jumbled,
                             nullptr));
  check(!jumbled && (!iso || count == 0), "GraphBLAS left work undone");
  const T *first = static_cast<const T *>(values);
  Csr<T> copy{int64_t(rows), int64_t(columns), {pointers, pointers + rows + 1}, {indices, indices + count}, {}};
  copy.values.assign(first, first + count);
  std::free(pointers), std::free(indices), std::free(values);
  return copy;
}

/// `compute` fills an empty matrix of this shape.
template <class T>
Contender<T> contender(int64_t rows, int64_t columns, const std::function<GrB_Info(GrB_Matrix)> &compute) {
  auto result = std::make_shared<Matrix>();
  auto run = [=] {
    must(GrB_Matrix_new(&result->handle, Types<T>::type(), rows, columns));
    keepSparse(result->handle);
    must(compute(result->handle));
    must(GrB_Matrix_wait(result->handle, GrB_MATERIALIZE));
  };
  return {"graphblas", run, [=] { return takeArrays<T>(result->handle); }, [=] { result->release(); }};
}

template <class T> Contender<T> fromEntries(const Coo<T> &a) {
  auto rows = std::make_shared<Indices>(a.row.begin(), a.row.end());
  auto columns = std::make_shared<Indices>(a.column.begin(), a.column.end());
  return contender<T>(a.rows, a.columns, [=, &a](GrB_Matrix result) {
    return Types<T>::build(result, rows->data(), columns->data(), a.values.data(), a.values.size(), Types<T>::plus());
  });
}

} // namespace

template <class T>
std::optional<Contender<T>> graphblasContender(Operation operation, const Input<T> &input, int threads) {
  start(threads);
  if (operation == Operation::FromSorted || operation == Operation::FromShuffled)
    return fromEntries(input.coo);
  const std::shared_ptr<Matrix> a = imported(input.csr);
  const int64_t rows = input.csr.rows, columns = input.csr.columns;
  switch (operation) {
  case Operation::Square:
    return contender<T>(rows, columns, [a](GrB_Matrix result) {
      return GrB_mxm(result, nullptr, nullptr, Types<T>::plusTimes(), a->handle, a->handle, nullptr);
    });
  case Operation::TimesTranspose:
    return contender<T>(rows, rows, [a](GrB_Matrix result) {
      return GrB_mxm(result, nullptr, nullptr, Types<T>::plusTimes(), a->handle, a->handle, GrB_DESC_T1);
    });
  case Operation::Plus:
    return contender<T>(rows, columns, [a, b = imported(input.other)](GrB_Matrix result) {
      return GrB_Matrix_eWiseAdd_BinaryOp(result, nullptr, nullptr, Types<T>::plus(), a->handle, b->handle, nullptr);
    });
  case Operation::PlusTranspose:
    return contender<T>(rows, columns, [a](GrB_Matrix result) {
      return GrB_Matrix_eWiseAdd_BinaryOp(result, nullptr, nullptr, Types<T>::plus(), a->handle, a->handle,
                                          GrB_DESC_T1);
    });
  default: // the rows of the transpose are the columns
    return contender<T>(columns, rows,
                        [a](GrB_Matrix result) { return GrB_transpose(result, nullptr, nullptr, a->handle, nullptr); });
  }
}

template std::optional<Contender<double>> graphblasContender(Operation, const Input<double> &, int);
template std::optional<Contender<float>> graphblasContender(Operation, const Input<float> &, int);

} // namespace assembly
