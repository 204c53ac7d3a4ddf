/* The common part of spc's C interface: statuses, the context, and checks of sparse structures.
 * C11 and C++17. Every generated header carries this text, so that it needs no other file.
 * SPDX-License-Identifier: Apache-2.0 */
#ifdef SPC_H
#if SPC_ABI_VERSION != 1
#error "headers made by different versions of spc cannot be mixed: compile these kernels anew with one version"
#endif
#else
#define SPC_H

/* Changes with every change of the calling convention or of this text that generated code would notice. */
#define SPC_ABI_VERSION 1

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

typedef enum spc_level_kind {
  SPC_LEVEL_DENSE,      /* every coordinate of the dimension */
  SPC_LEVEL_ROOT,       /* the outermost level, `count` coordinates */
  SPC_LEVEL_COMPRESSED, /* coordinates pointers[p] ... pointers[p + 1] - 1 belong to parent p */
  SPC_LEVEL_SINGLETON   /* one coordinate for each parent */
} spc_level_kind;

enum { SPC_UNIQUE = 1, SPC_ORDERED = 2 };

/* One level of a structure, seen through its arrays. */
typedef struct spc_level {
  spc_level_kind kind;
  int properties; /* SPC_UNIQUE and SPC_ORDERED, of the coordinates under one parent */
  int64_t size;   /* extent of the dimension */
  int64_t count;
  const void *pointers;
  int pointer_bits;
  const void *indices;
  int index_bits;
} spc_level;

static inline spc_level spc_dense_level(int64_t size) {
  spc_level level = {SPC_LEVEL_DENSE, SPC_UNIQUE | SPC_ORDERED, size, 0, NULL, 0, NULL, 0};
  return level;
}

static inline spc_level spc_root_level(int64_t size, int64_t count, const void *indices, int index_bits,
                                       int properties) {
  spc_level level = {SPC_LEVEL_ROOT, properties, size, count, NULL, 0, indices, index_bits};
  return level;
}

static inline spc_level spc_compressed_level(int64_t size, const void *pointers, int pointer_bits, const void *indices,
                                             int index_bits, int properties) {
  spc_level level = {SPC_LEVEL_COMPRESSED, properties, size, 0, pointers, pointer_bits, indices, index_bits};
  return level;
}

static inline spc_level spc_singleton_level(int64_t size, const void *indices, int index_bits, int properties) {
  spc_level level = {SPC_LEVEL_SINGLETON, properties, size, 0, NULL, 0, indices, index_bits};
  return level;
}

static inline int64_t spc_load_index(const void *array, int bits, int64_t position) {
  return bits == 32 ? SPC_CAST(const int32_t *, array)[position] : SPC_CAST(const int64_t *, array)[position];
}

static inline int64_t spc_largest_index(int bits) {
  return bits == 32 ? INT32_MAX : INT64_MAX;
}

/* Extents and counts by themselves, before any array is read. */
static inline spc_status spc_check_sizes(const spc_level *levels, int order, int64_t stored) {
  int k;
  for (k = 0; k < order; ++k)
    if (levels[k].size < 0)
      return SPC_ERROR_SHAPE;
  for (k = 0; k < order; ++k)
    if (levels[k].count < 0)
      return SPC_ERROR_COUNT;
  if (stored < 0)
    return SPC_ERROR_COUNT;
  for (k = 0; k < order; ++k)
    if (levels[k].kind != SPC_LEVEL_DENSE && levels[k].size > spc_largest_index(levels[k].index_bits))
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
    last = next;
  }
  *end = last;
  return SPC_OK;
}

/* entries[k] gets the number of entries of level k - 1, entries[0] being 1. */
static inline spc_status spc_count_entries(const spc_level *levels, int order, int64_t stored, int64_t *entries) {
  int k;
  spc_status status, mismatch = SPC_ERROR_COUNT;
  entries[0] = 1;
  for (k = 0; k < order; ++k) {
    const int64_t parents = entries[k];
    switch (levels[k].kind) {
    case SPC_LEVEL_DENSE:
      if (levels[k].size > 0 && parents > INT64_MAX / levels[k].size)
        return SPC_ERROR_COUNT;
      entries[k + 1] = parents * levels[k].size;
      break;
    case SPC_LEVEL_ROOT:
      entries[k + 1] = levels[k].count;
      break;
    case SPC_LEVEL_COMPRESSED:
      status = spc_check_pointers(&levels[k], parents, &entries[k + 1]);
      if (status != SPC_OK)
        return status;
      mismatch = k == order - 1 && stored > spc_largest_index(levels[k].pointer_bits) ? SPC_ERROR_INDEX_TYPE
                                                                                      : SPC_ERROR_POINTERS;
      break;
    case SPC_LEVEL_SINGLETON:
      entries[k + 1] = parents;
      break;
    }
  }
  return entries[order] == stored ? SPC_OK : mismatch;
}

static inline spc_status spc_check_range(const spc_level *level, int64_t count) {
  int64_t p;
  if (count > 0 && level->indices == NULL)
    return SPC_ERROR_NULL;
  for (p = 0; p < count; ++p) {
    const int64_t index = spc_load_index(level->indices, level->index_bits, p);
    if (index < 0 || index >= level->size)
      return SPC_ERROR_INDEX_RANGE;
  }
  return SPC_OK;
}

/* Whether entry `position` may follow the one before it: compares the coordinates of `chain` levels from the outside
 * in, a root or compressed level and the singletons below it. */
static inline spc_status spc_check_successor(const spc_level *levels, int chain, int64_t position) {
  int k;
  for (k = 0; k < chain; ++k) {
    const int64_t before = spc_load_index(levels[k].indices, levels[k].index_bits, position - 1);
    const int64_t index = spc_load_index(levels[k].indices, levels[k].index_bits, position);
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
  int64_t parent, position;
  for (parent = 0; parent < parents; ++parent) {
    const int has_pointers = levels->kind == SPC_LEVEL_COMPRESSED;
    const int64_t begin = has_pointers ? spc_load_index(levels->pointers, levels->pointer_bits, parent) : 0;
    const int64_t end = has_pointers ? spc_load_index(levels->pointers, levels->pointer_bits, parent + 1) : count;
    for (position = begin + 1; position < end; ++position) {
      const spc_status status = spc_check_successor(levels, chain, position);
      if (status != SPC_OK)
        return status;
    }
  }
  return SPC_OK;
}

/* A sparse structure of 1 <= order <= SPC_MAX_ORDER levels with `stored` values. NULL arrays are fine where they
 * would have no number to give: a pointers array over no parents, indices and values of no entries. */
static inline spc_status spc_validate_levels(const spc_level *levels, int order, int64_t stored, const void *values) {
  int64_t entries[SPC_MAX_ORDER + 1];
  int k, chain;
  spc_status status = spc_check_sizes(levels, order, stored);
  if (status == SPC_OK)
    status = spc_count_entries(levels, order, stored, entries);
  if (status == SPC_OK && stored > 0 && values == NULL)
    status = SPC_ERROR_NULL;
  for (k = 0; k < order && status == SPC_OK; ++k)
    if (levels[k].kind != SPC_LEVEL_DENSE)
      status = spc_check_range(&levels[k], entries[k + 1]);
  for (k = 0; k < order && status == SPC_OK; ++k) {
    if (levels[k].kind != SPC_LEVEL_ROOT && levels[k].kind != SPC_LEVEL_COMPRESSED)
      continue;
    for (chain = 1; k + chain < order && levels[k + chain].kind == SPC_LEVEL_SINGLETON;)
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
