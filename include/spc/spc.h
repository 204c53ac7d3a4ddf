/* The common part of spc's C interface: statuses, the context, and checks of sparse structures.
 * C11 and C++17. Every generated header carries this text, so that it needs no other file.
 * SPDX-License-Identifier: Apache-2.0 */
#ifdef SPC_H
#if SPC_ABI_VERSION != 2
#error "headers made by different versions of spc cannot be mixed: compile these kernels anew with one version"
#endif
#else
#define SPC_H

/* Changes with every change of the calling convention or of this text that generated code would notice. */
#define SPC_ABI_VERSION 2

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
#define SPC_STATIC_ASSERT static_assert
#define SPC_CAST(type, value) static_cast<type>(value)
#else
#define SPC_STATIC_ASSERT _Static_assert
#define SPC_CAST(type, value) ((type)(value))
#endif

/* Where pointers have 8 bytes every field of every struct takes 8 bytes, in this order and with no gaps. */
#define SPC_ASSERT_FIELD(type, field, slot)                                                                            \
  SPC_STATIC_ASSERT(sizeof(void *) != 8 || offsetof(type, field) == 8 * (slot), #type "." #field " is out of place")
#define SPC_ASSERT_SIZE(type, slots)                                                                                   \
  SPC_STATIC_ASSERT(sizeof(void *) != 8 || sizeof(type) == 8 * (slots), #type " has an unexpected size")

/* Half-precision numbers as their 16 bits: IEEE 754 binary16, and the upper half of a binary32. */
typedef uint16_t spc_f16;
typedef uint16_t spc_bf16;

/* Complex numbers, laid out as C's float _Complex and C++'s std::complex<float> are. */
typedef struct spc_cf32 {
  float re, im;
} spc_cf32;
typedef struct spc_cf64 {
  double re, im;
} spc_cf64;

/* What kernels and validators return: an int32_t in the calling convention. */
typedef enum spc_status
#ifdef __cplusplus
    : int32_t
#endif
{ SPC_OK = 0,
  SPC_ERROR_NULL = 1,        /* a struct or an array that is needed is NULL */
  SPC_ERROR_SHAPE = 2,       /* an extent is negative, differs from another argument's or from the declared number */
  SPC_ERROR_STRIDE = 3,      /* the innermost stride is not 1, or elements overlap */
  SPC_ERROR_PATTERN = 4,     /* an output's structure is neither NULL nor the operand's whose pattern it shares */
  SPC_ERROR_COUNT = 5,       /* a number of entries is negative or does not fit the structure */
  SPC_ERROR_MEMORY = 6,      /* memory ran out */
  SPC_ERROR_CONTEXT = 7,     /* the context is of an unknown size, or has one memory hook without the other */
  SPC_ERROR_POINTERS = 8,    /* a pointers array does not start at 0, descends, or does not end at the entry count */
  SPC_ERROR_INDEX_RANGE = 9, /* a coordinate is negative or not below its extent */
  SPC_ERROR_UNSORTED = 10,   /* coordinates do not ascend */
  SPC_ERROR_DUPLICATE = 11,  /* a coordinate occurs twice */
  SPC_ERROR_INDEX_TYPE = 12  /* a count or an extent overflows the index type */
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
    return "shapes are negative or do not agree";
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
    return "a pointers array does not start at 0, descends, or does not end at the entry count";
  case SPC_ERROR_INDEX_RANGE:
    return "a coordinate is outside of its dimension";
  case SPC_ERROR_UNSORTED:
    return "coordinates are not sorted";
  case SPC_ERROR_DUPLICATE:
    return "a coordinate occurs twice";
  case SPC_ERROR_INDEX_TYPE:
    return "a count or an extent overflows the index type";
  }
  return "unknown status";
}

/* What a kernel takes from its surroundings. Start from spc_default_context() and change what differs.
 * A kernel keeps nothing of it past its return. */
typedef struct spc_context {
  int64_t struct_size; /* sizeof(spc_context): lets later versions add fields */
  void *user;          /* handed to each hook */
  /* At least `bytes` bytes (> 0), aligned for any scalar, or NULL; freed with `deallocate` before the kernel returns.
   * Both hooks or neither; NULL: malloc and free. */
  void *(*allocate)(void *user, int64_t bytes);
  void (*deallocate)(void *user, void *memory);
  /* Calls task(closure, index) once for each index in [0, tasks), in any order, on any threads, and returns after the
   * last one has returned. NULL: one after the other. */
  void (*parallel_for)(void *user, int64_t tasks, void (*task)(void *closure, int64_t index), void *closure);
} spc_context;

SPC_ASSERT_FIELD(spc_context, struct_size, 0);
SPC_ASSERT_FIELD(spc_context, user, 1);
SPC_ASSERT_FIELD(spc_context, allocate, 2);
SPC_ASSERT_FIELD(spc_context, deallocate, 3);
SPC_ASSERT_FIELD(spc_context, parallel_for, 4);
SPC_ASSERT_SIZE(spc_context, 5);

#ifdef _OPENMP
static inline void spc_openmp_parallel_for(void *user, int64_t tasks, void (*task)(void *closure, int64_t index),
                                           void *closure) {
  int64_t index;
  (void)user;
#pragma omp parallel for schedule(dynamic)
  for (index = 0; index < tasks; ++index)
    task(closure, index);
}
#endif

/* malloc and free; OpenMP's threads where the including program is compiled with OpenMP, else one thread. */
static inline spc_context spc_default_context(void) {
  spc_context context = {SPC_CAST(int64_t, sizeof(spc_context)), NULL, NULL, NULL, NULL};
#ifdef _OPENMP
  context.parallel_for = spc_openmp_parallel_for;
#endif
  return context;
}

/* The rest is what the generated validators are made of. */

#define SPC_MAX_ORDER 8
#define SPC_MAX_LEVELS 16

typedef enum spc_level_kind {
  SPC_LEVEL_DENSE,      /* every coordinate under each parent */
  SPC_LEVEL_ROOT,       /* the outermost level, `count` coordinates */
  SPC_LEVEL_COMPRESSED, /* pointers[p] ... pointers[p + 1] - 1 belong to parent p */
  SPC_LEVEL_LENGTHS,    /* pointers[p] entries belong to parent p, those of parent 0 first */
  SPC_LEVEL_FIXED,      /* `count` entries belong to each parent; 1: a singleton */
  SPC_LEVEL_CLOSED      /* length(p) entries belong to parent p, a closed form of its coordinate */
} spc_level_kind;

enum { SPC_UNIQUE = 1, SPC_ORDERED = 2, SPC_CONTINUES = 4 /* a singleton: its order goes on from its parent's */ };

/* constant + slope * coordinate of the parent + size * extent of the level's dimension */
typedef struct spc_closed_form {
  int64_t constant, slope, size;
} spc_closed_form;

/* One level of a structure, seen through its arrays. Fields that a kind has no use for are 0. */
typedef struct spc_level {
  spc_level_kind kind;
  int properties;    /* SPC_UNIQUE and SPC_ORDERED, of the coordinates under one parent */
  int64_t low, high; /* coordinates are from low to high - 1 */
  int64_t count;
  const void *pointers; /* offsets or lengths */
  int pointer_bits;
  const void *indices; /* NULL with index_bits 0: the level has none, its coordinates ascend by one */
  int index_bits;
  int64_t index_stride, index_offset; /* of entry p: indices[p * stride + offset] */
  int64_t parent_size;                /* closed forms: the extent that the parent's coordinate runs over */
  spc_closed_form length, start;
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
  return level;
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

static inline int64_t spc_index_at(const spc_level *level, int64_t position) {
  return spc_load_index(level->indices, level->index_bits, position * level->index_stride + level->index_offset);
}

/* Extents and counts by themselves, before any array is read. */
static inline spc_status spc_check_sizes(const spc_level *levels, int order, int64_t stored) {
  int k;
  for (k = 0; k < order; ++k)
    if (levels[k].high < 0)
      return SPC_ERROR_SHAPE;
  for (k = 0; k < order; ++k)
    if (levels[k].count < 0)
      return SPC_ERROR_COUNT;
  if (stored < 0)
    return SPC_ERROR_COUNT;
  for (k = 0; k < order; ++k)
    if (levels[k].index_bits != 0 && levels[k].high - 1 > spc_largest_index(levels[k].index_bits))
      return SPC_ERROR_INDEX_TYPE;
  return SPC_OK;
}

/* A pointers array over `parents` parents; `end` gets its last number. */
static inline spc_status spc_check_pointers(const spc_level *level, int64_t parents, int64_t *end) {
  int64_t p, last = 0;
  *end = 0;
  if (level->pointers == NULL)
    return parents == 0 ? SPC_OK : SPC_ERROR_NULL;
  for (p = 0; p <= parents; ++p) {
    const int64_t next = spc_load_index(level->pointers, level->pointer_bits, p);
    if (p == 0 ? next != 0 : next < last)
      return SPC_ERROR_POINTERS;
    if (level->index_bits == 0 && next - last > level->high)
      return SPC_ERROR_POINTERS;
    last = next;
  }
  *end = last;
  return SPC_OK;
}

/* An array of lengths; `end` gets their sum. */
static inline spc_status spc_check_lengths(const spc_level *level, int64_t parents, int64_t *end) {
  int64_t p;
  *end = 0;
  if (level->pointers == NULL)
    return parents == 0 ? SPC_OK : SPC_ERROR_NULL;
  for (p = 0; p < parents; ++p) {
    const int64_t length = spc_load_index(level->pointers, level->pointer_bits, p);
    if (length < 0 || (level->index_bits == 0 && length > level->high))
      return SPC_ERROR_POINTERS;
    if (length > INT64_MAX - *end)
      return SPC_ERROR_COUNT;
    *end += length;
  }
  return SPC_OK;
}

/* The closed form's value for a parent's coordinate, for extents below 2^31 of a form with small coefficients. */
static inline int64_t spc_closed_value(const spc_closed_form *form, int64_t parent, int64_t size) {
  return form->constant + form->slope * parent + form->size * size;
}

static inline spc_status spc_check_closed(const spc_level *level, int64_t parents, int64_t *end) {
  int64_t p;
  *end = 0;
  for (p = 0; p < parents; ++p) {
    const int64_t length = spc_closed_value(&level->length, p % level->parent_size, level->high);
    const int64_t start = spc_closed_value(&level->start, p % level->parent_size, level->high);
    if (length < 0 || (level->index_bits == 0 && (start < 0 || start > level->high - length)))
      return SPC_ERROR_SHAPE;
    *end += length;
  }
  return SPC_OK;
}

static inline spc_status spc_multiply_count(int64_t parents, int64_t count, int64_t *end) {
  if (count > 0 && parents > INT64_MAX / count)
    return SPC_ERROR_COUNT;
  *end = parents * count;
  return SPC_OK;
}

/* entries[k] gets the number of entries of level k - 1, entries[0] being 1. `stored` < 0: not known apart from that. */
static inline spc_status spc_count_entries(const spc_level *levels, int order, int64_t stored, int64_t *entries) {
  int k;
  spc_status status = SPC_OK, mismatch = SPC_ERROR_COUNT;
  entries[0] = 1;
  for (k = 0; k < order && status == SPC_OK; ++k) {
    switch (levels[k].kind) {
    case SPC_LEVEL_DENSE:
      status = spc_multiply_count(entries[k], levels[k].high, &entries[k + 1]);
      break;
    case SPC_LEVEL_ROOT:
      entries[k + 1] = levels[k].count;
      break;
    case SPC_LEVEL_COMPRESSED:
      status = spc_check_pointers(&levels[k], entries[k], &entries[k + 1]);
      mismatch = k == order - 1 && stored > spc_largest_index(levels[k].pointer_bits) ? SPC_ERROR_INDEX_TYPE
                                                                                      : SPC_ERROR_POINTERS;
      break;
    case SPC_LEVEL_LENGTHS:
      status = spc_check_lengths(&levels[k], entries[k], &entries[k + 1]);
      mismatch = SPC_ERROR_POINTERS;
      break;
    case SPC_LEVEL_FIXED:
      status = spc_multiply_count(entries[k], levels[k].count, &entries[k + 1]);
      break;
    case SPC_LEVEL_CLOSED:
      status = spc_check_closed(&levels[k], entries[k], &entries[k + 1]);
      break;
    }
  }
  if (status != SPC_OK)
    return status;
  return stored < 0 || entries[order] == stored ? SPC_OK : mismatch;
}

static inline spc_status spc_check_range(const spc_level *level, int64_t count) {
  int64_t p;
  if (count > 0 && level->indices == NULL)
    return SPC_ERROR_NULL;
  for (p = 0; p < count; ++p) {
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

/* The order of entries under each of `parents` parents. */
static inline spc_status spc_check_order(const spc_level *levels, int chain, int64_t parents, int64_t count) {
  int64_t parent, position, end = 0;
  for (parent = 0; parent < parents; ++parent) {
    const int64_t begin = end;
    switch (levels->kind) {
    case SPC_LEVEL_COMPRESSED:
      end = spc_load_index(levels->pointers, levels->pointer_bits, parent + 1);
      break;
    case SPC_LEVEL_LENGTHS:
      end += spc_load_index(levels->pointers, levels->pointer_bits, parent);
      break;
    case SPC_LEVEL_FIXED:
      end += levels->count;
      break;
    case SPC_LEVEL_CLOSED:
      end += spc_closed_value(&levels->length, parent % levels->parent_size, levels->high);
      break;
    default:
      end = count;
    }
    for (position = begin + 1; position < end; ++position) {
      const spc_status status = spc_check_successor(levels, chain, position);
      if (status != SPC_OK)
        return status;
    }
  }
  return SPC_OK;
}

/* A sparse structure of 1 <= order <= SPC_MAX_LEVELS levels with `*stored` values (NULL: as many as its sizes say). NULL
 * arrays are fine where they would have no number to give: a pointers array over no parents, indices and values of no
 * entries. */
static inline spc_status spc_validate_levels(const spc_level *levels, int order, const int64_t *stored,
                                             const void *values) {
  int64_t entries[SPC_MAX_LEVELS + 1];
  int k, chain;
  spc_status status = spc_check_sizes(levels, order, stored == NULL ? 0 : *stored);
  if (status == SPC_OK)
    status = spc_count_entries(levels, order, stored == NULL ? -1 : *stored, entries);
  if (status == SPC_OK && entries[order] > 0 && values == NULL)
    status = SPC_ERROR_NULL;
  for (k = 0; k < order && status == SPC_OK; ++k)
    if (levels[k].index_bits != 0)
      status = spc_check_range(&levels[k], entries[k + 1]);
  for (k = 0; k < order && status == SPC_OK; ++k) {
    if (levels[k].index_bits == 0 || levels[k].properties & SPC_CONTINUES)
      continue;
    for (chain = 1; k + chain < order && levels[k + chain].properties & SPC_CONTINUES;)
      ++chain;
    status = spc_check_order(&levels[k], chain, entries[k], entries[k + 1]);
  }
  return status;
}

/* A dense tensor: the stride of dimension `inner` is 1, and no two elements share a place. */
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
