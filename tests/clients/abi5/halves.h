/* halves(): made by spc from halves.tex; do not edit.
 *
 *     y(i) = f32(h) * f32(b) * f32(x(i))
 *
 * Arguments. They must not overlap in memory. Coordinates count from 0; they are sorted and unique
 * unless said otherwise.
 *
 *   h  in, scalar
 *   b  in, scalar
 *   x  in, n; dense
 *   y  out, n; dense
 *
 * Returns SPC_OK or what is wrong (spc_status_string() says it in words). Keeps no state: calls may run in parallel. */
#ifdef SPC_KERNEL_halves
#if SPC_KERNEL_halves != 0x57f399dbab47d675u
#error "headers of two kernels called halves, which differ: compile one of them with another --name"
#endif
#else
#define SPC_KERNEL_halves 0x57f399dbab47d675u

#include "spc.h"
#include "message.h"
#include "plan.h"
#include "levels.h"

#ifndef SPC_TYPE_DENSE1_F16
#define SPC_TYPE_DENSE1_F16

/* Dense. */
typedef struct spc_dense1_f16 {
  int64_t size; /* extent of dimension 0 */
  int64_t stride; /* elements from one coordinate to the next */
  const spc_f16 *values; /* elements */
} spc_dense1_f16;

SPC_DETAIL_ASSERT_FIELD(spc_dense1_f16, size, 0);
SPC_DETAIL_ASSERT_FIELD(spc_dense1_f16, stride, 1);
SPC_DETAIL_ASSERT_FIELD(spc_dense1_f16, values, 2);
SPC_DETAIL_ASSERT_SIZE(spc_dense1_f16, 3);

/* Checks extents, and that no two elements are in one place. SPC_OK when all is well. */
static inline spc_status spc_dense1_f16_validate(const spc_dense1_f16 *t) {
  if (t == NULL)
    return SPC_ERROR_NULL;
  return spc_detail_validate_dense(&t->size, &t->stride, 1, 0, t->values);
}

/* The values of a tensor that may be written: not of one over const data. */
static inline spc_f16 *spc_dense1_f16_values(spc_dense1_f16 *t) {
  return SPC_DETAIL_MUTABLE(spc_f16 *, t->values);
}

/* A contiguous tensor over the caller's values. */
static inline spc_dense1_f16 spc_dense1_f16_make(const spc_f16 *values, int64_t size) {
  const spc_dense1_f16 t = {size, 1, values};
  return t;
}

#endif

#ifndef SPC_TYPE_DENSE1_F32
#define SPC_TYPE_DENSE1_F32

/* Dense. */
typedef struct spc_dense1_f32 {
  int64_t size; /* extent of dimension 0 */
  int64_t stride; /* elements from one coordinate to the next */
  const float *values; /* elements */
} spc_dense1_f32;

SPC_DETAIL_ASSERT_FIELD(spc_dense1_f32, size, 0);
SPC_DETAIL_ASSERT_FIELD(spc_dense1_f32, stride, 1);
SPC_DETAIL_ASSERT_FIELD(spc_dense1_f32, values, 2);
SPC_DETAIL_ASSERT_SIZE(spc_dense1_f32, 3);

/* Checks extents, and that no two elements are in one place. SPC_OK when all is well. */
static inline spc_status spc_dense1_f32_validate(const spc_dense1_f32 *t) {
  if (t == NULL)
    return SPC_ERROR_NULL;
  return spc_detail_validate_dense(&t->size, &t->stride, 1, 0, t->values);
}

/* The values of a tensor that may be written: not of one over const data. */
static inline float *spc_dense1_f32_values(spc_dense1_f32 *t) {
  return SPC_DETAIL_MUTABLE(float *, t->values);
}

/* A contiguous tensor over the caller's values. */
static inline spc_dense1_f32 spc_dense1_f32_make(const float *values, int64_t size) {
  const spc_dense1_f32 t = {size, 1, values};
  return t;
}

#endif

#ifdef __cplusplus
extern "C" {
#endif

/* What the object defines: call it by the functions below. The names hold a hash, so that an object and a header that do
 * not belong together do not link: of the arguments; of a hidden kernel (--visibility) of what is computed, too. */
spc_status halves_spc5_57f399dbab47d675(
    const spc_context *ctx,
    uint16_t h,
    uint16_t b,
    const spc_dense1_f16 *x,
    spc_dense1_f32 *y);

/* For callers that know no types: arguments[k] is the k-th pointer, or points to the k-th number; as text the arguments
 * are in spc_signature_halves, JSON that ends with a 0. */
spc_status halves_argv(const spc_context *ctx, void *const *arguments);
extern const char spc_signature_halves[];

#ifdef __cplusplus
}
#endif

/* `ctx` gives memory and threads; NULL: malloc, free and the calling thread. */
static inline spc_status halves_ctx(
    const spc_context *ctx,
    spc_f16 h,
    spc_bf16 b,
    const spc_dense1_f16 *x,
    spc_dense1_f32 *y) {
  return halves_spc5_57f399dbab47d675(ctx, h.bits, b.bits, x, y);
}

/* With the default context: on the threads of OpenMP, or of spc/pool.h, where this program has either. */
static inline spc_status halves(spc_f16 h, spc_bf16 b, const spc_dense1_f16 *x, spc_dense1_f32 *y) {
  const spc_context ctx = spc_default_context();
  return halves_ctx(&ctx, h, b, x, y);
}

#ifdef SPC_DETAIL_NAMED_ARGUMENTS
extern "C++" {
/* The arguments by name, in this order: halves({.h = h, .b = b, .x = x, .y = y}). None may be left out. */
struct halves_arguments {
  spc_detail_argument<spc_f16> h;
  spc_detail_argument<spc_bf16> b;
  const spc_dense1_f16 &x;
  spc_dense1_f32 &y;
};
static inline spc_status halves(const halves_arguments &arguments) {
  return halves(arguments.h.value, arguments.b.value, &arguments.x, &arguments.y);
}
static inline spc_status halves_ctx(const spc_context *ctx, const halves_arguments &arguments) {
  return halves_ctx(ctx, arguments.h.value, arguments.b.value, &arguments.x, &arguments.y);
}
}
#endif

#endif
