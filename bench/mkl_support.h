// oneMKL's inspector-executor for sparse matrices: what the programs that compare with it share.
#pragma once

#include "csr.h"
#include "harness.h"

#include <mkl_service.h>
#include <mkl_spblas.h>

#include <memory>

namespace mkl {

inline void must(sparse_status_t status) {
  check(status == SPARSE_STATUS_SUCCESS, "MKL returned an error");
}

/// The library's functions for a type of values.
template <class T> struct Functions;
template <> struct Functions<double> {
  static constexpr auto createCsr = mkl_sparse_d_create_csr;
  static constexpr auto createBsr = mkl_sparse_d_create_bsr;
  static constexpr auto createCoo = mkl_sparse_d_create_coo;
  static constexpr auto exportCsr = mkl_sparse_d_export_csr;
  static constexpr auto exportCsc = mkl_sparse_d_export_csc;
  static constexpr auto timesVector = mkl_sparse_d_mv;
  static constexpr auto timesMatrix = mkl_sparse_d_mm;
  static constexpr auto add = mkl_sparse_d_add;
};
template <> struct Functions<float> {
  static constexpr auto createCsr = mkl_sparse_s_create_csr;
  static constexpr auto createBsr = mkl_sparse_s_create_bsr;
  static constexpr auto createCoo = mkl_sparse_s_create_coo;
  static constexpr auto exportCsr = mkl_sparse_s_export_csr;
  static constexpr auto exportCsc = mkl_sparse_s_export_csc;
  static constexpr auto timesVector = mkl_sparse_s_mv;
  static constexpr auto timesMatrix = mkl_sparse_s_mm;
  static constexpr auto add = mkl_sparse_s_add;
};

/// The calls of a product that MKL is told to prepare for: as many as make any preparation worth it.
inline constexpr MKL_INT kCalls = 1'000'000;

inline constexpr matrix_descr kGeneral{SPARSE_MATRIX_TYPE_GENERAL, SPARSE_FILL_MODE_LOWER, SPARSE_DIAG_NON_UNIT};

/// Owns a matrix.
using Matrix = std::shared_ptr<sparse_matrix>;

inline Matrix owned(sparse_matrix_t matrix) {
  return {matrix, [](sparse_matrix_t handle) { must(mkl_sparse_destroy(handle)); }};
}

/// MKL takes arrays that it only reads without `const`.
template <class Element> Element *unconst(const Element *array) {
  return const_cast<Element *>(array);
}

/// A view of the arrays, which must outlive it.
template <class T> Matrix viewOf(const Csr<T> &a) {
  sparse_matrix_t matrix = nullptr;
  MKL_INT *pointers = unconst(a.pointers.data());
  must(Functions<T>::createCsr(&matrix, SPARSE_INDEX_BASE_ZERO, MKL_INT(a.rows), MKL_INT(a.columns), pointers,
                               pointers + 1, unconst(a.indices.data()), unconst(a.values.data())));
  return owned(matrix);
}

} // namespace mkl
