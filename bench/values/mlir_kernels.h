// The functions that mlir-opt's sparsifier makes of mlir/*.mlir.in, and their arguments.
#pragma once

#include "mlir_arrays.h"
#include "task.h"

namespace values::mlir {

using namespace ::mlir;

// A sparse operand is its arrays and its storage specifier, a struct that is passed in pieces: the levels' sizes, then
// those of the arrays.
using I = int64_t;
#define SPC_MLIR_CSR Array1 *, Array1 *, Array1 *, I, I, I, I, I
#define SPC_MLIR_ENTRIES Array1 *, Array1 *, Array1 *, Array1 *, I, I, I, I, I, I, I
#define SPC_MLIR_BSR Array1 *, Array1 *, Array1 *, I, I, I, I, I, I, I
#define SPC_MLIR_CSF Array1 *, Array1 *, Array1 *, Array1 *, Array1 *, Array1 *, Array1 *, I, I, I, I, I, I, I, I, I, I

using Spmv = void(SPC_MLIR_CSR, Array1 *x, Array1 *y);
using Spmm = void(SPC_MLIR_CSR, Array2 *b, Array2 *c);
using Sddmm = void(SPC_MLIR_ENTRIES, Array2 *a, Array2 *b, Array1 *d);
using BsrSpmv = void(SPC_MLIR_BSR, Array1 *x, Array1 *y);
using BsrSpmm = void(SPC_MLIR_BSR, Array2 *b, Array2 *c);
using Mttkrp = void(SPC_MLIR_CSF, Array2 *b, Array2 *c, Array2 *m);
using Ttv = void(SPC_MLIR_CSF, Array1 *x, Array2 *y);
using Ttm = void(SPC_MLIR_CSF, Array2 *b, Array3 *y);

/// The functions for a type of values, scalar and vectorised.
template <class T> struct Functions;

#define SPC_MLIR_FUNCTIONS(type, variant)                                                                              \
  Spmv _mlir_ciface_mlir_spmv_##type##_##variant;                                                                      \
  Spmm _mlir_ciface_mlir_spmm_##type##_##variant;                                                                      \
  Sddmm _mlir_ciface_mlir_sddmm_##type##_##variant;                                                                    \
  BsrSpmv _mlir_ciface_mlir_bsr_spmv_##type##_##variant;                                                               \
  BsrSpmm _mlir_ciface_mlir_bsr_spmm_##type##_##variant;                                                               \
  Mttkrp _mlir_ciface_mlir_mttkrp_##type##_##variant;                                                                  \
  Ttv _mlir_ciface_mlir_ttv_##type##_##variant;                                                                        \
  Ttm _mlir_ciface_mlir_ttm_##type##_##variant;
#define SPC_MLIR_PAIR(kernel, type)                                                                                    \
  {_mlir_ciface_mlir_##kernel##_##type##_scalar, _mlir_ciface_mlir_##kernel##_##type##_vector}
#define SPC_MLIR_TYPE(T, type)                                                                                         \
  extern "C" {                                                                                                         \
  SPC_MLIR_FUNCTIONS(type, scalar)                                                                                     \
  SPC_MLIR_FUNCTIONS(type, vector)                                                                                     \
  }                                                                                                                    \
  template <> struct Functions<T> {                                                                                    \
    static constexpr Spmv *spmv[] = SPC_MLIR_PAIR(spmv, type);                                                         \
    static constexpr Spmm *spmm[] = SPC_MLIR_PAIR(spmm, type);                                                         \
    static constexpr Sddmm *sddmm[] = SPC_MLIR_PAIR(sddmm, type);                                                      \
    static constexpr BsrSpmv *bsrSpmv[] = SPC_MLIR_PAIR(bsr_spmv, type);                                               \
    static constexpr BsrSpmm *bsrSpmm[] = SPC_MLIR_PAIR(bsr_spmm, type);                                               \
    static constexpr Mttkrp *mttkrp[] = SPC_MLIR_PAIR(mttkrp, type);                                                   \
    static constexpr Ttv *ttv[] = SPC_MLIR_PAIR(ttv, type);                                                            \
    static constexpr Ttm *ttm[] = SPC_MLIR_PAIR(ttm, type);                                                            \
  };
SPC_MLIR_TYPE(double, f64)
SPC_MLIR_TYPE(float, f32)
#undef SPC_MLIR_FUNCTIONS
#undef SPC_MLIR_PAIR
#undef SPC_MLIR_TYPE

inline constexpr const char *kVariants[] = {"scalar", "vector"};

/// Calls body(slice) for all slices, each by a thread.
template <class Slice, class Body> void forSlices(const std::vector<Slice> &slices, const Body &body) {
  struct Closure {
    const std::vector<Slice> &slices;
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

/// addMlir for kernels on tensors of order 3.
template <class T> void addTensorKernels(Contenders<T> &, const Problem<T> &, int threads);

} // namespace values::mlir
