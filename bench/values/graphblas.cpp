// SuiteSparse:GraphBLAS. Dense operands are full matrices. A product goes into a new matrix, or is added to one of
// zeros, for which it has loops of its own.
#include "graphblas_support.h"

#include "task.h"

namespace values {
namespace {

using namespace graphblas;

/// A full matrix of `rows` rows.
template <class T> std::shared_ptr<Matrix> full(const Elements<T> &values, int64_t columns) {
  auto matrix = std::make_shared<Matrix>();
  must(GrB_Matrix_new(&matrix->handle, Types<T>::type(), values.size() / columns, columns));
  const size_t bytes = values.size() * sizeof(T);
  void *copy = std::aligned_alloc(64, (bytes / 64 + 1) * 64);
  check(copy, "out of memory");
  std::memcpy(copy, values.data(), bytes);
  must(GxB_Matrix_pack_FullR(matrix->handle, &copy, bytes, false, nullptr));
  return matrix;
}

/// The values of a matrix, row by row: of a full one all elements, 0 where it has no entry, else those of its entries.
template <class T> Elements<T> valuesOf(GrB_Matrix matrix, bool dense) {
  GrB_Index rows = 0, columns = 0, count = 0;
  must(GrB_Matrix_nrows(&rows, matrix));
  must(GrB_Matrix_ncols(&columns, matrix));
  must(GrB_Matrix_nvals(&count, matrix));
  Indices is(count), js(count);
  Elements<T> entries(count);
  if constexpr (sizeof(T) == 8)
    must(GrB_Matrix_extractTuples_FP64(is.data(), js.data(), entries.data(), &count, matrix));
  else
    must(GrB_Matrix_extractTuples_FP32(is.data(), js.data(), entries.data(), &count, matrix));
  if (!dense)
    return entries;
  Elements<T> elements(rows * columns, T(0));
  for (GrB_Index e = 0; e < count; ++e)
    elements[is[e] * columns + js[e]] = entries[e];
  return elements;
}

/// The result is a matrix that lives from run to run.
template <class T>
Contender<T> contender(const char *variant, std::shared_ptr<Matrix> result, bool dense,
                       std::function<void(Matrix &)> compute) {
  return {"graphblas", variant,
          [=] {
            compute(*result);
            must(GrB_Matrix_wait(result->handle, GrB_MATERIALIZE));
          },
          [=] { return valuesOf<T>(result->handle, dense); }};
}

/// Vectors, released with the last copy of the pointer.
using Vector = std::shared_ptr<GB_Vector_opaque>;

Vector owned(GrB_Vector vector) {
  return {vector, [](GrB_Vector handle) { must(GrB_Vector_free(&handle)); }};
}

template <class T> Vector fullVector(const Elements<T> &values) {
  GrB_Vector vector = nullptr;
  must(GrB_Vector_new(&vector, Types<T>::type(), values.size()));
  const size_t bytes = values.size() * sizeof(T);
  void *copy = std::aligned_alloc(64, (bytes / 64 + 1) * 64);
  check(copy, "out of memory");
  std::memcpy(copy, values.data(), bytes);
  must(GxB_Vector_pack_Full(vector, &copy, bytes, false, nullptr));
  return owned(vector);
}

template <class T> Elements<T> elementsOf(GrB_Vector vector) {
  GrB_Index size = 0, count = 0;
  must(GrB_Vector_size(&size, vector));
  must(GrB_Vector_nvals(&count, vector));
  Indices is(count);
  Elements<T> entries(count), elements(size, T(0));
  if constexpr (sizeof(T) == 8)
    must(GrB_Vector_extractTuples_FP64(is.data(), entries.data(), &count, vector));
  else
    must(GrB_Vector_extractTuples_FP32(is.data(), entries.data(), &count, vector));
  for (GrB_Index e = 0; e < count; ++e)
    elements[is[e]] = entries[e];
  return elements;
}

template <class T> void addMatrixTimesVector(Contenders<T> &contenders, const Problem<T> &problem) {
  const auto a = imported(*problem.sparse);
  const Vector x = fullVector(problem.right), y = fullVector(problem.result);
  const auto z = std::make_shared<Vector>(); // made anew in each run
  const int64_t rows = problem.sparse->rows;
  contenders.push_back({"graphblas", "new",
                        [=] {
                          GrB_Vector product = nullptr;
                          must(GrB_Vector_new(&product, Types<T>::type(), rows));
                          *z = owned(product);
                          must(GrB_mxv(product, nullptr, nullptr, Types<T>::plusTimes(), a->handle, x.get(), nullptr));
                          must(GrB_Vector_wait(product, GrB_MATERIALIZE));
                        },
                        [=] { return elementsOf<T>(z->get()); }});
  contenders.push_back(
      {"graphblas", "add",
       [=] {
         must(Types<T>::fillVector(y.get(), nullptr, nullptr, T(0), GrB_ALL, rows, nullptr));
         must(GrB_mxv(y.get(), nullptr, Types<T>::plus(), Types<T>::plusTimes(), a->handle, x.get(), nullptr));
         must(GrB_Vector_wait(y.get(), GrB_MATERIALIZE));
       },
       [=] { return elementsOf<T>(y.get()); }});
}

template <class T> void addProduct(Contenders<T> &contenders, const Problem<T> &problem) {
  const auto a = imported(*problem.sparse), b = full(problem.right, problem.width);
  const int64_t rows = problem.sparse->rows, k = problem.width;
  contenders.push_back(contender<T>("new", std::make_shared<Matrix>(), true, [=](Matrix &c) {
    c.release();
    must(GrB_Matrix_new(&c.handle, Types<T>::type(), rows, k));
    must(GrB_mxm(c.handle, nullptr, nullptr, Types<T>::plusTimes(), a->handle, b->handle, nullptr));
  }));
  contenders.push_back(contender<T>("add", full(problem.result, k), true, [=](Matrix &c) {
    must(Types<T>::fill(c.handle, nullptr, nullptr, T(0), GrB_ALL, rows, GrB_ALL, k, nullptr));
    must(GrB_mxm(c.handle, nullptr, Types<T>::plus(), Types<T>::plusTimes(), a->handle, b->handle, nullptr));
  }));
}

template <class T> void addSampled(Contenders<T> &contenders, const Problem<T> &problem) {
  const auto s = imported(*problem.sparse), a = full(problem.left, problem.width),
             b = full(problem.right, problem.width);
  const int64_t rows = problem.sparse->rows, columns = problem.sparse->columns;
  contenders.push_back(contender<T>("", std::make_shared<Matrix>(), false, [=](Matrix &d) {
    d.release();
    must(GrB_Matrix_new(&d.handle, Types<T>::type(), rows, columns));
    keepSparse(d.handle);
    must(GrB_mxm(d.handle, s->handle, nullptr, Types<T>::plusTimes(), a->handle, b->handle, GrB_DESC_ST1));
    must(GrB_Matrix_eWiseMult_BinaryOp(d.handle, nullptr, nullptr, Types<T>::times(), d.handle, s->handle, nullptr));
  }));
}

} // namespace

template <class T> void addGraphblas(Contenders<T> &contenders, const Problem<T> &problem, int threads) {
  start(threads);
  switch (problem.kernel) {
  case Kernel::Spmv:
    return addMatrixTimesVector(contenders, problem);
  case Kernel::Spmm:
    return addProduct(contenders, problem);
  case Kernel::Sddmm:
    return addSampled(contenders, problem);
  default:
    return;
  }
}

template void addGraphblas(Contenders<double> &, const Problem<double> &, int);
template void addGraphblas(Contenders<float> &, const Problem<float> &, int);

} // namespace values
