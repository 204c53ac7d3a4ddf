// The functions that mlir-opt's sparsifier makes of mlir/*.mlir.in, and their arguments.
#pragma once

#include <cstdint>

namespace values::mlir {

/// MLIR's descriptor of a strided array.
template <int Rank> struct Array {
  void *allocated, *aligned;
  int64_t offset, sizes[Rank], strides[Rank];
};

using Array1 = Array<1>;
using Array2 = Array<2>;

/// A vector, and a row-major matrix of whole rows.
inline Array1 vectorOf(const void *elements, int64_t size) {
  return {const_cast<void *>(elements), const_cast<void *>(elements), 0, {size}, {1}};
}
inline Array2 matrixOf(const void *elements, int64_t rows, int64_t columns) {
  return {const_cast<void *>(elements), const_cast<void *>(elements), 0, {rows, columns}, {columns, 1}};
}

// The storage specifier, a struct that is passed in pieces: the levels' sizes, then those of the arrays.
#define SPC_MLIR_CSR_SPECIFIER int64_t, int64_t, int64_t, int64_t, int64_t
#define SPC_MLIR_ENTRIES_SPECIFIER int64_t, int64_t, int64_t, int64_t, int64_t, int64_t, int64_t

/// pointers, indices, values, specifier, x, y
using Spmv = void(Array1 *, Array1 *, Array1 *, SPC_MLIR_CSR_SPECIFIER, Array1 *, Array1 *);
/// pointers, indices, values, specifier, B, C
using Spmm = void(Array1 *, Array1 *, Array1 *, SPC_MLIR_CSR_SPECIFIER, Array2 *, Array2 *);
/// pointers, entries' numbers, indices, values, specifier, A, B, D
using Sddmm = void(Array1 *, Array1 *, Array1 *, Array1 *, SPC_MLIR_ENTRIES_SPECIFIER, Array2 *, Array2 *, Array1 *);

extern "C" {
#define SPC_MLIR_FUNCTIONS(type, variant)                                                                              \
  Spmv _mlir_ciface_mlir_spmv_##type##_##variant;                                                                      \
  Spmm _mlir_ciface_mlir_spmm_##type##_##variant;                                                                      \
  Sddmm _mlir_ciface_mlir_sddmm_##type##_##variant;
SPC_MLIR_FUNCTIONS(f64, scalar)
SPC_MLIR_FUNCTIONS(f64, vector)
SPC_MLIR_FUNCTIONS(f32, scalar)
SPC_MLIR_FUNCTIONS(f32, vector)
#undef SPC_MLIR_FUNCTIONS
}

/// The functions for a type of values, scalar and vectorised.
template <class T> struct Functions;
template <> struct Functions<double> {
  static constexpr Spmv *spmv[] = {_mlir_ciface_mlir_spmv_f64_scalar, _mlir_ciface_mlir_spmv_f64_vector};
  static constexpr Spmm *spmm[] = {_mlir_ciface_mlir_spmm_f64_scalar, _mlir_ciface_mlir_spmm_f64_vector};
  static constexpr Sddmm *sddmm[] = {_mlir_ciface_mlir_sddmm_f64_scalar, _mlir_ciface_mlir_sddmm_f64_vector};
};
template <> struct Functions<float> {
  static constexpr Spmv *spmv[] = {_mlir_ciface_mlir_spmv_f32_scalar, _mlir_ciface_mlir_spmv_f32_vector};
  static constexpr Spmm *spmm[] = {_mlir_ciface_mlir_spmm_f32_scalar, _mlir_ciface_mlir_spmm_f32_vector};
  static constexpr Sddmm *sddmm[] = {_mlir_ciface_mlir_sddmm_f32_scalar, _mlir_ciface_mlir_sddmm_f32_vector};
};

} // namespace values::mlir
