/* sampled(): made by spc from sampled.tex; do not edit.
 *
 *     D(i,j) = S(i,j) * A(i,k) * B(j,k)
 *
 * Arguments. They must not overlap in memory. Coordinates count from 0; they are sorted and unique
 * unless said otherwise.
 *
 *   A  in, i x k; dense, dimension 1 innermost
 *   B  in, j x k; dense, dimension 1 innermost
 *   S  in, i x j; (i: compressed non-unique, j: singleton), indices i32
 *   D  out, i x j; (i: compressed non-unique, j: singleton), indices i32
 *      has the entries of S: its values array has room for as many as S stores,
 *      its other arrays are those of S, or NULL, which the call replaces by them
 *
 * Returns SPC_OK or what is wrong (spc_status_string() says it in words). Keeps no state: calls may run in parallel. */
#ifdef SPC_KERNEL_sampled
#if SPC_KERNEL_sampled != 0x367a64e7a61f058bu
#error "headers of two kernels called sampled, which differ: compile one of them with another --name"
#endif
#else
#define SPC_KERNEL_sampled 0x367a64e7a61f058bu

#include "spc.h"
#include "message.h"
#include "plan.h"
#include "levels.h"

#ifndef SPC_TYPE_DENSE2_F64
#define SPC_TYPE_DENSE2_F64

/* Dense, dimension 1 innermost. */
typedef struct spc_dense2_f64 {
  int64_t shape[2]; /* extents by dimension */
  int64_t strides[2]; /* elements from one coordinate to the next, by dimension */
  const double *values; /* elements */
} spc_dense2_f64;

SPC_DETAIL_ASSERT_FIELD(spc_dense2_f64, shape, 0);
SPC_DETAIL_ASSERT_FIELD(spc_dense2_f64, strides, 2);
SPC_DETAIL_ASSERT_FIELD(spc_dense2_f64, values, 4);
SPC_DETAIL_ASSERT_SIZE(spc_dense2_f64, 5);

/* Checks extents, and strides: innermost 1, no two elements in one place. SPC_OK when all is well. */
static inline spc_status spc_dense2_f64_validate(const spc_dense2_f64 *t) {
  if (t == NULL)
    return SPC_ERROR_NULL;
  return spc_detail_validate_dense(t->shape, t->strides, 2, 1, t->values);
}

/* The values of a tensor that may be written: not of one over const data. */
static inline double *spc_dense2_f64_values(spc_dense2_f64 *t) {
  return SPC_DETAIL_MUTABLE(double *, t->values);
}

/* A contiguous tensor over the caller's values. */
static inline spc_dense2_f64 spc_dense2_f64_make(const double *values, int64_t rows, int64_t cols) {
  const spc_dense2_f64 t = {{rows, cols}, {cols, 1}, values};
  return t;
}

#endif

#ifndef SPC_TYPE_COO2_F64_I32
#define SPC_TYPE_COO2_F64_I32

/* From the outside in: (i: compressed non-unique, j: singleton), indices i32. */
typedef struct spc_coo2_f64_i32 {
  int64_t nrows; /* extent of dimension 0 */
  int64_t ncols; /* extent of dimension 1 */
  int64_t nnz; /* stored values */
  const int32_t *row_ind; /* coordinates of level 0, i */
  const int32_t *col_ind; /* coordinates of level 1, j */
  const double *values; /* stored values, in the order of the entries */
} spc_coo2_f64_i32;

SPC_DETAIL_ASSERT_FIELD(spc_coo2_f64_i32, nrows, 0);
SPC_DETAIL_ASSERT_FIELD(spc_coo2_f64_i32, ncols, 1);
SPC_DETAIL_ASSERT_FIELD(spc_coo2_f64_i32, nnz, 2);
SPC_DETAIL_ASSERT_FIELD(spc_coo2_f64_i32, row_ind, 3);
SPC_DETAIL_ASSERT_FIELD(spc_coo2_f64_i32, col_ind, 4);
SPC_DETAIL_ASSERT_FIELD(spc_coo2_f64_i32, values, 5);
SPC_DETAIL_ASSERT_SIZE(spc_coo2_f64_i32, 6);

/* Checks extents, counts, pointers, that coordinates are in range and in order. SPC_OK when all is well. */
static inline spc_status spc_coo2_f64_i32_validate(const spc_coo2_f64_i32 *t) {
  if (t == NULL)
    return SPC_ERROR_NULL;
  spc_detail_level levels[2];
  if (t->nrows < 0 || t->ncols < 0)
    return SPC_ERROR_SHAPE;
  levels[0] = spc_detail_make_level(SPC_DETAIL_LEVEL_ROOT, 0, t->nrows, SPC_DETAIL_ORDERED);
  levels[0].count = t->nnz;
  levels[0].indices = t->row_ind;
  levels[0].index_bits = 32;
  levels[1] = spc_detail_make_level(SPC_DETAIL_LEVEL_FIXED, 0, t->ncols, SPC_DETAIL_UNIQUE | SPC_DETAIL_ORDERED | SPC_DETAIL_CONTINUES);
  levels[1].count = 1;
  levels[1].indices = t->col_ind;
  levels[1].index_bits = 32;
  return spc_detail_validate_levels(levels, 2, &t->nnz, t->values);
}

/* The values of a tensor that may be written: not of one over const data. */
static inline double *spc_coo2_f64_i32_values(spc_coo2_f64_i32 *t) {
  return SPC_DETAIL_MUTABLE(double *, t->values);
}

/* Releases the arrays, which a call with this context has assembled, sets them to NULL and the counts to 0. NULL and what is
 * released already are fine. */
static inline void spc_coo2_f64_i32_free_ctx(const spc_context *ctx, spc_coo2_f64_i32 *t) {
  if (t == NULL)
    return;
  spc_detail_release(ctx, t->row_ind);
  spc_detail_release(ctx, t->col_ind);
  spc_detail_release(ctx, t->values);
  t->nnz = 0;
  t->row_ind = NULL;
  t->col_ind = NULL;
  t->values = NULL;
}

/* The same of a call without a context. */
static inline void spc_coo2_f64_i32_free(spc_coo2_f64_i32 *t) {
  spc_coo2_f64_i32_free_ctx(NULL, t);
}

#endif

#ifdef __cplusplus
extern "C" {
#endif

/* What the object defines: call it by the functions below. The names hold a hash, so that an object and a header that do
 * not belong together do not link: of the arguments; of a hidden kernel (--visibility) of what is computed, too. */
spc_status sampled_spc5_367a64e7a61f058b(
    const spc_context *ctx,
    const spc_dense2_f64 *A,
    const spc_dense2_f64 *B,
    const spc_coo2_f64_i32 *S,
    spc_coo2_f64_i32 *D);

/* For callers that know no types: arguments[k] is the k-th pointer, or points to the k-th number; as text the arguments
 * are in spc_signature_sampled, JSON that ends with a 0. */
spc_status sampled_argv(const spc_context *ctx, void *const *arguments);
extern const char spc_signature_sampled[];

#ifdef __cplusplus
}
#endif

/* `ctx` gives memory and threads; NULL: malloc, free and the calling thread. */
static inline spc_status sampled_ctx(
    const spc_context *ctx,
    const spc_dense2_f64 *A,
    const spc_dense2_f64 *B,
    const spc_coo2_f64_i32 *S,
    spc_coo2_f64_i32 *D) {
  return sampled_spc5_367a64e7a61f058b(ctx, A, B, S, D);
}

/* With the default context: on the threads of OpenMP, or of spc/pool.h, where this program has either. */
static inline spc_status sampled(
    const spc_dense2_f64 *A,
    const spc_dense2_f64 *B,
    const spc_coo2_f64_i32 *S,
    spc_coo2_f64_i32 *D) {
  const spc_context ctx = spc_default_context();
  return sampled_ctx(&ctx, A, B, S, D);
}

#ifdef SPC_DETAIL_NAMED_ARGUMENTS
extern "C++" {
/* The arguments by name, in this order: sampled({.A = A, .B = B, .S = S, .D = D}). None may be left out. */
struct sampled_arguments {
  const spc_dense2_f64 &A;
  const spc_dense2_f64 &B;
  const spc_coo2_f64_i32 &S;
  spc_coo2_f64_i32 &D;
};
static inline spc_status sampled(const sampled_arguments &arguments) {
  return sampled(&arguments.A, &arguments.B, &arguments.S, &arguments.D);
}
static inline spc_status sampled_ctx(const spc_context *ctx, const sampled_arguments &arguments) {
  return sampled_ctx(ctx, &arguments.A, &arguments.B, &arguments.S, &arguments.D);
}
}
#endif

#endif
