// SuiteSparse:GraphBLAS in C++: what the programs that compare with it share. Its indices always have 64 bits.
#pragma once

#include "csr.h"
#include "harness.h"

// What GraphBLAS.h includes, here as C++: the header itself declares C functions without saying so.
#include <cerrno>
#include <cinttypes>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
extern "C" {
#include <GraphBLAS.h>
}

#include <memory>

namespace graphblas {

using Indices = std::vector<GrB_Index>;

inline void must(GrB_Info info) {
  check(info == GrB_SUCCESS, "GraphBLAS returned an error");
}

/// The number of an option. The library may be newer than the header, as PyPI's comes without one, and version 9 has
/// numbered options anew.
struct Option {
  GxB_Option_Field before;
  int since9;

  GxB_Option_Field number() const;
};
inline const Option kThreads{GxB_GLOBAL_NTHREADS, 7086}, kSparsityControl{GxB_SPARSITY_CONTROL, 7036};

inline GxB_Option_Field Option::number() const {
  static const bool isNew = GxB_Global_Option_set_INT32(GxB_Option_Field(kThreads.since9), 1) == GrB_SUCCESS;
  return isNew ? GxB_Option_Field(since9) : before;
}

/// The library's functions and objects for a type of values.
template <class T> struct Types;
template <> struct Types<double> {
  static GrB_Type type() { return GrB_FP64; }
  static GrB_BinaryOp plus() { return GrB_PLUS_FP64; }
  static GrB_BinaryOp times() { return GrB_TIMES_FP64; }
  static GrB_Semiring plusTimes() { return GrB_PLUS_TIMES_SEMIRING_FP64; }
  static constexpr auto importMatrix = GrB_Matrix_import_FP64;
  static constexpr auto build = GrB_Matrix_build_FP64;
  static constexpr auto fill = GrB_Matrix_assign_FP64;
  static constexpr auto fillVector = GrB_Vector_assign_FP64;
};
template <> struct Types<float> {
  static GrB_Type type() { return GrB_FP32; }
  static GrB_BinaryOp plus() { return GrB_PLUS_FP32; }
  static GrB_BinaryOp times() { return GrB_TIMES_FP32; }
  static GrB_Semiring plusTimes() { return GrB_PLUS_TIMES_SEMIRING_FP32; }
  static constexpr auto importMatrix = GrB_Matrix_import_FP32;
  static constexpr auto build = GrB_Matrix_build_FP32;
  static constexpr auto fill = GrB_Matrix_assign_FP32;
  static constexpr auto fillVector = GrB_Vector_assign_FP32;
};

/// Owns a matrix.
struct Matrix {
  GrB_Matrix handle = nullptr;

  Matrix() = default;
  Matrix(const Matrix &) = delete;
  ~Matrix() { release(); }
  void release() {
    if (handle)
      must(GrB_Matrix_free(&handle));
  }
};

/// Has the matrix stored in plain CSR: never as a bitmap, densely or with empty rows left out.
inline void keepSparse(GrB_Matrix matrix) {
  must(GxB_Matrix_Option_set_INT32(matrix, kSparsityControl.number(), GxB_SPARSE));
}

template <class T> std::shared_ptr<Matrix> imported(const Csr<T> &a) {
  const Indices pointers(a.pointers.begin(), a.pointers.end()), indices(a.indices.begin(), a.indices.end());
  auto matrix = std::make_shared<Matrix>();
  must(Types<T>::importMatrix(&matrix->handle, Types<T>::type(), a.rows, a.columns, pointers.data(), indices.data(),
                              a.values.data(), pointers.size(), indices.size(), a.values.size(), GrB_CSR_FORMAT));
  keepSparse(matrix->handle);
  must(GrB_Matrix_wait(matrix->handle, GrB_MATERIALIZE));
  return matrix;
}

/// Starts the library and has it use up to `threads` threads.
inline void start(int threads) {
  static const bool started = [] {
    must(GrB_init(GrB_NONBLOCKING));
    return true;
  }();
  check(started, "GraphBLAS did not start");
  must(GxB_Global_Option_set_INT32(kThreads.number(), threads));
}

} // namespace graphblas
