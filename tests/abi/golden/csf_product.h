/* csf_product(): made by spc from csf.tex; do not edit.
 *
 *     Y(i,j) = T(i,j,k)*V(j)
 *
 * Arguments. They must not overlap in memory. Coordinates count from 0; they are sorted and unique
 * unless said otherwise.
 *
 *   T  in, i x j x k; (k: compressed, i: compressed, j: compressed), pointers i64, indices i32
 *   V  in, j; (i: compressed), indices i32
 *   Y  out, i x j; dense, dimension 0 innermost
 *
 * Returns SPC_OK or what is wrong (spc_status_string() says it in words). Keeps no state: calls may run in parallel. */
#ifdef SPC_KERNEL_csf_product
#if SPC_KERNEL_csf_product != 0xf9a61cdd0e0e9c4fu
#error "headers of two kernels called csf_product, which differ: compile one of them with another --name"
#endif
#else
#define SPC_KERNEL_csf_product 0xf9a61cdd0e0e9c4fu

/* the text of spc/spc.h and spc/levels.h */

#ifndef SPC_TYPE_CSF3_201_F64_P64_I32
#define SPC_TYPE_CSF3_201_F64_P64_I32

/* From the outside in: (k: compressed, i: compressed, j: compressed), pointers i64, indices i32. */
typedef struct spc_csf3_201_f64_p64_i32 {
  int64_t shape[3]; /* extents by dimension */
  int64_t nnz; /* stored values */
  int64_t count_0; /* entries of level 0 */
  int64_t count_1; /* entries of level 1 */
  const int32_t *indices_0; /* coordinates of level 0, k */
  const int64_t *pointers_to_1; /* where the entries of each parent begin in level 1, then their number */
  const int32_t *indices_1; /* coordinates of level 1, i */
  const int64_t *pointers_to_2; /* where the entries of each parent begin in level 2, then their number */
  const int32_t *indices_2; /* coordinates of level 2, j */
  const double *values; /* stored values, in the order of the entries */
} spc_csf3_201_f64_p64_i32;

SPC_DETAIL_ASSERT_FIELD(spc_csf3_201_f64_p64_i32, shape, 0);
SPC_DETAIL_ASSERT_FIELD(spc_csf3_201_f64_p64_i32, nnz, 3);
SPC_DETAIL_ASSERT_FIELD(spc_csf3_201_f64_p64_i32, count_0, 4);
SPC_DETAIL_ASSERT_FIELD(spc_csf3_201_f64_p64_i32, count_1, 5);
SPC_DETAIL_ASSERT_FIELD(spc_csf3_201_f64_p64_i32, indices_0, 6);
SPC_DETAIL_ASSERT_FIELD(spc_csf3_201_f64_p64_i32, pointers_to_1, 7);
SPC_DETAIL_ASSERT_FIELD(spc_csf3_201_f64_p64_i32, indices_1, 8);
SPC_DETAIL_ASSERT_FIELD(spc_csf3_201_f64_p64_i32, pointers_to_2, 9);
SPC_DETAIL_ASSERT_FIELD(spc_csf3_201_f64_p64_i32, indices_2, 10);
SPC_DETAIL_ASSERT_FIELD(spc_csf3_201_f64_p64_i32, values, 11);
SPC_DETAIL_ASSERT_SIZE(spc_csf3_201_f64_p64_i32, 12);

/* Checks extents, counts, pointers, that coordinates are in range and in order. SPC_OK when all is well. */
static inline spc_status spc_csf3_201_f64_p64_i32_validate(const spc_csf3_201_f64_p64_i32 *t) {
  if (t == NULL)
    return SPC_ERROR_NULL;
  spc_detail_level levels[3];
  if (t->shape[0] < 0 || t->shape[1] < 0 || t->shape[2] < 0)
    return SPC_ERROR_SHAPE;
  levels[0] = spc_detail_make_level(SPC_DETAIL_LEVEL_ROOT, 0, t->shape[2], SPC_DETAIL_UNIQUE | SPC_DETAIL_ORDERED);
  levels[0].count = t->count_0;
  levels[0].indices = t->indices_0;
  levels[0].index_bits = 32;
  levels[1] = spc_detail_make_level(SPC_DETAIL_LEVEL_COMPRESSED, 0, t->shape[0], SPC_DETAIL_UNIQUE | SPC_DETAIL_ORDERED | SPC_DETAIL_COUNTED);
  levels[1].count = t->count_1;
  levels[1].pointers = t->pointers_to_1;
  levels[1].pointer_bits = 64;
  levels[1].indices = t->indices_1;
  levels[1].index_bits = 32;
  levels[2] = spc_detail_make_level(SPC_DETAIL_LEVEL_COMPRESSED, 0, t->shape[1], SPC_DETAIL_UNIQUE | SPC_DETAIL_ORDERED);
  levels[2].pointers = t->pointers_to_2;
  levels[2].pointer_bits = 64;
  levels[2].indices = t->indices_2;
  levels[2].index_bits = 32;
  return spc_detail_validate_levels(levels, 3, &t->nnz, t->values);
}

/* The values of a tensor that may be written: not of one over const data. */
static inline double *spc_csf3_201_f64_p64_i32_values(spc_csf3_201_f64_p64_i32 *t) {
  return SPC_DETAIL_MUTABLE(double *, t->values);
}

/* Releases the arrays, which a call with this context has assembled, sets them to NULL and the counts to 0. NULL and what is
 * released already are fine. */
static inline void spc_csf3_201_f64_p64_i32_free_ctx(const spc_context *ctx, spc_csf3_201_f64_p64_i32 *t) {
  if (t == NULL)
    return;
  spc_detail_release(ctx, t->indices_0);
  spc_detail_release(ctx, t->pointers_to_1);
  spc_detail_release(ctx, t->indices_1);
  spc_detail_release(ctx, t->pointers_to_2);
  spc_detail_release(ctx, t->indices_2);
  spc_detail_release(ctx, t->values);
  t->nnz = 0;
  t->count_0 = 0;
  t->count_1 = 0;
  t->indices_0 = NULL;
  t->pointers_to_1 = NULL;
  t->indices_1 = NULL;
  t->pointers_to_2 = NULL;
  t->indices_2 = NULL;
  t->values = NULL;
}

/* The same of a call without a context. */
static inline void spc_csf3_201_f64_p64_i32_free(spc_csf3_201_f64_p64_i32 *t) {
  spc_csf3_201_f64_p64_i32_free_ctx(NULL, t);
}

#endif

#ifndef SPC_TYPE_SPVEC_F64_I32
#define SPC_TYPE_SPVEC_F64_I32

/* From the outside in: (i: compressed), indices i32. */
typedef struct spc_spvec_f64_i32 {
  int64_t size; /* extent of dimension 0 */
  int64_t nnz; /* stored values */
  const int32_t *indices_0; /* coordinates of level 0, i */
  const double *values; /* stored values, in the order of the entries */
} spc_spvec_f64_i32;

SPC_DETAIL_ASSERT_FIELD(spc_spvec_f64_i32, size, 0);
SPC_DETAIL_ASSERT_FIELD(spc_spvec_f64_i32, nnz, 1);
SPC_DETAIL_ASSERT_FIELD(spc_spvec_f64_i32, indices_0, 2);
SPC_DETAIL_ASSERT_FIELD(spc_spvec_f64_i32, values, 3);
SPC_DETAIL_ASSERT_SIZE(spc_spvec_f64_i32, 4);

/* Checks extents, counts, pointers, that coordinates are in range and in order. SPC_OK when all is well. */
static inline spc_status spc_spvec_f64_i32_validate(const spc_spvec_f64_i32 *t) {
  if (t == NULL)
    return SPC_ERROR_NULL;
  spc_detail_level levels[1];
  if (t->size < 0)
    return SPC_ERROR_SHAPE;
  levels[0] = spc_detail_make_level(SPC_DETAIL_LEVEL_ROOT, 0, t->size, SPC_DETAIL_UNIQUE | SPC_DETAIL_ORDERED);
  levels[0].count = t->nnz;
  levels[0].indices = t->indices_0;
  levels[0].index_bits = 32;
  return spc_detail_validate_levels(levels, 1, &t->nnz, t->values);
}

/* The values of a tensor that may be written: not of one over const data. */
static inline double *spc_spvec_f64_i32_values(spc_spvec_f64_i32 *t) {
  return SPC_DETAIL_MUTABLE(double *, t->values);
}

/* Releases the arrays, which a call with this context has assembled, sets them to NULL and the counts to 0. NULL and what is
 * released already are fine. */
static inline void spc_spvec_f64_i32_free_ctx(const spc_context *ctx, spc_spvec_f64_i32 *t) {
  if (t == NULL)
    return;
  spc_detail_release(ctx, t->indices_0);
  spc_detail_release(ctx, t->values);
  t->nnz = 0;
  t->indices_0 = NULL;
  t->values = NULL;
}

/* The same of a call without a context. */
static inline void spc_spvec_f64_i32_free(spc_spvec_f64_i32 *t) {
  spc_spvec_f64_i32_free_ctx(NULL, t);
}

#endif

#ifndef SPC_TYPE_DENSE2_10_F64
#define SPC_TYPE_DENSE2_10_F64

/* Dense, dimension 0 innermost. */
typedef struct spc_dense2_10_f64 {
  int64_t shape[2]; /* extents by dimension */
  int64_t strides[2]; /* elements from one coordinate to the next, by dimension */
  const double *values; /* elements */
} spc_dense2_10_f64;

SPC_DETAIL_ASSERT_FIELD(spc_dense2_10_f64, shape, 0);
SPC_DETAIL_ASSERT_FIELD(spc_dense2_10_f64, strides, 2);
SPC_DETAIL_ASSERT_FIELD(spc_dense2_10_f64, values, 4);
SPC_DETAIL_ASSERT_SIZE(spc_dense2_10_f64, 5);

/* Checks extents, and strides: innermost 1, no two elements in one place. SPC_OK when all is well. */
static inline spc_status spc_dense2_10_f64_validate(const spc_dense2_10_f64 *t) {
  if (t == NULL)
    return SPC_ERROR_NULL;
  return spc_detail_validate_dense(t->shape, t->strides, 2, 0, t->values);
}

/* The values of a tensor that may be written: not of one over const data. */
static inline double *spc_dense2_10_f64_values(spc_dense2_10_f64 *t) {
  return SPC_DETAIL_MUTABLE(double *, t->values);
}

/* A contiguous tensor over the caller's values. */
static inline spc_dense2_10_f64 spc_dense2_10_f64_make(const double *values, int64_t rows, int64_t cols) {
  const spc_dense2_10_f64 t = {{rows, cols}, {1, rows}, values};
  return t;
}

#endif

#ifdef __cplusplus
extern "C" {
#endif

/* What the object defines: call it by the functions below. The names hold a hash, so that an object and a header that do
 * not belong together do not link: of the arguments; of a hidden kernel (--visibility) of what is computed, too. */
spc_status csf_product_spc5_f9a61cdd0e0e9c4f(
    const spc_context *ctx,
    const spc_csf3_201_f64_p64_i32 *T,
    const spc_spvec_f64_i32 *V,
    spc_dense2_10_f64 *Y);

/* For callers that know no types: arguments[k] is the k-th pointer, or points to the k-th number; as text the arguments
 * are in spc_signature_csf_product, JSON that ends with a 0. */
spc_status csf_product_argv(const spc_context *ctx, void *const *arguments);
extern const char spc_signature_csf_product[];

#ifdef __cplusplus
}
#endif

/* `ctx` gives memory and threads; NULL: malloc, free and the calling thread. */
static inline spc_status csf_product_ctx(
    const spc_context *ctx,
    const spc_csf3_201_f64_p64_i32 *T,
    const spc_spvec_f64_i32 *V,
    spc_dense2_10_f64 *Y) {
  return csf_product_spc5_f9a61cdd0e0e9c4f(ctx, T, V, Y);
}

/* With the default context: on the threads of OpenMP, or of spc/pool.h, where this program has either. */
static inline spc_status csf_product(
    const spc_csf3_201_f64_p64_i32 *T,
    const spc_spvec_f64_i32 *V,
    spc_dense2_10_f64 *Y) {
  const spc_context ctx = spc_default_context();
  return csf_product_ctx(&ctx, T, V, Y);
}

#ifdef SPC_DETAIL_NAMED_ARGUMENTS
extern "C++" {
/* The arguments by name, in this order: csf_product({.T = T, .V = V, .Y = Y}). None may be left out. */
struct csf_product_arguments {
  const spc_csf3_201_f64_p64_i32 &T;
  const spc_spvec_f64_i32 &V;
  spc_dense2_10_f64 &Y;
};
static inline spc_status csf_product(const csf_product_arguments &arguments) {
  return csf_product(&arguments.T, &arguments.V, &arguments.Y);
}
static inline spc_status csf_product_ctx(const spc_context *ctx, const csf_product_arguments &arguments) {
  return csf_product_ctx(ctx, &arguments.T, &arguments.V, &arguments.Y);
}
}
#endif

#endif
