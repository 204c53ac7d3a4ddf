/* norms(): made by spc from norms.tex; do not edit.
 *
 *     s = A(i,j) * A(i,j)
 *     w = z * z
 *
 * Arguments. They must not overlap in memory. Coordinates count from 0; they are sorted and unique
 * unless said otherwise.
 *
 *   z    in, scalar
 *   A_0  in, m x n; (i: dense, j: compressed non-unique unordered, width 8), indices i32
 *        part 0 of A, which is the sum of its parts
 *   A_1  in, m x n; (i: compressed non-unique, j: singleton), indices i32
 *        part 1 of A, which is the sum of its parts
 *   s    out, scalar
 *   w    out, scalar
 *
 * Returns SPC_OK or what is wrong (spc_status_string() says it in words). Keeps no state: calls may run in parallel. */
#ifdef SPC_KERNEL_norms
#if SPC_KERNEL_norms != 0x9fc8fadbefee3becu
#error "headers of two kernels called norms, which differ: compile one of them with another --name"
#endif
#else
#define SPC_KERNEL_norms 0x9fc8fadbefee3becu

#include "spc.h"
#include "message.h"
#include "plan.h"
#include "levels.h"

#ifndef SPC_TYPE_ELL8_F64_I32
#define SPC_TYPE_ELL8_F64_I32

/* From the outside in: (i: dense, j: compressed non-unique unordered, width 8), indices i32. */
typedef struct spc_ell8_f64_i32 {
  int64_t nrows; /* extent of dimension 0 */
  int64_t ncols; /* extent of dimension 1 */
  const int32_t *col_ind; /* coordinates of level 1, j */
  const double *values; /* stored values, in the order of the entries */
} spc_ell8_f64_i32;

SPC_DETAIL_ASSERT_FIELD(spc_ell8_f64_i32, nrows, 0);
SPC_DETAIL_ASSERT_FIELD(spc_ell8_f64_i32, ncols, 1);
SPC_DETAIL_ASSERT_FIELD(spc_ell8_f64_i32, col_ind, 2);
SPC_DETAIL_ASSERT_FIELD(spc_ell8_f64_i32, values, 3);
SPC_DETAIL_ASSERT_SIZE(spc_ell8_f64_i32, 4);

/* Checks extents, that coordinates are in range and in order. SPC_OK when all is well. */
static inline spc_status spc_ell8_f64_i32_validate(const spc_ell8_f64_i32 *t) {
  if (t == NULL)
    return SPC_ERROR_NULL;
  spc_detail_level levels[2];
  if (t->nrows < 0 || t->ncols < 0)
    return SPC_ERROR_SHAPE;
  levels[0] = spc_detail_make_level(SPC_DETAIL_LEVEL_DENSE, 0, t->nrows, SPC_DETAIL_UNIQUE | SPC_DETAIL_ORDERED);
  levels[1] = spc_detail_make_level(SPC_DETAIL_LEVEL_FIXED, 0, t->ncols, 0);
  levels[1].count = 8;
  levels[1].indices = t->col_ind;
  levels[1].index_bits = 32;
  return spc_detail_validate_levels(levels, 2, NULL, t->values);
}

/* The values of a tensor that may be written: not of one over const data. */
static inline double *spc_ell8_f64_i32_values(spc_ell8_f64_i32 *t) {
  return SPC_DETAIL_MUTABLE(double *, t->values);
}

/* Releases the arrays, which a call with this context has assembled, sets them to NULL and the counts to 0. NULL and what is
 * released already are fine. */
static inline void spc_ell8_f64_i32_free_ctx(const spc_context *ctx, spc_ell8_f64_i32 *t) {
  if (t == NULL)
    return;
  spc_detail_release(ctx, t->col_ind);
  spc_detail_release(ctx, t->values);
  t->col_ind = NULL;
  t->values = NULL;
}

/* The same of a call without a context. */
static inline void spc_ell8_f64_i32_free(spc_ell8_f64_i32 *t) {
  spc_ell8_f64_i32_free_ctx(NULL, t);
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
spc_status norms_spc5_9fc8fadbefee3bec(
    const spc_context *ctx,
    const spc_cf64 *z,
    const spc_ell8_f64_i32 *A_0,
    const spc_coo2_f64_i32 *A_1,
    double *s,
    spc_cf64 *w);

/* For callers that know no types: arguments[k] is the k-th pointer, or points to the k-th number; as text the arguments
 * are in spc_signature_norms, JSON that ends with a 0. */
spc_status norms_argv(const spc_context *ctx, void *const *arguments);
extern const char spc_signature_norms[];

#ifdef __cplusplus
}
#endif

/* `ctx` gives memory and threads; NULL: malloc, free and the calling thread. */
static inline spc_status norms_ctx(
    const spc_context *ctx,
    const spc_cf64 *z,
    const spc_ell8_f64_i32 *A_0,
    const spc_coo2_f64_i32 *A_1,
    double *s,
    spc_cf64 *w) {
  return norms_spc5_9fc8fadbefee3bec(ctx, z, A_0, A_1, s, w);
}

/* With the default context: on the threads of OpenMP, or of spc/pool.h, where this program has either. */
static inline spc_status norms(
    const spc_cf64 *z,
    const spc_ell8_f64_i32 *A_0,
    const spc_coo2_f64_i32 *A_1,
    double *s,
    spc_cf64 *w) {
  const spc_context ctx = spc_default_context();
  return norms_ctx(&ctx, z, A_0, A_1, s, w);
}

#ifdef SPC_DETAIL_NAMED_ARGUMENTS
extern "C++" {
/* The arguments by name, in this order: norms({.z = z, .A_0 = A_0, .A_1 = A_1, .s = s, .w = w}). None may be left out. */
struct norms_arguments {
  const spc_cf64 &z;
  const spc_ell8_f64_i32 &A_0;
  const spc_coo2_f64_i32 &A_1;
  double &s;
  spc_cf64 &w;
};
static inline spc_status norms(const norms_arguments &arguments) {
  return norms(&arguments.z, &arguments.A_0, &arguments.A_1, &arguments.s, &arguments.w);
}
static inline spc_status norms_ctx(const spc_context *ctx, const norms_arguments &arguments) {
  return norms_ctx(ctx, &arguments.z, &arguments.A_0, &arguments.A_1, &arguments.s, &arguments.w);
}
}
#endif

#endif
