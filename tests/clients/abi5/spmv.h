/* spmv(): made by spc from spmv.tex; do not edit.
 *
 *     y(i) += alpha * A(i,j) * x(j)
 *
 * Arguments. They must not overlap in memory. Coordinates count from 0; they are sorted and unique
 * unless said otherwise.
 *
 *   alpha  in, scalar
 *   A      in, i x j; (i: dense, j: compressed), pointers i32, indices i32
 *   x      in, j; dense
 *   y      in/out, i; dense
 *
 * Returns SPC_OK or what is wrong (spc_status_string() says it in words). Keeps no state: calls may run in parallel. */
#ifdef SPC_KERNEL_spmv
#if SPC_KERNEL_spmv != 0x1061f373ecbd139bu
#error "headers of two kernels called spmv, which differ: compile one of them with another --name"
#endif
#else
#define SPC_KERNEL_spmv 0x1061f373ecbd139bu

#include "spc.h"
#include "message.h"
#include "plan.h"
#include "levels.h"

#ifndef SPC_TYPE_CSR_F64_I32
#define SPC_TYPE_CSR_F64_I32

/* From the outside in: (i: dense, j: compressed), pointers i32, indices i32. */
typedef struct spc_csr_f64_i32 {
  int64_t nrows; /* extent of dimension 0 */
  int64_t ncols; /* extent of dimension 1 */
  int64_t nnz; /* stored values */
  const int32_t *row_ptr; /* where the entries of each parent begin in level 1, then their number */
  const int32_t *col_ind; /* coordinates of level 1, j */
  const double *values; /* stored values, in the order of the entries */
} spc_csr_f64_i32;

SPC_DETAIL_ASSERT_FIELD(spc_csr_f64_i32, nrows, 0);
SPC_DETAIL_ASSERT_FIELD(spc_csr_f64_i32, ncols, 1);
SPC_DETAIL_ASSERT_FIELD(spc_csr_f64_i32, nnz, 2);
SPC_DETAIL_ASSERT_FIELD(spc_csr_f64_i32, row_ptr, 3);
SPC_DETAIL_ASSERT_FIELD(spc_csr_f64_i32, col_ind, 4);
SPC_DETAIL_ASSERT_FIELD(spc_csr_f64_i32, values, 5);
SPC_DETAIL_ASSERT_SIZE(spc_csr_f64_i32, 6);

/* Checks extents, counts, pointers, that coordinates are in range and in order. SPC_OK when all is well. */
static inline spc_status spc_csr_f64_i32_validate(const spc_csr_f64_i32 *t) {
  if (t == NULL)
    return SPC_ERROR_NULL;
  spc_detail_level levels[2];
  if (t->nrows < 0 || t->ncols < 0)
    return SPC_ERROR_SHAPE;
  levels[0] = spc_detail_make_level(SPC_DETAIL_LEVEL_DENSE, 0, t->nrows, SPC_DETAIL_UNIQUE | SPC_DETAIL_ORDERED);
  levels[1] = spc_detail_make_level(SPC_DETAIL_LEVEL_COMPRESSED, 0, t->ncols, SPC_DETAIL_UNIQUE | SPC_DETAIL_ORDERED);
  levels[1].pointers = t->row_ptr;
  levels[1].pointer_bits = 32;
  levels[1].indices = t->col_ind;
  levels[1].index_bits = 32;
  return spc_detail_validate_levels(levels, 2, &t->nnz, t->values);
}

/* The values of a tensor that may be written: not of one over const data. */
static inline double *spc_csr_f64_i32_values(spc_csr_f64_i32 *t) {
  return SPC_DETAIL_MUTABLE(double *, t->values);
}

/* Releases the arrays, which a call with this context has assembled, sets them to NULL and the counts to 0. NULL and what is
 * released already are fine. */
static inline void spc_csr_f64_i32_free_ctx(const spc_context *ctx, spc_csr_f64_i32 *t) {
  if (t == NULL)
    return;
  spc_detail_release(ctx, t->row_ptr);
  spc_detail_release(ctx, t->col_ind);
  spc_detail_release(ctx, t->values);
  t->nnz = 0;
  t->row_ptr = NULL;
  t->col_ind = NULL;
  t->values = NULL;
}

/* The same of a call without a context. */
static inline void spc_csr_f64_i32_free(spc_csr_f64_i32 *t) {
  spc_csr_f64_i32_free_ctx(NULL, t);
}

#endif

#ifndef SPC_TYPE_DENSE1_F64
#define SPC_TYPE_DENSE1_F64

/* Dense. */
typedef struct spc_dense1_f64 {
  int64_t size; /* extent of dimension 0 */
  int64_t stride; /* elements from one coordinate to the next */
  const double *values; /* elements */
} spc_dense1_f64;

SPC_DETAIL_ASSERT_FIELD(spc_dense1_f64, size, 0);
SPC_DETAIL_ASSERT_FIELD(spc_dense1_f64, stride, 1);
SPC_DETAIL_ASSERT_FIELD(spc_dense1_f64, values, 2);
SPC_DETAIL_ASSERT_SIZE(spc_dense1_f64, 3);

/* Checks extents, and that no two elements are in one place. SPC_OK when all is well. */
static inline spc_status spc_dense1_f64_validate(const spc_dense1_f64 *t) {
  if (t == NULL)
    return SPC_ERROR_NULL;
  return spc_detail_validate_dense(&t->size, &t->stride, 1, 0, t->values);
}

/* The values of a tensor that may be written: not of one over const data. */
static inline double *spc_dense1_f64_values(spc_dense1_f64 *t) {
  return SPC_DETAIL_MUTABLE(double *, t->values);
}

/* A contiguous tensor over the caller's values. */
static inline spc_dense1_f64 spc_dense1_f64_make(const double *values, int64_t size) {
  const spc_dense1_f64 t = {size, 1, values};
  return t;
}

#endif

#ifdef __cplusplus
extern "C" {
#endif

/* What the object defines: call it by the functions below. The names hold a hash, so that an object and a header that do
 * not belong together do not link: of the arguments; of a hidden kernel (--visibility) of what is computed, too. */
spc_status spmv_spc5_1061f373ecbd139b(
    const spc_context *ctx,
    double alpha,
    const spc_csr_f64_i32 *A,
    const spc_dense1_f64 *x,
    spc_dense1_f64 *y);

/* For callers that know no types: arguments[k] is the k-th pointer, or points to the k-th number; as text the arguments
 * are in spc_signature_spmv, JSON that ends with a 0. */
spc_status spmv_argv(const spc_context *ctx, void *const *arguments);
extern const char spc_signature_spmv[];

#ifdef __cplusplus
}
#endif

/* `ctx` gives memory and threads; NULL: malloc, free and the calling thread. */
static inline spc_status spmv_ctx(
    const spc_context *ctx,
    double alpha,
    const spc_csr_f64_i32 *A,
    const spc_dense1_f64 *x,
    spc_dense1_f64 *y) {
  return spmv_spc5_1061f373ecbd139b(ctx, alpha, A, x, y);
}

/* With the default context: on the threads of OpenMP, or of spc/pool.h, where this program has either. */
static inline spc_status spmv(
    double alpha,
    const spc_csr_f64_i32 *A,
    const spc_dense1_f64 *x,
    spc_dense1_f64 *y) {
  const spc_context ctx = spc_default_context();
  return spmv_ctx(&ctx, alpha, A, x, y);
}

#ifdef SPC_DETAIL_NAMED_ARGUMENTS
extern "C++" {
/* The arguments by name, in this order: spmv({.alpha = alpha, .A = A, .x = x, .y = y}). None may be left out. */
struct spmv_arguments {
  spc_detail_argument<double> alpha;
  const spc_csr_f64_i32 &A;
  const spc_dense1_f64 &x;
  spc_dense1_f64 &y;
};
static inline spc_status spmv(const spmv_arguments &arguments) {
  return spmv(arguments.alpha.value, &arguments.A, &arguments.x, &arguments.y);
}
static inline spc_status spmv_ctx(const spc_context *ctx, const spmv_arguments &arguments) {
  return spmv_ctx(ctx, arguments.alpha.value, &arguments.A, &arguments.x, &arguments.y);
}
}
#endif

#endif
