/* product(): made by spc from product.tex; do not edit.
 *
 *     C(i,j) = A(i,k) * B(k,j)
 *
 * Arguments. They must not overlap in memory. Coordinates count from 0; they are sorted and unique
 * unless said otherwise.
 *
 *   A  in, i x k; (i: dense, j: compressed), pointers i32, indices i32
 *   B  in, k x j; (i: dense, j: compressed), pointers i32, indices i32
 *   C  out, i x j; (i: dense, j: compressed), pointers i32, indices i32
 *      assembled: the call sets the struct, whatever it holds before, and allocates its arrays,
 *      which product_free releases
 *
 * Returns SPC_OK or what is wrong (spc_status_string() says it in words). Keeps no state: calls may run in parallel. */
#ifdef SPC_KERNEL_product
#if SPC_KERNEL_product != 0x4e2b99aa90cef6cau
#error "headers of two kernels called product, which differ: compile one of them with another --name"
#endif
#else
#define SPC_KERNEL_product 0x4e2b99aa90cef6cau

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

#ifdef __cplusplus
extern "C" {
#endif

/* What the object defines: call it by the functions below. The names hold a hash, so that an object and a header that do
 * not belong together do not link: of the arguments; of a hidden kernel (--visibility) of what is computed, too. */
spc_status product_spc5_4e2b99aa90cef6ca(
    const spc_context *ctx,
    const spc_csr_f64_i32 *A,
    const spc_csr_f64_i32 *B,
    spc_csr_f64_i32 *C);
spc_status product_symbolic_spc5_4e2b99aa90cef6ca(
    const spc_context *ctx,
    const spc_csr_f64_i32 *A,
    const spc_csr_f64_i32 *B,
    spc_csr_f64_i32 *C,
    spc_plan *plan);
spc_status product_numeric_spc5_4e2b99aa90cef6ca(
    const spc_context *ctx,
    const spc_csr_f64_i32 *A,
    const spc_csr_f64_i32 *B,
    spc_csr_f64_i32 *C,
    const spc_plan *plan);
void product_free_spc5_4e2b99aa90cef6ca(const spc_context *ctx, spc_csr_f64_i32 *C);

/* For callers that know no types: arguments[k] is the k-th pointer, or points to the k-th number; as text the arguments
 * are in spc_signature_product, JSON that ends with a 0. */
spc_status product_argv(const spc_context *ctx, void *const *arguments);
spc_status product_symbolic_argv(const spc_context *ctx, void *const *arguments);
spc_status product_numeric_argv(const spc_context *ctx, void *const *arguments);
void product_free_argv(const spc_context *ctx, void *const *arguments);
extern const char spc_signature_product[];

#ifdef __cplusplus
}
#endif

/* `ctx` gives memory and threads; NULL: malloc, free and the calling thread. */
static inline spc_status product_ctx(
    const spc_context *ctx,
    const spc_csr_f64_i32 *A,
    const spc_csr_f64_i32 *B,
    spc_csr_f64_i32 *C) {
  return product_spc5_4e2b99aa90cef6ca(ctx, A, B, C);
}

/* In two phases. _symbolic works out the pattern: everything but the values, whose array becomes NULL; it reads no
 * operand's values. _numeric computes the values of a pattern, as often as they change, into the output's array, which
 * it allocates where it is NULL; SPC_ERROR_PATTERN where an entry has no place in the pattern. `plan`, or NULL: what
 * _symbolic leaves to _numeric, so that this is faster, for spc_plan_free() to release; it is set whatever it was.
 * SPC_ERROR_PATTERN where structures are no longer those that the plan is of. */
static inline spc_status product_symbolic_ctx(
    const spc_context *ctx,
    const spc_csr_f64_i32 *A,
    const spc_csr_f64_i32 *B,
    spc_csr_f64_i32 *C,
    spc_plan *plan SPC_DETAIL_OPTIONAL) {
  return product_symbolic_spc5_4e2b99aa90cef6ca(ctx, A, B, C, plan);
}
static inline spc_status product_numeric_ctx(
    const spc_context *ctx,
    const spc_csr_f64_i32 *A,
    const spc_csr_f64_i32 *B,
    spc_csr_f64_i32 *C,
    const spc_plan *plan SPC_DETAIL_OPTIONAL) {
  return product_numeric_spc5_4e2b99aa90cef6ca(ctx, A, B, C, plan);
}

/* Releases the arrays of what this kernel has assembled and sets them to NULL; structs may be NULL. */
static inline void product_free_ctx(const spc_context *ctx, spc_csr_f64_i32 *C) {
  product_free_spc5_4e2b99aa90cef6ca(ctx, C);
}

/* With the default context: on the threads of OpenMP, or of spc/pool.h, where this program has either. */
static inline spc_status product(const spc_csr_f64_i32 *A, const spc_csr_f64_i32 *B, spc_csr_f64_i32 *C) {
  const spc_context ctx = spc_default_context();
  return product_ctx(&ctx, A, B, C);
}

static inline spc_status product_symbolic(
    const spc_csr_f64_i32 *A,
    const spc_csr_f64_i32 *B,
    spc_csr_f64_i32 *C,
    spc_plan *plan SPC_DETAIL_OPTIONAL) {
  const spc_context ctx = spc_default_context();
  return product_symbolic_ctx(&ctx, A, B, C, plan);
}

static inline spc_status product_numeric(
    const spc_csr_f64_i32 *A,
    const spc_csr_f64_i32 *B,
    spc_csr_f64_i32 *C,
    const spc_plan *plan SPC_DETAIL_OPTIONAL) {
  const spc_context ctx = spc_default_context();
  return product_numeric_ctx(&ctx, A, B, C, plan);
}

static inline void product_free(spc_csr_f64_i32 *C) {
  const spc_context ctx = spc_default_context();
  product_free_ctx(&ctx, C);
}

#ifdef SPC_DETAIL_NAMED_ARGUMENTS
extern "C++" {
/* The arguments by name, in this order: product({.A = A, .B = B, .C = C}). None may be left out. */
struct product_arguments {
  const spc_csr_f64_i32 &A;
  const spc_csr_f64_i32 &B;
  spc_csr_f64_i32 &C;
};
static inline spc_status product(const product_arguments &arguments) {
  return product(&arguments.A, &arguments.B, &arguments.C);
}
static inline spc_status product_ctx(const spc_context *ctx, const product_arguments &arguments) {
  return product_ctx(ctx, &arguments.A, &arguments.B, &arguments.C);
}
static inline spc_status product_symbolic(
    const product_arguments &arguments,
    spc_plan *plan SPC_DETAIL_OPTIONAL) {
  return product_symbolic(&arguments.A, &arguments.B, &arguments.C, plan);
}
static inline spc_status product_symbolic_ctx(
    const spc_context *ctx,
    const product_arguments &arguments,
    spc_plan *plan SPC_DETAIL_OPTIONAL) {
  return product_symbolic_ctx(ctx, &arguments.A, &arguments.B, &arguments.C, plan);
}
static inline spc_status product_numeric(
    const product_arguments &arguments,
    const spc_plan *plan SPC_DETAIL_OPTIONAL) {
  return product_numeric(&arguments.A, &arguments.B, &arguments.C, plan);
}
static inline spc_status product_numeric_ctx(
    const spc_context *ctx,
    const product_arguments &arguments,
    const spc_plan *plan SPC_DETAIL_OPTIONAL) {
  return product_numeric_ctx(ctx, &arguments.A, &arguments.B, &arguments.C, plan);
}
}
#endif

#endif
