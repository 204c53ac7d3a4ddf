/* The common part of spc's C interface: statuses, number types, the context.
 * C11 and C++17. Every generated header carries this text and those of spc/message.h and spc/levels.h, so that it needs
 * no other file. SPDX-License-Identifier: Apache-2.0 */
#ifdef SPC_CONVENTION_H
#if SPC_ABI_VERSION != 5
#error "headers made by different versions of spc cannot be mixed: compile these kernels anew with one version"
#endif
#elif defined(SPC_ABI_VERSION) /* of a version whose headers have another guard */
#error "headers made by different versions of spc cannot be mixed: compile these kernels anew with one version"
#else
#define SPC_CONVENTION_H

/* Changes with every change of the calling convention or of this text that generated code would notice. */
#define SPC_ABI_VERSION 5

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#ifndef SPC_SHARES_H
#include "shares.h"
#endif
#ifdef _OPENMP
#include <omp.h>
#endif

#ifdef __cplusplus
#define SPC_DETAIL_STATIC_ASSERT static_assert
#define SPC_DETAIL_CAST(type, value) static_cast<type>(value)
#define SPC_DETAIL_MUTABLE(type, pointer) const_cast<type>(pointer)
#define SPC_NOEXCEPT noexcept
#define SPC_DETAIL_OPTIONAL = nullptr /* of a parameter, in C++ */
#else
#define SPC_DETAIL_STATIC_ASSERT _Static_assert
#define SPC_DETAIL_CAST(type, value) ((type)(value))
#define SPC_DETAIL_MUTABLE(type, pointer) ((type)(uintptr_t)(pointer))
#define SPC_NOEXCEPT
#define SPC_DETAIL_OPTIONAL
#endif

#if defined(__cplusplus) && (__cplusplus >= 202002L || (defined(_MSVC_LANG) && _MSVC_LANG >= 202002L))
#define SPC_DETAIL_NAMED_ARGUMENTS 1
extern "C++" { /* also where the header is included in an extern "C" */
template <typename T>
concept spc_detail_integral = requires(T given) { 1 << given; };
/* A number or an array as a member that has to be given. Fractions are no integers, and pointers no truth values. */
template <typename T> struct spc_detail_argument {
  T value;
  constexpr spc_detail_argument(T given) noexcept : value(given) {}
  template <typename U>
    requires(spc_detail_integral<T> && !spc_detail_integral<U>)
  spc_detail_argument(U given) = delete;
};
}
#endif

/* Compilers warn about a call whose status nobody looks at. */
#if (defined(__cplusplus) && __cplusplus >= 201703L) || (!defined(__cplusplus) && __STDC_VERSION__ > 201710L)
#define SPC_DETAIL_NODISCARD [[nodiscard]]
#else
#define SPC_DETAIL_NODISCARD
#endif

/* Every field of every struct takes 8 bytes where pointers do, in this order and with no gaps. */
#define SPC_DETAIL_ASSERT_FIELD(type, field, slot)                                                                     \
  SPC_DETAIL_STATIC_ASSERT(sizeof(void *) != 8 || offsetof(type, field) == 8 * (slot),                                 \
                           #type "." #field " is out of place")
#define SPC_DETAIL_ASSERT_SIZE(type, slots)                                                                            \
  SPC_DETAIL_STATIC_ASSERT(sizeof(void *) != 8 || sizeof(type) == 8 * (slots), #type " has an unexpected size")

/* Half-precision numbers as their 16 bits: IEEE 754 binary16, and the upper half of a binary32. Structs, so that no
 * integer, no float and neither for the other is taken for one. */
typedef struct spc_f16 {
  uint16_t bits;
} spc_f16;
typedef struct spc_bf16 {
  uint16_t bits;
} spc_bf16;

/* Complex numbers, laid out as C's float _Complex and double _Complex, C++'s std::complex<float> and <double> are. */
typedef struct spc_cf32 {
  float re, im;
} spc_cf32;
typedef struct spc_cf64 {
  double re, im;
} spc_cf64;

SPC_DETAIL_STATIC_ASSERT(sizeof(float) == 4 && sizeof(double) == 8,
                         "float and double are IEEE 754's binary32 and binary64");
SPC_DETAIL_STATIC_ASSERT(sizeof(spc_f16) == 2 && sizeof(spc_bf16) == 2, "half-precision numbers are their bits");
SPC_DETAIL_STATIC_ASSERT(sizeof(spc_cf32) == 8 && offsetof(spc_cf32, im) == 4, "spc_cf32 is two floats without gaps");
SPC_DETAIL_STATIC_ASSERT(sizeof(spc_cf64) == 16 && offsetof(spc_cf64, im) == 8, "spc_cf64 is two doubles without gaps");
SPC_DETAIL_STATIC_ASSERT(sizeof(bool) == 1, "a bool value takes one byte");

static inline uint32_t spc_detail_bits_of_float(float number) {
  uint32_t bits;
  memcpy(&bits, &number, sizeof bits);
  return bits;
}

static inline float spc_detail_float_of_bits(uint32_t bits) {
  float number;
  memcpy(&number, &bits, sizeof number);
  return number;
}

/* The nearest binary16, to even between two; beyond the largest an infinity, a NaN for a NaN. */
static inline spc_f16 spc_f16_from_float(float number) {
  const uint32_t bits = spc_detail_bits_of_float(number), sign = bits >> 16 & 0x8000u, magnitude = bits & 0x7fffffffu;
  uint32_t half;
  spc_f16 result;
  if (magnitude > 0x7f800000u) {
    half = 0x7e00u | (magnitude >> 13 & 0x3ffu);
  } else if (magnitude >= 0x477ff000u) { /* 65520: half way from the largest number to the next power of two */
    half = 0x7c00u;
  } else if (magnitude >= 0x38800000u) { /* 2^-14: the least normal number */
    half = (magnitude - 0x38000000u + 0xfffu + (magnitude >> 13 & 1u)) >> 13;
  } else if (magnitude > 0x33000000u) { /* 2^-25: half of the least number */
    const uint32_t mantissa = (magnitude & 0x7fffffu) | 0x800000u, shift = 126u - (magnitude >> 23);
    half = (mantissa + ((1u << (shift - 1u)) - 1u) + (mantissa >> shift & 1u)) >> shift;
  } else {
    half = 0;
  }
  result.bits = SPC_DETAIL_CAST(uint16_t, sign | half);
  return result;
}

/* Exact. */
static inline float spc_f16_to_float(spc_f16 half) {
  const uint32_t bits = half.bits, sign = (bits & 0x8000u) << 16, exponent = bits >> 10 & 0x1fu,
                 mantissa = bits & 0x3ffu;
  if (exponent == 0x1fu)
    return spc_detail_float_of_bits(sign | 0x7f800000u | mantissa << 13);
  if (exponent == 0) {
    const float magnitude = SPC_DETAIL_CAST(float, mantissa) * (1.0f / 16777216.0f);
    return sign != 0 ? -magnitude : magnitude;
  }
  return spc_detail_float_of_bits(sign | (exponent + 112u) << 23 | mantissa << 13);
}

/* The nearest bfloat16, to even between two; beyond the largest an infinity, a NaN for a NaN. */
static inline spc_bf16 spc_bf16_from_float(float number) {
  const uint32_t bits = spc_detail_bits_of_float(number);
  const bool is_nan = (bits & 0x7fffffffu) > 0x7f800000u;
  const spc_bf16 result = {
      SPC_DETAIL_CAST(uint16_t, is_nan ? bits >> 16 | 0x40u : (bits + 0x7fffu + (bits >> 16 & 1u)) >> 16)};
  return result;
}

/* Exact. */
static inline float spc_bf16_to_float(spc_bf16 half) {
  return spc_detail_float_of_bits(SPC_DETAIL_CAST(uint32_t, half.bits) << 16);
}

/* The result of kernels and validators: an int32_t in the calling convention. */
typedef enum SPC_DETAIL_NODISCARD spc_status
#ifdef __cplusplus
    : int32_t
#endif
{ SPC_OK = 0,
  SPC_ERROR_NULL = 1,   /* a struct or an array that is needed is NULL */
  SPC_ERROR_SHAPE = 2,  /* an extent is negative, not the one it must be, or too small for what the format stores */
  SPC_ERROR_STRIDE = 3, /* the innermost stride is not 1, or elements share a place */
  SPC_ERROR_PATTERN =
      4,                /* a structure is neither NULL nor the one it must be, or lacks an entry; a plan is of others */
  SPC_ERROR_COUNT = 5,  /* a number of entries is negative or does not fit the structure */
  SPC_ERROR_MEMORY = 6, /* memory ran out */
  SPC_ERROR_CONTEXT = 7,  /* the context is of an unknown size, or has one memory hook without the other */
  SPC_ERROR_POINTERS = 8, /* pointers start below 0, descend or do not end at the count; lengths do not add up to it */
  SPC_ERROR_INDEX_RANGE = 9, /* a coordinate is outside of its extent, or of the triangle that is stored */
  SPC_ERROR_UNSORTED = 10,   /* coordinates do not ascend */
  SPC_ERROR_DUPLICATE = 11,  /* a coordinate occurs twice */
  SPC_ERROR_INDEX_TYPE = 12, /* a count or an extent overflows the index type */
  SPC_ERROR_OVERLAP = 13     /* memory that is written is another argument's too */
} spc_status;

SPC_DETAIL_STATIC_ASSERT(sizeof(spc_status) == 4, "spc_status is passed as an int32_t");

/* The problem that a call found, beside its status. Texts belong to the kernel, and are there while it is loaded. */
typedef struct spc_problem {
  int64_t struct_size;     /* of the struct that the kernel knows: later versions add fields */
  int64_t status;          /* that the call returns */
  const char *kernel;      /* its function's name */
  const char *name;        /* of the argument, or of a tensor within the kernel; NULL: no more is known */
  const char *field;       /* of the argument's struct; NULL: all of it */
  const char *other;       /* the argument that says otherwise; NULL: none */
  const char *other_field; /* by this field */
  int64_t argument;        /* its place in the call, from 0, the context not counted; -1: none */
  int64_t dimension;       /* that the field is about; -1: none */
  int64_t numbers;         /* how many of what follows are known: 0, 1 or 2 */
  int64_t found;           /* the field; with SPC_ERROR_MEMORY how many bytes were asked for */
  int64_t wanted;          /* what it should be: the other field */
} spc_problem;

/* The memory and threads that a kernel takes from its surroundings. Start from spc_default_context() and change what
 * differs. A kernel keeps nothing of it past its return. Hooks return: nothing is unwound, hence noexcept in C++. */
typedef struct spc_context {
  int64_t struct_size; /* sizeof(spc_context): lets later versions add fields */
  void *user;          /* handed to each hook */
  /* At least `bytes` bytes (> 0), aligned to `alignment` (a power of two, 64 so far), or NULL; freed with `deallocate`
   * before the kernel returns. Both hooks or neither; NULL: malloc and free. */
  void *(*allocate)(void *user, int64_t bytes, int64_t alignment)SPC_NOEXCEPT;
  void (*deallocate)(void *user, void *memory) SPC_NOEXCEPT;
  /* Calls task(closure, index) once for each index in [0, tasks), in any order, on any threads, and returns after the
   * last one has returned. NULL: one after the other. */
  void (*parallel_for)(void *user, int64_t tasks, void (*task)(void *closure, int64_t index),
                       void *closure) SPC_NOEXCEPT;
  /* How many nanoseconds a call of parallel_for takes beyond its tasks; NULL: unknown. Kernels go without threads where
   * these cost more than they save, and then take a share of the time that they need off the number; a hook sets it
   * anew whenever it is called. */
  int32_t *parallel_cost;
  /* Is told what a call has found wrong, on its thread, before it returns a status other than SPC_OK. The struct is
   * gone afterwards. NULL: nobody wants to know. */
  void (*note)(void *user, const spc_problem *problem) SPC_NOEXCEPT;
} spc_context;

SPC_DETAIL_ASSERT_FIELD(spc_context, struct_size, 0);
SPC_DETAIL_ASSERT_FIELD(spc_context, user, 1);
SPC_DETAIL_ASSERT_FIELD(spc_context, allocate, 2);
SPC_DETAIL_ASSERT_FIELD(spc_context, deallocate, 3);
SPC_DETAIL_ASSERT_FIELD(spc_context, parallel_for, 4);
SPC_DETAIL_ASSERT_FIELD(spc_context, parallel_cost, 5);
SPC_DETAIL_ASSERT_FIELD(spc_context, note, 6);
SPC_DETAIL_ASSERT_SIZE(spc_context, 7);

#ifdef __cplusplus
#define SPC_DETAIL_THREAD_LOCAL thread_local
#else
#define SPC_DETAIL_THREAD_LOCAL _Thread_local
#endif

#ifdef __cplusplus
extern "C++" { /* one variable of a program, also where the header is included in an extern "C" */
inline
#else
static inline
#endif
    spc_problem *spc_detail_last_problem(void) SPC_NOEXCEPT {
  static SPC_DETAIL_THREAD_LOCAL spc_problem last;
  return &last;
}
#ifdef __cplusplus
}
#endif

/* The `note` of default contexts. */
static inline void spc_detail_note(void *user, const spc_problem *problem) SPC_NOEXCEPT {
  (void)user;
  *spc_detail_last_problem() = *problem;
}

/* The problem of the last call on this thread that failed with a default context, or another one whose `note` is of
 * this header; in C, of those that were made in this file. */
static inline const spc_problem *spc_last_problem(void) {
  return spc_detail_last_problem();
}

#ifdef _OPENMP
/* The time until all threads are there, and until they have met after the last task: a microsecond or two where
 * they wait for work, more where they sleep or others have their cores. */
static inline int32_t *spc_detail_openmp_cost(void) {
  static int32_t nanoseconds = 50000;
  return &nanoseconds;
}

static inline void spc_detail_openmp_parallel_for(void *user, int64_t tasks, void (*task)(void *closure, int64_t index),
                                                  void *closure) SPC_NOEXCEPT {
  const double start = omp_get_wtime();
  double last = start, done = start;
  spc_detail_shares shares;
  int32_t before, cost;
  (void)user;
  spc_detail_share_out(&shares, tasks, omp_get_max_threads());
#pragma omp parallel reduction(max : last, done)
  {
    last = omp_get_wtime();
    (void)spc_detail_run_shares(&shares, omp_get_thread_num(), task, closure);
    done = omp_get_wtime();
  }
  last += omp_get_wtime() - done;
  cost = last - start < 1e-6 ? 1000 : last - start < 5e-4 ? SPC_DETAIL_CAST(int32_t, (last - start) * 1e9) : 500000;
#pragma omp atomic read
  before = *spc_detail_openmp_cost();
  cost = before + (cost - before) / (cost > before ? 2 : 16); /* one call that was lucky says little */
#pragma omp atomic write
  *spc_detail_openmp_cost() = cost;
}
#elif defined(SPC_POOL_H)
/* Functions of spc/pool.h, which was included first. */
static inline int spc_pool_threads(void);
static inline void spc_pool_parallel_for(void *user, int64_t tasks, void (*task)(void *closure, int64_t index),
                                         void *closure) SPC_NOEXCEPT;
static inline int32_t *spc_pool_cost(void);
#endif

/* malloc and free; OpenMP's threads where the including program is compiled with OpenMP, has more than one and is not
 * in a parallel region already; without OpenMP, the threads of spc/pool.h where that was included first; else one. */
static inline spc_context spc_default_context(void) {
  spc_context context = {SPC_DETAIL_CAST(int64_t, sizeof(spc_context)), NULL, NULL, NULL, NULL, NULL, spc_detail_note};
#ifdef _OPENMP
  if (omp_get_max_threads() > 1 && !omp_in_parallel()) {
    context.parallel_for = spc_detail_openmp_parallel_for;
    context.parallel_cost = spc_detail_openmp_cost();
  }
#elif defined(SPC_POOL_H)
  if (spc_pool_threads() > 1) {
    context.parallel_for = spc_pool_parallel_for;
    context.parallel_cost = spc_pool_cost();
  }
#endif
  return context;
}

/* Gives an array back to where a call with this context has had it from. */
static inline void spc_detail_release(const spc_context *ctx, const void *array) {
  void *const memory = SPC_DETAIL_MUTABLE(void *, array);
  if (memory != NULL && ctx != NULL && ctx->deallocate != NULL)
    ctx->deallocate(ctx->user, memory);
  else
    free(memory);
}

/* Sums and products that say whether they fit. */
static inline bool spc_detail_add(int64_t a, int64_t b, int64_t *sum) {
  if (b > 0 ? a > INT64_MAX - b : a < INT64_MIN - b)
    return false;
  *sum = a + b;
  return true;
}

static inline bool spc_detail_multiply(int64_t a, int64_t b, int64_t *product) {
  if (a > 0 ? (b > 0 ? a > INT64_MAX / b : b < INT64_MIN / a)
            : a < 0 && (b > 0 ? a < INT64_MIN / b : b < INT64_MAX / a))
    return false;
  *product = a * b;
  return true;
}

/* The number of blocks that cover an extent. */
static inline int64_t spc_detail_blocks(int64_t size, int64_t block) {
  return size / block + (size % block != 0);
}

static inline int64_t spc_detail_load_index(const void *array, int bits, int64_t position) {
  switch (bits) {
  case 8:
    return SPC_DETAIL_CAST(const uint8_t *, array)[position];
  case 16:
    return SPC_DETAIL_CAST(const uint16_t *, array)[position];
  case 32:
    return SPC_DETAIL_CAST(const int32_t *, array)[position];
  default:
    return SPC_DETAIL_CAST(const int64_t *, array)[position];
  }
}

static inline int64_t spc_detail_largest_index(int bits) {
  return bits == 8 ? UINT8_MAX : bits == 16 ? UINT16_MAX : bits == 32 ? INT32_MAX : INT64_MAX;
}

#define SPC_DETAIL_MAX_ORDER 8

/* The checks of validators of dense tensors: the stride of dimension `inner` is 1, but in vectors, and no two
 * elements share a place. */
static inline spc_status spc_detail_validate_dense(const int64_t *shape, const int64_t *strides, int order, int inner,
                                                   const void *values) {
  int used[SPC_DETAIL_MAX_ORDER] = {0};
  int64_t span = 1; /* places from the first element to the last, over the dimensions that are used so far */
  int d, round, empty = 0;
  for (d = 0; d < order; ++d) {
    if (shape[d] < 0)
      return SPC_ERROR_SHAPE;
    empty |= shape[d] == 0;
  }
  if (empty)
    return SPC_OK;
  if (values == NULL)
    return SPC_ERROR_NULL;
  if (order == 1)
    return shape[0] > 1 && strides[0] == 0 ? SPC_ERROR_STRIDE : SPC_OK;
  if (shape[inner] > 1 && strides[inner] != 1)
    return SPC_ERROR_STRIDE;
  for (round = 0; round < order; ++round) {
    int next = -1;
    for (d = 0; d < order; ++d)
      if (!used[d] && shape[d] > 1 && (next < 0 || strides[d] < strides[next]))
        next = d;
    if (next < 0)
      return SPC_OK;
    if (strides[next] < span || (INT64_MAX - span) / (shape[next] - 1) < strides[next])
      return SPC_ERROR_STRIDE;
    span += (shape[next] - 1) * strides[next];
    used[next] = 1;
  }
  return SPC_OK;
}

#endif
