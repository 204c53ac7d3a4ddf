/* r(): made by spc from r.tex; do not edit.
 *
 *     let y0(i,j) = T(i,j)*b(j)
 *     let y2(i,j) = y0(i,j) - T(i,j)*T(i,j)
 *     d(i,u) = y2(i,u)*c(u)
 *     d(i,v) += Q(i,i)*d2(i,v)
 *
 * Arguments. They must not overlap in memory. Coordinates count from 0; they are sorted and unique
 * unless said otherwise.
 *
 *   T  in, i x j; (i: dense, j: compressed), pointers i32, indices i32
 *   b  in, j; dense
 *   c  in, j; dense
 *   Q  in, i x i; dense, dimension 1 innermost
 *   d  out, i x j; (i: dense, j: compressed), pointers i32, indices i32
 *      has the entries of T: its values array has room for as many as T stores,
 *      its other arrays are those of T, or NULL, which the call replaces by them
 *
 * Returns SPC_OK or what is wrong (spc_status_string() says it in words). Keeps no state: calls may run in parallel. */
#ifdef SPC_KERNEL_r
#if SPC_KERNEL_r != 0x513e57cc59274aadu
#error "headers of two kernels called r, whose arguments differ: compile one of them with another --name"
#endif
#else
#define SPC_KERNEL_r 0x513e57cc59274aadu

/* The common part of spc's C interface: statuses, number types, the context.
 * C11 and C++17. Every generated header carries this text and that of spc/levels.h, so that it needs no other file.
 * SPDX-License-Identifier: Apache-2.0 */
#ifdef SPC_H
#if SPC_ABI_VERSION != 4
#error "headers made by different versions of spc cannot be mixed: compile these kernels anew with one version"
#endif
#else
#define SPC_H

/* Changes with every change of the calling convention or of this text that generated code would notice. */
#define SPC_ABI_VERSION 4

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#ifdef _OPENMP
#include <omp.h>
#endif

#ifdef __cplusplus
#define SPC_STATIC_ASSERT static_assert
#define SPC_CAST(type, value) static_cast<type>(value)
#define SPC_NOEXCEPT noexcept
#else
#define SPC_STATIC_ASSERT _Static_assert
#define SPC_CAST(type, value) ((type)(value))
#define SPC_NOEXCEPT
#endif

#if defined(__cplusplus) && (__cplusplus >= 202002L || (defined(_MSVC_LANG) && _MSVC_LANG >= 202002L))
#define SPC_NAMED_ARGUMENTS 1
extern "C++" { /* also where the header is included in an extern "C" */
template <typename T>
concept spc_integral = requires(T given) { 1 << given; };
/* A number or an array as a member that has to be given. Fractions are no integers, and pointers no truth values. */
template <typename T> struct spc_argument {
  T value;
  constexpr spc_argument(T given) noexcept : value(given) {}
  template <typename U>
    requires(spc_integral<T> && !spc_integral<U>)
  spc_argument(U given) = delete;
};
}
#endif

/* Of statuses: a call whose status nobody looks at is warned about. */
#if (defined(__cplusplus) && __cplusplus >= 201703L) || (!defined(__cplusplus) && __STDC_VERSION__ > 201710L)
#define SPC_NODISCARD [[nodiscard]]
#else
#define SPC_NODISCARD
#endif

/* Where pointers have 8 bytes every field of every struct takes 8 bytes, in this order and with no gaps. */
#define SPC_ASSERT_FIELD(type, field, slot)                                                                            \
  SPC_STATIC_ASSERT(sizeof(void *) != 8 || offsetof(type, field) == 8 * (slot), #type "." #field " is out of place")
#define SPC_ASSERT_SIZE(type, slots)                                                                                   \
  SPC_STATIC_ASSERT(sizeof(void *) != 8 || sizeof(type) == 8 * (slots), #type " has an unexpected size")

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

SPC_STATIC_ASSERT(sizeof(float) == 4 && sizeof(double) == 8, "float and double are IEEE 754's binary32 and binary64");
SPC_STATIC_ASSERT(sizeof(spc_f16) == 2 && sizeof(spc_bf16) == 2, "half-precision numbers are their bits");
SPC_STATIC_ASSERT(sizeof(spc_cf32) == 8 && offsetof(spc_cf32, im) == 4, "spc_cf32 is two floats without gaps");
SPC_STATIC_ASSERT(sizeof(spc_cf64) == 16 && offsetof(spc_cf64, im) == 8, "spc_cf64 is two doubles without gaps");
SPC_STATIC_ASSERT(sizeof(bool) == 1, "a bool value takes one byte");

static inline uint32_t spc_bits_of_float(float number) {
  uint32_t bits;
  memcpy(&bits, &number, sizeof bits);
  return bits;
}

static inline float spc_float_of_bits(uint32_t bits) {
  float number;
  memcpy(&number, &bits, sizeof number);
  return number;
}

/* The nearest binary16, to even between two; beyond the largest an infinity, a NaN for a NaN. */
static inline spc_f16 spc_f16_from_float(float number) {
  const uint32_t bits = spc_bits_of_float(number), sign = bits >> 16 & 0x8000u, magnitude = bits & 0x7fffffffu;
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
  result.bits = SPC_CAST(uint16_t, sign | half);
  return result;
}

/* Exact. */
static inline float spc_f16_to_float(spc_f16 half) {
  const uint32_t bits = half.bits, sign = (bits & 0x8000u) << 16, exponent = bits >> 10 & 0x1fu,
                 mantissa = bits & 0x3ffu;
  if (exponent == 0x1fu)
    return spc_float_of_bits(sign | 0x7f800000u | mantissa << 13);
  if (exponent == 0) {
    const float magnitude = SPC_CAST(float, mantissa) * (1.0f / 16777216.0f);
    return sign != 0 ? -magnitude : magnitude;
  }
  return spc_float_of_bits(sign | (exponent + 112u) << 23 | mantissa << 13);
}

/* The nearest bfloat16, to even between two; beyond the largest an infinity, a NaN for a NaN. */
static inline spc_bf16 spc_bf16_from_float(float number) {
  const uint32_t bits = spc_bits_of_float(number);
  const bool is_nan = (bits & 0x7fffffffu) > 0x7f800000u;
  const spc_bf16 result = {
      SPC_CAST(uint16_t, is_nan ? bits >> 16 | 0x40u : (bits + 0x7fffu + (bits >> 16 & 1u)) >> 16)};
  return result;
}

/* Exact. */
static inline float spc_bf16_to_float(spc_bf16 half) {
  return spc_float_of_bits(SPC_CAST(uint32_t, half.bits) << 16);
}

/* What kernels and validators return: an int32_t in the calling convention. */
typedef enum SPC_NODISCARD spc_status
#ifdef __cplusplus
    : int32_t
#endif
{ SPC_OK = 0,
  SPC_ERROR_NULL = 1,    /* a struct or an array that is needed is NULL */
  SPC_ERROR_SHAPE = 2,   /* an extent is negative, not the one it must be, or too small for what the format stores */
  SPC_ERROR_STRIDE = 3,  /* the innermost stride is not 1, or elements overlap */
  SPC_ERROR_PATTERN = 4, /* an output's structure is neither NULL nor the operand's whose pattern it shares */
  SPC_ERROR_COUNT = 5,   /* a number of entries is negative or does not fit the structure */
  SPC_ERROR_MEMORY = 6,  /* memory ran out */
  SPC_ERROR_CONTEXT = 7, /* the context is of an unknown size, or has one memory hook without the other */
  SPC_ERROR_POINTERS =
      8, /* pointers do not start at 0, descend or do not end at the count; lengths do not add up to it */
  SPC_ERROR_INDEX_RANGE = 9, /* a coordinate is outside of its extent, or of the triangle that is stored */
  SPC_ERROR_UNSORTED = 10,   /* coordinates do not ascend */
  SPC_ERROR_DUPLICATE = 11,  /* a coordinate occurs twice */
  SPC_ERROR_INDEX_TYPE = 12, /* a count or an extent overflows the index type */
  SPC_ERROR_OVERLAP = 13     /* memory that is written is another argument's too */
} spc_status;

SPC_STATIC_ASSERT(sizeof(spc_status) == 4, "spc_status is passed as an int32_t");

/* A sentence for people; never NULL. */
static inline const char *spc_status_string(spc_status status) {
  switch (status) {
  case SPC_OK:
    return "no error";
  case SPC_ERROR_NULL:
    return "a struct or an array that is needed is NULL";
  case SPC_ERROR_SHAPE:
    return "shapes are negative, do not agree or do not fit the format";
  case SPC_ERROR_STRIDE:
    return "a dense tensor's strides cannot be used";
  case SPC_ERROR_PATTERN:
    return "an output's structure is neither NULL nor the operand's whose pattern it shares";
  case SPC_ERROR_COUNT:
    return "a number of entries is negative or does not fit the structure";
  case SPC_ERROR_MEMORY:
    return "memory ran out";
  case SPC_ERROR_CONTEXT:
    return "the context is malformed";
  case SPC_ERROR_POINTERS:
    return "pointers or lengths do not delimit the entries";
  case SPC_ERROR_INDEX_RANGE:
    return "a coordinate is outside of what is stored";
  case SPC_ERROR_UNSORTED:
    return "coordinates are not sorted";
  case SPC_ERROR_DUPLICATE:
    return "a coordinate occurs twice";
  case SPC_ERROR_INDEX_TYPE:
    return "a count or an extent overflows the index type";
  case SPC_ERROR_OVERLAP:
    return "memory that the kernel writes is another argument's too";
  }
  return "unknown status";
}

/* What a kernel takes from its surroundings. Start from spc_default_context() and change what differs.
 * A kernel keeps nothing of it past its return. Hooks return: kernels cannot be unwound, hence noexcept in C++. */
typedef struct spc_context {
  int64_t struct_size; /* sizeof(spc_context): lets later versions add fields */
  void *user;          /* handed to each hook */
  /* At least `bytes` bytes (> 0), aligned for any scalar, or NULL; freed with `deallocate` before the kernel returns.
   * Both hooks or neither; NULL: malloc and free. */
  void *(*allocate)(void *user, int64_t bytes)SPC_NOEXCEPT;
  void (*deallocate)(void *user, void *memory) SPC_NOEXCEPT;
  /* Calls task(closure, index) once for each index in [0, tasks), in any order, on any threads, and returns after the
   * last one has returned. NULL: one after the other. */
  void (*parallel_for)(void *user, int64_t tasks, void (*task)(void *closure, int64_t index),
                       void *closure) SPC_NOEXCEPT;
  /* How many nanoseconds a call of parallel_for takes beyond its tasks; NULL: unknown. Kernels go without threads where
   * these cost more than they save, and then take a share of the time that they need off the number; a hook sets it
   * anew whenever it is called. */
  int32_t *parallel_cost;
} spc_context;

SPC_ASSERT_FIELD(spc_context, struct_size, 0);
SPC_ASSERT_FIELD(spc_context, user, 1);
SPC_ASSERT_FIELD(spc_context, allocate, 2);
SPC_ASSERT_FIELD(spc_context, deallocate, 3);
SPC_ASSERT_FIELD(spc_context, parallel_for, 4);
SPC_ASSERT_FIELD(spc_context, parallel_cost, 5);
SPC_ASSERT_SIZE(spc_context, 6);

#ifdef _OPENMP
/* What it takes until all threads are there, and until they have met after the last task: a microsecond or two where
 * they wait for work, more where they sleep or others have their cores. */
static inline int32_t *spc_openmp_cost(void) {
  static int32_t nanoseconds = 50000;
  return &nanoseconds;
}

static inline void spc_openmp_parallel_for(void *user, int64_t tasks, void (*task)(void *closure, int64_t index),
                                           void *closure) SPC_NOEXCEPT {
  const double start = omp_get_wtime();
  double last = start, done = start;
  int32_t before, cost;
  (void)user;
#pragma omp parallel reduction(max : last, done)
  {
    int64_t index;
    last = omp_get_wtime();
#pragma omp for schedule(dynamic) nowait
    for (index = 0; index < tasks; ++index)
      task(closure, index);
    done = omp_get_wtime();
  }
  last += omp_get_wtime() - done;
  cost = last - start < 500e-6 ? SPC_CAST(int32_t, (last - start) * 1e9) : 500000;
#pragma omp atomic read
  before = *spc_openmp_cost();
  cost = cost < 1000 ? 1000 : cost;
  cost = before + (cost - before) / (cost > before ? 2 : 16); /* one call that was lucky says little */
#pragma omp atomic write
  *spc_openmp_cost() = cost;
}
#elif defined(SPC_POOL_H)
/* Of spc/pool.h, which was included first. */
static inline int spc_pool_threads(void);
static inline void spc_pool_parallel_for(void *user, int64_t tasks, void (*task)(void *closure, int64_t index),
                                         void *closure) SPC_NOEXCEPT;
static inline int32_t *spc_pool_cost(void);
#endif

/* malloc and free; OpenMP's threads where the including program is compiled with OpenMP, has more than one and is not
 * in a parallel region already; without OpenMP, the threads of spc/pool.h where that was included first; else one. */
static inline spc_context spc_default_context(void) {
  spc_context context = {SPC_CAST(int64_t, sizeof(spc_context)), NULL, NULL, NULL, NULL, NULL};
#ifdef _OPENMP
  if (omp_get_max_threads() > 1 && !omp_in_parallel()) {
    context.parallel_for = spc_openmp_parallel_for;
    context.parallel_cost = spc_openmp_cost();
  }
#elif defined(SPC_POOL_H)
  if (spc_pool_threads() > 1) {
    context.parallel_for = spc_pool_parallel_for;
    context.parallel_cost = spc_pool_cost();
  }
#endif
  return context;
}

/* Sums and products that say whether they fit. */
static inline bool spc_add(int64_t a, int64_t b, int64_t *sum) {
  if (b > 0 ? a > INT64_MAX - b : a < INT64_MIN - b)
    return false;
  *sum = a + b;
  return true;
}

static inline bool spc_multiply(int64_t a, int64_t b, int64_t *product) {
  if (a > 0 ? (b > 0 ? a > INT64_MAX / b : b < INT64_MIN / a)
            : a < 0 && (b > 0 ? a < INT64_MIN / b : b < INT64_MAX / a))
    return false;
  *product = a * b;
  return true;
}

/* The number of blocks that cover an extent. */
static inline int64_t spc_blocks(int64_t size, int64_t block) {
  return size / block + (size % block != 0);
}

static inline int64_t spc_load_index(const void *array, int bits, int64_t position) {
  switch (bits) {
  case 8:
    return SPC_CAST(const uint8_t *, array)[position];
  case 16:
    return SPC_CAST(const uint16_t *, array)[position];
  case 32:
    return SPC_CAST(const int32_t *, array)[position];
  default:
    return SPC_CAST(const int64_t *, array)[position];
  }
}

static inline int64_t spc_largest_index(int bits) {
  return bits == 8 ? UINT8_MAX : bits == 16 ? UINT16_MAX : bits == 32 ? INT32_MAX : INT64_MAX;
}

#define SPC_MAX_ORDER 8

/* What the validators of dense tensors do: the stride of dimension `inner` is 1, and no two elements share a place. */
static inline spc_status spc_validate_dense(const int64_t *shape, const int64_t *strides, int order, int inner,
                                            const void *values) {
  int used[SPC_MAX_ORDER] = {0};
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
/* Checks of sparse structures, which the generated validators are made of. Not an interface to call directly.
 * C11 and C++17. Every generated header carries this text after that of spc/spc.h.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SPC_LEVELS_H
#define SPC_LEVELS_H

#ifndef SPC_H
#include "spc.h"
#endif

#define SPC_MAX_LEVELS 16

typedef enum spc_level_kind {
  SPC_LEVEL_DENSE,      /* every coordinate under each parent */
  SPC_LEVEL_ROOT,       /* the outermost level, `count` coordinates */
  SPC_LEVEL_COMPRESSED, /* pointers[p] ... pointers[p + 1] - 1 belong to parent p */
  SPC_LEVEL_LENGTHS,    /* pointers[p] entries belong to parent p, those of parent 0 first */
  SPC_LEVEL_FIXED,      /* `count` entries belong to each parent; 1: a singleton */
  SPC_LEVEL_CLOSED      /* length(p) entries belong to parent p, a closed form of its coordinate */
} spc_level_kind;

enum {
  SPC_UNIQUE = 1,
  SPC_ORDERED = 2,
  SPC_CONTINUES = 4, /* a singleton: its order goes on from its parent's */
  SPC_COUNTED = 8    /* pointers or lengths that must end at `count`; else `stored` is what they end at */
};

/* constant + slope * coordinate of the parent + size * extent of the level's dimension */
typedef struct spc_closed_form {
  int64_t constant, slope, size;
} spc_closed_form;

/* One level of a structure, seen through its arrays. Fields that a kind has no use for are 0. */
typedef struct spc_level {
  spc_level_kind kind;
  int properties;    /* SPC_UNIQUE and SPC_ORDERED, of the coordinates under one parent, and the others */
  int64_t low, high; /* coordinates are from low to high - 1 */
  int64_t count;
  const void *pointers; /* offsets or lengths */
  int pointer_bits;
  const void *indices; /* NULL with index_bits 0: the level has none, its coordinates ascend by one */
  int index_bits;
  int64_t index_stride, index_offset; /* of entry p: indices[p * stride + offset] */
  int64_t parent_size;                /* of closed forms: the parent's coordinate is its position modulo this */
  spc_closed_form length, start;      /* start: of a level without indices, the first coordinate of each parent */
  int64_t weight;                     /* of a triangle: see spc_check_triangle */
} spc_level;

static inline spc_level spc_make_level(spc_level_kind kind, int64_t low, int64_t high, int properties) {
  const spc_closed_form none = {0, 0, 0};
  spc_level level;
  level.kind = kind;
  level.properties = properties;
  level.low = low;
  level.high = high;
  level.count = 0;
  level.pointers = NULL;
  level.pointer_bits = 0;
  level.indices = NULL;
  level.index_bits = 0;
  level.index_stride = 1;
  level.index_offset = 0;
  level.parent_size = 0;
  level.length = none;
  level.start = none;
  level.weight = 0;
  return level;
}

static inline int64_t spc_index_at(const spc_level *level, int64_t position) {
  return spc_load_index(level->indices, level->index_bits, position * level->index_stride + level->index_offset);
}

/* Whether every coordinate of a level fits its index type: 8 and 16 bits are unsigned. */
static inline bool spc_fits_index(const spc_level *level) {
  const int64_t largest = spc_largest_index(level->index_bits);
  const int64_t smallest = level->index_bits < 32 ? 0 : -largest - 1;
  return level->high - 1 <= largest && level->low >= smallest;
}

/* The number of coordinates that a level has: of diagonals at most the number of both extents less one. */
static inline bool spc_extent(const spc_level *level, int64_t *extent) {
  if (level->low > level->high) {
    *extent = 0;
    return true;
  }
  return spc_add(level->high, -level->low, extent);
}

/* Counts and index types by themselves, before any array is read. */
static inline spc_status spc_check_sizes(const spc_level *levels, int depth, int64_t stored) {
  int k;
  for (k = 0; k < depth; ++k)
    if (levels[k].count < 0)
      return SPC_ERROR_COUNT;
  if (stored < 0)
    return SPC_ERROR_COUNT;
  for (k = 0; k < depth; ++k)
    if (levels[k].index_bits != 0 && !spc_fits_index(&levels[k]))
      return SPC_ERROR_INDEX_TYPE;
  return SPC_OK;
}

static inline bool spc_closed_value(const spc_closed_form *form, int64_t parent, int64_t size, int64_t *value) {
  int64_t sloped, sized;
  return spc_multiply(form->slope, parent, &sloped) && spc_multiply(form->size, size, &sized) &&
         spc_add(form->constant, sloped, value) && spc_add(*value, sized, value);
}

/* Whether a parent of a level without indices has its `length` coordinates within the extent. */
static inline bool spc_fits_extent(const spc_level *level, int64_t parent, int64_t length) {
  int64_t start = 0;
  if (level->index_bits != 0)
    return true;
  if (level->parent_size > 0 && !spc_closed_value(&level->start, parent % level->parent_size, level->high, &start))
    return false;
  return start >= 0 && start <= level->high && length <= level->high - start;
}

/* A pointers array over `parents` parents; `end` gets its last number. */
static inline spc_status spc_check_pointers(const spc_level *level, int64_t parents, int64_t *end) {
  int64_t p, last = 0;
  *end = 0;
  if (level->pointers == NULL)
    return parents == 0 ? SPC_OK : SPC_ERROR_NULL;
  for (p = 0; p <= parents; ++p) {
    const int64_t next = spc_load_index(level->pointers, level->pointer_bits, p);
    if (p == 0 ? next != 0 : next < last || !spc_fits_extent(level, p - 1, next - last))
      return SPC_ERROR_POINTERS;
    last = next;
  }
  *end = last;
  return SPC_OK;
}

/* An array of lengths; `end` gets their sum, which kernels keep in the same type. */
static inline spc_status spc_check_lengths(const spc_level *level, int64_t parents, int64_t *end) {
  int64_t p;
  *end = 0;
  if (level->pointers == NULL)
    return parents == 0 ? SPC_OK : SPC_ERROR_NULL;
  for (p = 0; p < parents; ++p) {
    const int64_t length = spc_load_index(level->pointers, level->pointer_bits, p);
    if (length < 0 || !spc_fits_extent(level, p, length))
      return SPC_ERROR_POINTERS;
    if (length > spc_largest_index(level->pointer_bits) - *end)
      return SPC_ERROR_INDEX_TYPE;
    *end += length;
  }
  return SPC_OK;
}

/* Closed forms are linear: they are least and greatest under the first and the last parent. */
static inline spc_status spc_check_closed(const spc_level *level, int64_t parents, int64_t *end) {
  const int64_t run = level->parent_size;
  int64_t first, last, sum;
  *end = 0;
  if (parents == 0 || run == 0)
    return SPC_OK;
  if (!spc_closed_value(&level->length, 0, level->high, &first) || first < 0 || !spc_fits_extent(level, 0, first) ||
      !spc_closed_value(&level->length, run - 1, level->high, &last) || last < 0 ||
      !spc_fits_extent(level, run - 1, last))
    return SPC_ERROR_SHAPE;
  /* run * (first + last) / 2, halving the even one of the two, for each of parents / run runs */
  if (!spc_add(first, last, &sum) || !spc_multiply(run % 2 == 0 ? run / 2 : run, run % 2 == 0 ? sum : sum / 2, &sum) ||
      !spc_multiply(parents / run, sum, end))
    return SPC_ERROR_COUNT;
  return SPC_OK;
}

/* Why another number of values was found than the `stored` ones: undoes the levels that only multiply. */
static inline spc_status spc_count_mismatch(const spc_level *levels, int depth, int64_t stored) {
  while (depth-- > 0) {
    const spc_level *level = &levels[depth];
    int64_t each = level->count;
    switch (level->kind) {
    case SPC_LEVEL_COMPRESSED:
      return stored > spc_largest_index(level->pointer_bits) ? SPC_ERROR_INDEX_TYPE : SPC_ERROR_POINTERS;
    case SPC_LEVEL_LENGTHS:
      return SPC_ERROR_POINTERS;
    case SPC_LEVEL_ROOT:
    case SPC_LEVEL_CLOSED:
      return SPC_ERROR_COUNT;
    case SPC_LEVEL_DENSE:
      if (!spc_extent(level, &each))
        return SPC_ERROR_COUNT;
      break;
    case SPC_LEVEL_FIXED:
      break;
    }
    if (each == 0 || stored % each != 0)
      return SPC_ERROR_COUNT;
    stored /= each;
  }
  return SPC_ERROR_COUNT;
}

/* entries[k] gets the number of entries of level k - 1, entries[0] being 1. */
static inline spc_status spc_count_entries(const spc_level *levels, int depth, int64_t *entries) {
  spc_status status = SPC_OK;
  int64_t extent;
  int k;
  entries[0] = 1;
  for (k = 0; k < depth && status == SPC_OK; ++k) {
    switch (levels[k].kind) {
    case SPC_LEVEL_DENSE:
      if (!spc_extent(&levels[k], &extent) || !spc_multiply(entries[k], extent, &entries[k + 1]))
        status = SPC_ERROR_COUNT;
      break;
    case SPC_LEVEL_ROOT:
      entries[k + 1] = levels[k].count;
      break;
    case SPC_LEVEL_COMPRESSED:
      status = spc_check_pointers(&levels[k], entries[k], &entries[k + 1]);
      break;
    case SPC_LEVEL_LENGTHS:
      status = spc_check_lengths(&levels[k], entries[k], &entries[k + 1]);
      break;
    case SPC_LEVEL_FIXED:
      if (!spc_multiply(entries[k], levels[k].count, &entries[k + 1]))
        status = SPC_ERROR_COUNT;
      break;
    case SPC_LEVEL_CLOSED:
      status = spc_check_closed(&levels[k], entries[k], &entries[k + 1]);
      break;
    }
    /* Deeper pointers are as many as these say. */
    if (status == SPC_OK && levels[k].properties & SPC_COUNTED && entries[k + 1] != levels[k].count)
      status = levels[k].count > spc_largest_index(levels[k].pointer_bits) ? SPC_ERROR_INDEX_TYPE : SPC_ERROR_POINTERS;
  }
  return status;
}

/* The coordinates of entries `begin` to `end` - 1. */
static inline spc_status spc_check_range(const spc_level *level, int64_t begin, int64_t end) {
  int64_t p;
  if (end > begin && level->indices == NULL)
    return SPC_ERROR_NULL;
  if (end > begin && level->kind == SPC_LEVEL_FIXED && level->high <= level->low)
    return SPC_ERROR_SHAPE; /* nothing to pad with */
  for (p = begin; p < end; ++p) {
    const int64_t index = spc_index_at(level, p);
    if (index < level->low || index >= level->high)
      return SPC_ERROR_INDEX_RANGE;
  }
  return SPC_OK;
}

/* Whether entry `position` may follow the one before it: compares the coordinates of `chain` levels from the outside
 * in, a listed level and the singletons below it. */
static inline spc_status spc_check_successor(const spc_level *levels, int chain, int64_t position) {
  int k;
  for (k = 0; k < chain; ++k) {
    const int64_t before = spc_index_at(&levels[k], position - 1);
    const int64_t index = spc_index_at(&levels[k], position);
    if (index > before)
      return SPC_OK;
    if (index < before)
      return levels[k].properties & SPC_ORDERED ? SPC_ERROR_UNSORTED : SPC_OK;
    if (levels[k].properties & SPC_UNIQUE)
      return SPC_ERROR_DUPLICATE;
  }
  return SPC_OK;
}

/* How many entries a parent has in a level whose counts are right. */
static inline int64_t spc_segment(const spc_level *level, int64_t parent) {
  int64_t length = 0;
  switch (level->kind) {
  case SPC_LEVEL_DENSE:
    (void)spc_extent(level, &length);
    return length;
  case SPC_LEVEL_ROOT:
  case SPC_LEVEL_FIXED:
    return level->count;
  case SPC_LEVEL_COMPRESSED:
    return spc_load_index(level->pointers, level->pointer_bits, parent + 1) -
           spc_load_index(level->pointers, level->pointer_bits, parent);
  case SPC_LEVEL_LENGTHS:
    return spc_load_index(level->pointers, level->pointer_bits, parent);
  case SPC_LEVEL_CLOSED:
    (void)spc_closed_value(&level->length, parent % level->parent_size, level->high, &length);
  }
  return length;
}

/* The order of entries `begin` to `end` - 1, which have one parent. */
static inline spc_status spc_check_run(const spc_level *levels, int chain, int64_t begin, int64_t end) {
  spc_status status = SPC_OK;
  int64_t position;
  for (position = begin + 1; position < end && status == SPC_OK; ++position)
    status = spc_check_successor(levels, chain, position);
  return status;
}

/* The order of the entries under parents `first` to `last` - 1, which begin at `position`. */
static inline spc_status spc_check_order(const spc_level *levels, int chain, int64_t first, int64_t last,
                                         int64_t position) {
  spc_status status = SPC_OK;
  int64_t parent;
  for (parent = first; parent < last && status == SPC_OK; ++parent) {
    const int64_t begin = position;
    position += spc_segment(levels, parent);
    status = spc_check_run(levels, chain, begin, position);
  }
  return status;
}

/* How many levels from the k-th on have one order, that of a coordinate list; 0 where level k's is that of a level
 * above, or there is none. */
static inline int spc_order_chain(const spc_level *levels, int depth, int k) {
  int chain = 1;
  if (levels[k].index_bits == 0 || levels[k].properties & SPC_CONTINUES)
    return 0;
  while (k + chain < depth && levels[k + chain].properties & SPC_CONTINUES)
    ++chain;
  return chain;
}

/* Whether every entry below `parent` of level k lies in the triangle: the sum of its coordinates times their levels'
 * weights is at most `limit`. Visits entries in storage order, next[k] being the next of level k. */
static inline spc_status spc_check_triangle(const spc_level *levels, int depth, int k, int64_t parent, int64_t limit,
                                            int64_t *next) {
  const spc_level *level = &levels[k];
  const int64_t length = spc_segment(level, parent);
  int64_t n, start = 0;
  spc_status status = SPC_OK;
  if (level->index_bits == 0 && level->parent_size > 0)
    (void)spc_closed_value(&level->start, parent % level->parent_size, level->high, &start);
  if (level->index_bits == 0 && k + 1 == depth && length > 0) {
    const int64_t outermost = level->low + start + (level->weight > 0 ? length - 1 : 0);
    return limit - level->weight * outermost < 0 ? SPC_ERROR_INDEX_RANGE : SPC_OK;
  }
  for (n = 0; n < length && status == SPC_OK; ++n) {
    const int64_t position = next[k]++;
    const int64_t coordinate = level->index_bits != 0 ? spc_index_at(level, position) : level->low + start + n;
    const int64_t left = limit - level->weight * coordinate;
    if (k + 1 < depth)
      status = spc_check_triangle(levels, depth, k + 1, position, left, next);
    else if (left < 0)
      status = SPC_ERROR_INDEX_RANGE;
  }
  return status;
}

/* The stored triangle of a symmetric matrix, whose other checks have passed. A block counts as long as a part of it
 * lies in the triangle; padding of widths that do not follow from the entries lies anywhere. */
static inline spc_status spc_check_symmetric(const spc_level *levels, int depth) {
  int64_t next[SPC_MAX_LEVELS] = {0}, limit = 0;
  int k;
  for (k = 0; k < depth; ++k)
    if ((levels[k].kind == SPC_LEVEL_FIXED && levels[k].count != 1) ||
        (levels[k].kind == SPC_LEVEL_CLOSED && levels[k].index_bits != 0))
      return SPC_OK;
  for (; depth > 0 && levels[depth - 1].kind == SPC_LEVEL_DENSE; --depth)
    if (levels[depth - 1].weight < 0 && levels[depth - 1].high > 0)
      limit -= levels[depth - 1].weight * (levels[depth - 1].high - 1);
  return depth == 0 ? SPC_OK : spc_check_triangle(levels, depth, 0, 0, limit, next);
}

/* Sizes, counts and whether there are values, for spc_validate_levels. */
static inline spc_status spc_validate_counts(const spc_level *levels, int depth, const int64_t *stored,
                                             const void *values, int64_t *entries) {
  spc_status status = spc_check_sizes(levels, depth, stored == NULL ? 0 : *stored);
  if (status == SPC_OK)
    status = spc_count_entries(levels, depth, entries);
  if (status == SPC_OK && stored != NULL && entries[depth] != *stored)
    status = spc_count_mismatch(levels, depth, *stored);
  if (status == SPC_OK && entries[depth] > 0 && values == NULL)
    status = SPC_ERROR_NULL;
  return status;
}

/* A sparse structure of 1 <= depth <= SPC_MAX_LEVELS levels over extents that are not negative, with `*stored` values
 * (NULL: as many as its sizes say). NULL arrays are fine where they would have no number to give: a pointers array over
 * no parents, indices and values of no entries. */
static inline spc_status spc_validate_levels(const spc_level *levels, int depth, const int64_t *stored,
                                             const void *values) {
  int64_t entries[SPC_MAX_LEVELS + 1];
  spc_status status = spc_validate_counts(levels, depth, stored, values, entries);
  int k;
  for (k = 0; k < depth && status == SPC_OK; ++k)
    if (levels[k].index_bits != 0)
      status = spc_check_range(&levels[k], 0, entries[k + 1]);
  for (k = 0; k < depth && status == SPC_OK; ++k) {
    const int chain = spc_order_chain(levels, depth, k);
    if (chain > 0 && entries[k + 1] > 1)
      status = spc_check_order(&levels[k], chain, 0, entries[k], 0);
  }
  return status;
}

#endif

#ifndef SPC_TYPE_CSR_F64_I32
#define SPC_TYPE_CSR_F64_I32

/* From the outside in: (i: dense, j: compressed), pointers i32, indices i32. */
typedef struct spc_csr_f64_i32 {
  int64_t nrows;    /* extent of dimension 0 */
  int64_t ncols;    /* extent of dimension 1 */
  int64_t nnz;      /* stored values */
  int32_t *row_ptr; /* where the entries of each parent begin in level 1, then their number */
  int32_t *col_ind; /* coordinates of level 1, j */
  double *values;   /* stored values, in the order of the entries */
} spc_csr_f64_i32;

SPC_ASSERT_FIELD(spc_csr_f64_i32, nrows, 0);
SPC_ASSERT_FIELD(spc_csr_f64_i32, ncols, 1);
SPC_ASSERT_FIELD(spc_csr_f64_i32, nnz, 2);
SPC_ASSERT_FIELD(spc_csr_f64_i32, row_ptr, 3);
SPC_ASSERT_FIELD(spc_csr_f64_i32, col_ind, 4);
SPC_ASSERT_FIELD(spc_csr_f64_i32, values, 5);
SPC_ASSERT_SIZE(spc_csr_f64_i32, 6);

/* Checks extents, counts, pointers, that coordinates are in range and in order. SPC_OK when all is well. */
static inline spc_status spc_csr_f64_i32_validate(const spc_csr_f64_i32 *t) {
  if (t == NULL)
    return SPC_ERROR_NULL;
  spc_level levels[2];
  if (t->nrows < 0 || t->ncols < 0)
    return SPC_ERROR_SHAPE;
  levels[0] = spc_make_level(SPC_LEVEL_DENSE, 0, t->nrows, SPC_UNIQUE | SPC_ORDERED);
  levels[1] = spc_make_level(SPC_LEVEL_COMPRESSED, 0, t->ncols, SPC_UNIQUE | SPC_ORDERED);
  levels[1].pointers = t->row_ptr;
  levels[1].pointer_bits = 32;
  levels[1].indices = t->col_ind;
  levels[1].index_bits = 32;
  return spc_validate_levels(levels, 2, &t->nnz, t->values);
}

#endif

#ifndef SPC_TYPE_DENSE1_F64
#define SPC_TYPE_DENSE1_F64

/* Dense. */
typedef struct spc_dense1_f64 {
  int64_t size;   /* extent of dimension 0 */
  int64_t stride; /* elements from one coordinate to the next */
  double *values; /* elements */
} spc_dense1_f64;

SPC_ASSERT_FIELD(spc_dense1_f64, size, 0);
SPC_ASSERT_FIELD(spc_dense1_f64, stride, 1);
SPC_ASSERT_FIELD(spc_dense1_f64, values, 2);
SPC_ASSERT_SIZE(spc_dense1_f64, 3);

/* Checks extents, and strides: innermost 1, no two elements in one place. SPC_OK when all is well. */
static inline spc_status spc_dense1_f64_validate(const spc_dense1_f64 *t) {
  if (t == NULL)
    return SPC_ERROR_NULL;
  return spc_validate_dense(&t->size, &t->stride, 1, 0, t->values);
}

/* A contiguous tensor over the caller's values. */
static inline spc_dense1_f64 spc_dense1_f64_make(double *values, int64_t size) {
  const spc_dense1_f64 t = {size, 1, values};
  return t;
}

#endif

#ifndef SPC_TYPE_DENSE2_F64
#define SPC_TYPE_DENSE2_F64

/* Dense, dimension 1 innermost. */
typedef struct spc_dense2_f64 {
  int64_t shape[2];   /* extents by dimension */
  int64_t strides[2]; /* elements from one coordinate to the next, by dimension */
  double *values;     /* elements */
} spc_dense2_f64;

SPC_ASSERT_FIELD(spc_dense2_f64, shape, 0);
SPC_ASSERT_FIELD(spc_dense2_f64, strides, 2);
SPC_ASSERT_FIELD(spc_dense2_f64, values, 4);
SPC_ASSERT_SIZE(spc_dense2_f64, 5);

/* Checks extents, and strides: innermost 1, no two elements in one place. SPC_OK when all is well. */
static inline spc_status spc_dense2_f64_validate(const spc_dense2_f64 *t) {
  if (t == NULL)
    return SPC_ERROR_NULL;
  return spc_validate_dense(t->shape, t->strides, 2, 1, t->values);
}

/* A contiguous tensor over the caller's values. */
static inline spc_dense2_f64 spc_dense2_f64_make(double *values, int64_t rows, int64_t cols) {
  const spc_dense2_f64 t = {{rows, cols}, {cols, 1}, values};
  return t;
}

#endif

#ifdef __cplusplus
extern "C" {
#endif

/* What the object exports: call it by the functions below. The names carry a fingerprint of the arguments, their names,
 * order, storage and types, so that an object and a header that do not belong together do not link. */
spc_status r_spc_513e57cc59274aad(const spc_context *ctx, const spc_csr_f64_i32 *T, const spc_dense1_f64 *b,
                                  const spc_dense1_f64 *c, const spc_dense2_f64 *Q, spc_csr_f64_i32 *d);

/* For callers that have no header: arguments[k] is the k-th pointer, or points to the k-th number; as text the
 * arguments are in spc_signature_r, JSON that ends with a 0. */
spc_status r_argv(const spc_context *ctx, void **arguments);
extern const char spc_signature_r[];

#ifdef __cplusplus
}
#endif

/* `ctx` gives memory and threads; NULL: malloc, free and the calling thread. */
static inline spc_status r_ctx(const spc_context *ctx, const spc_csr_f64_i32 *T, const spc_dense1_f64 *b,
                               const spc_dense1_f64 *c, const spc_dense2_f64 *Q, spc_csr_f64_i32 *d) {
  return r_spc_513e57cc59274aad(ctx, T, b, c, Q, d);
}

/* With the default context: on the threads of OpenMP, or of spc/pool.h, where this program has either. */
static inline spc_status r(const spc_csr_f64_i32 *T, const spc_dense1_f64 *b, const spc_dense1_f64 *c,
                           const spc_dense2_f64 *Q, spc_csr_f64_i32 *d) {
  const spc_context ctx = spc_default_context();
  return r_ctx(&ctx, T, b, c, Q, d);
}

#ifdef SPC_NAMED_ARGUMENTS
extern "C++" {
/* The arguments by name, in this order: r({.T = T, .b = b, .c = c, .Q = Q, .d = d}). None may be left out. */
struct r_arguments {
  const spc_csr_f64_i32 &T;
  const spc_dense1_f64 &b;
  const spc_dense1_f64 &c;
  const spc_dense2_f64 &Q;
  spc_csr_f64_i32 &d;
};
static inline spc_status r(const r_arguments &arguments) {
  return r(&arguments.T, &arguments.b, &arguments.c, &arguments.Q, &arguments.d);
}
static inline spc_status r_ctx(const spc_context *ctx, const r_arguments &arguments) {
  return r_ctx(ctx, &arguments.T, &arguments.b, &arguments.c, &arguments.Q, &arguments.d);
}
}
#endif

#endif
