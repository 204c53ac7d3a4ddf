/* Checks of sparse structures, which the generated validators are made of. Not an interface to call directly.
 * C11 and C++17. Every generated header carries this text after that of spc/spc.h.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SPC_LEVELS_H
#define SPC_LEVELS_H

#ifndef SPC_CONVENTION_H
#include "spc.h"
#endif

#define SPC_DETAIL_MAX_LEVELS 16

typedef enum spc_detail_level_kind {
  SPC_DETAIL_LEVEL_DENSE,      /* every coordinate under each parent */
  SPC_DETAIL_LEVEL_ROOT,       /* the outermost level, `count` coordinates */
  SPC_DETAIL_LEVEL_COMPRESSED, /* pointers[p] ... pointers[p + 1] - 1 belong to parent p */
  SPC_DETAIL_LEVEL_LENGTHS,    /* pointers[p] entries belong to parent p, those of parent 0 first */
  SPC_DETAIL_LEVEL_FIXED,      /* `count` entries belong to each parent; 1: a singleton */
  SPC_DETAIL_LEVEL_CLOSED      /* length(p) entries belong to parent p, a closed form of its coordinate */
} spc_detail_level_kind;

enum {
  SPC_DETAIL_UNIQUE = 1,
  SPC_DETAIL_ORDERED = 2,
  SPC_DETAIL_CONTINUES = 4, /* a singleton: its order goes on from its parent's */
  SPC_DETAIL_COUNTED = 8    /* pointers or lengths that must end at `count`; else `stored` is what they end at */
};

/* constant + slope * coordinate of the parent + size * extent of the level's dimension */
typedef struct spc_detail_closed_form {
  int64_t constant, slope, size;
} spc_detail_closed_form;

/* One level of a structure, seen through its arrays. Fields that a kind has no use for are 0. */
typedef struct spc_detail_level {
  spc_detail_level_kind kind;
  int properties;    /* SPC_DETAIL_UNIQUE and SPC_DETAIL_ORDERED, of the coordinates under one parent, and the others */
  int64_t low, high; /* coordinates are from low to high - 1 */
  int64_t count;
  const void *pointers; /* offsets or lengths */
  int pointer_bits;
  const void *indices; /* NULL with index_bits 0: the level has none, its coordinates ascend by one */
  int index_bits;
  int64_t index_stride, index_offset;   /* of entry p: indices[p * stride + offset] */
  int64_t parent_size;                  /* of closed forms: the parent's coordinate is its position modulo this */
  spc_detail_closed_form length, start; /* start: of a level without indices, the first coordinate of each parent */
  int64_t weight;                       /* of a triangle: see spc_detail_check_triangle */
} spc_detail_level;

static inline spc_detail_level spc_detail_make_level(spc_detail_level_kind kind, int64_t low, int64_t high,
                                                     int properties) {
  const spc_detail_level level = {kind, properties, low, high, 0, NULL, 0, NULL, 0, 1, 0, 0, {0, 0, 0}, {0, 0, 0}, 0};
  return level;
}

static inline int64_t spc_detail_index_at(const spc_detail_level *level, int64_t position) {
  return spc_detail_load_index(level->indices, level->index_bits, position * level->index_stride + level->index_offset);
}

/* Whether every coordinate of a level fits its index type: 8 and 16 bits are unsigned. */
static inline bool spc_detail_fits_index(const spc_detail_level *level) {
  const int64_t largest = spc_detail_largest_index(level->index_bits);
  const int64_t smallest = level->index_bits < 32 ? 0 : -largest - 1;
  return level->high - 1 <= largest && level->low >= smallest;
}

/* The number of coordinates that a level has: of diagonals at most the number of both extents less one. */
static inline bool spc_detail_extent(const spc_detail_level *level, int64_t *extent) {
  if (level->low > level->high) {
    *extent = 0;
    return true;
  }
  return spc_detail_add(level->high, -level->low, extent);
}

/* Counts and index types by themselves, before any array is read. */
static inline spc_status spc_detail_check_sizes(const spc_detail_level *levels, int depth, int64_t stored) {
  int k;
  for (k = 0; k < depth; ++k)
    if (levels[k].count < 0)
      return SPC_ERROR_COUNT;
  if (stored < 0)
    return SPC_ERROR_COUNT;
  for (k = 0; k < depth; ++k)
    if (levels[k].index_bits != 0 && !spc_detail_fits_index(&levels[k]))
      return SPC_ERROR_INDEX_TYPE;
  return SPC_OK;
}

static inline bool spc_detail_closed_value(const spc_detail_closed_form *form, int64_t parent, int64_t size,
                                           int64_t *value) {
  int64_t sloped, sized;
  return spc_detail_multiply(form->slope, parent, &sloped) && spc_detail_multiply(form->size, size, &sized) &&
         spc_detail_add(form->constant, sloped, value) && spc_detail_add(*value, sized, value);
}

/* Whether a parent of a level without indices has its `length` coordinates within the extent. */
static inline bool spc_detail_fits_extent(const spc_detail_level *level, int64_t parent, int64_t length) {
  int64_t start = 0;
  if (level->index_bits != 0)
    return true;
  if (level->parent_size > 0 &&
      !spc_detail_closed_value(&level->start, parent % level->parent_size, level->high, &start))
    return false;
  return start >= 0 && start <= level->high && length <= level->high - start;
}

/* A pointers array over `parents` parents; `end` gets its last number. */
static inline spc_status spc_detail_check_pointers(const spc_detail_level *level, int64_t parents, int64_t *end) {
  int64_t p, last = 0;
  *end = 0;
  if (level->pointers == NULL)
    return parents == 0 ? SPC_OK : SPC_ERROR_NULL;
  for (p = 0; p <= parents; ++p) {
    const int64_t next = spc_detail_load_index(level->pointers, level->pointer_bits, p);
    if (p == 0 ? next < 0 : next < last || !spc_detail_fits_extent(level, p - 1, next - last))
      return SPC_ERROR_POINTERS;
    last = next;
  }
  *end = last;
  return SPC_OK;
}

/* An array of lengths; `end` gets their sum, which kernels keep in the same type. */
static inline spc_status spc_detail_check_lengths(const spc_detail_level *level, int64_t parents, int64_t *end) {
  int64_t p;
  *end = 0;
  if (level->pointers == NULL)
    return parents == 0 ? SPC_OK : SPC_ERROR_NULL;
  for (p = 0; p < parents; ++p) {
    const int64_t length = spc_detail_load_index(level->pointers, level->pointer_bits, p);
    if (length < 0 || !spc_detail_fits_extent(level, p, length))
      return SPC_ERROR_POINTERS;
    if (length > spc_detail_largest_index(level->pointer_bits) - *end)
      return SPC_ERROR_INDEX_TYPE;
    *end += length;
  }
  return SPC_OK;
}

/* Closed forms are linear: they are least and greatest under the first and the last parent. */
static inline spc_status spc_detail_check_closed(const spc_detail_level *level, int64_t parents, int64_t *end) {
  const int64_t run = level->parent_size;
  int64_t first, last, sum;
  *end = 0;
  if (parents == 0 || run == 0)
    return SPC_OK;
  if (!spc_detail_closed_value(&level->length, 0, level->high, &first) || first < 0 ||
      !spc_detail_fits_extent(level, 0, first) ||
      !spc_detail_closed_value(&level->length, run - 1, level->high, &last) || last < 0 ||
      !spc_detail_fits_extent(level, run - 1, last))
    return SPC_ERROR_SHAPE;
  /* run * (first + last) / 2, halving the even one of the two, for each of parents / run runs */
  if (!spc_detail_add(first, last, &sum) ||
      !spc_detail_multiply(run % 2 == 0 ? run / 2 : run, run % 2 == 0 ? sum : sum / 2, &sum) ||
      !spc_detail_multiply(parents / run, sum, end))
    return SPC_ERROR_COUNT;
  return SPC_OK;
}

/* Why another number of values was found than the `stored` ones: undoes the levels that only multiply. */
static inline spc_status spc_detail_count_mismatch(const spc_detail_level *levels, int depth, int64_t stored) {
  while (depth-- > 0) {
    const spc_detail_level *level = &levels[depth];
    int64_t each = level->count;
    switch (level->kind) {
    case SPC_DETAIL_LEVEL_COMPRESSED:
      return stored > spc_detail_largest_index(level->pointer_bits) ? SPC_ERROR_INDEX_TYPE : SPC_ERROR_POINTERS;
    case SPC_DETAIL_LEVEL_LENGTHS:
      return SPC_ERROR_POINTERS;
    case SPC_DETAIL_LEVEL_ROOT:
    case SPC_DETAIL_LEVEL_CLOSED:
      return SPC_ERROR_COUNT;
    case SPC_DETAIL_LEVEL_DENSE:
      if (!spc_detail_extent(level, &each))
        return SPC_ERROR_COUNT;
      break;
    case SPC_DETAIL_LEVEL_FIXED:
      break;
    }
    if (each == 0 || stored % each != 0)
      return SPC_ERROR_COUNT;
    stored /= each;
  }
  return SPC_ERROR_COUNT;
}

/* entries[k] gets the number of entries of level k - 1, entries[0] being 1. */
static inline spc_status spc_detail_count_entries(const spc_detail_level *levels, int depth, int64_t *entries) {
  spc_status status = SPC_OK;
  int64_t extent;
  int k;
  entries[0] = 1;
  for (k = 0; k < depth && status == SPC_OK; ++k) {
    switch (levels[k].kind) {
    case SPC_DETAIL_LEVEL_DENSE:
      if (!spc_detail_extent(&levels[k], &extent) || !spc_detail_multiply(entries[k], extent, &entries[k + 1]))
        status = SPC_ERROR_COUNT;
      break;
    case SPC_DETAIL_LEVEL_ROOT:
      entries[k + 1] = levels[k].count;
      break;
    case SPC_DETAIL_LEVEL_COMPRESSED:
      status = spc_detail_check_pointers(&levels[k], entries[k], &entries[k + 1]);
      break;
    case SPC_DETAIL_LEVEL_LENGTHS:
      status = spc_detail_check_lengths(&levels[k], entries[k], &entries[k + 1]);
      break;
    case SPC_DETAIL_LEVEL_FIXED:
      if (!spc_detail_multiply(entries[k], levels[k].count, &entries[k + 1]))
        status = SPC_ERROR_COUNT;
      break;
    case SPC_DETAIL_LEVEL_CLOSED:
      status = spc_detail_check_closed(&levels[k], entries[k], &entries[k + 1]);
      break;
    }
    /* Deeper pointers are as many as these say. */
    if (status == SPC_OK && levels[k].properties & SPC_DETAIL_COUNTED && entries[k + 1] != levels[k].count)
      status = levels[k].count > spc_detail_largest_index(levels[k].pointer_bits) ? SPC_ERROR_INDEX_TYPE
                                                                                  : SPC_ERROR_POINTERS;
  }
  return status;
}

/* The coordinates of entries `begin` to `end` - 1. */
static inline spc_status spc_detail_check_range(const spc_detail_level *level, int64_t begin, int64_t end) {
  int64_t p;
  if (end > begin && level->indices == NULL)
    return SPC_ERROR_NULL;
  if (end > begin && level->kind == SPC_DETAIL_LEVEL_FIXED && level->high <= level->low)
    return SPC_ERROR_SHAPE; /* nothing to pad with */
  for (p = begin; p < end; ++p) {
    const int64_t index = spc_detail_index_at(level, p);
    if (index < level->low || index >= level->high)
      return SPC_ERROR_INDEX_RANGE;
  }
  return SPC_OK;
}

/* Whether entry `position` may follow the one before it: compares the coordinates of `chain` levels from the outside
 * in, a listed level and the singletons below it. */
static inline spc_status spc_detail_check_successor(const spc_detail_level *levels, int chain, int64_t position) {
  int k;
  for (k = 0; k < chain; ++k) {
    const int64_t before = spc_detail_index_at(&levels[k], position - 1);
    const int64_t index = spc_detail_index_at(&levels[k], position);
    if (index > before)
      return SPC_OK;
    if (index < before)
      return levels[k].properties & SPC_DETAIL_ORDERED ? SPC_ERROR_UNSORTED : SPC_OK;
    if (levels[k].properties & SPC_DETAIL_UNIQUE)
      return SPC_ERROR_DUPLICATE;
  }
  return SPC_OK;
}

/* How many entries a parent has in a level whose counts are right. */
static inline int64_t spc_detail_segment(const spc_detail_level *level, int64_t parent) {
  int64_t length = 0;
  switch (level->kind) {
  case SPC_DETAIL_LEVEL_DENSE:
    (void)spc_detail_extent(level, &length);
    return length;
  case SPC_DETAIL_LEVEL_ROOT:
  case SPC_DETAIL_LEVEL_FIXED:
    return level->count;
  case SPC_DETAIL_LEVEL_COMPRESSED:
    return spc_detail_load_index(level->pointers, level->pointer_bits, parent + 1) -
           spc_detail_load_index(level->pointers, level->pointer_bits, parent);
  case SPC_DETAIL_LEVEL_LENGTHS:
    return spc_detail_load_index(level->pointers, level->pointer_bits, parent);
  case SPC_DETAIL_LEVEL_CLOSED:
    (void)spc_detail_closed_value(&level->length, parent % level->parent_size, level->high, &length);
  }
  return length;
}

/* The order of entries `begin` to `end` - 1, which have one parent. */
static inline spc_status spc_detail_check_run(const spc_detail_level *levels, int chain, int64_t begin, int64_t end) {
  spc_status status = SPC_OK;
  int64_t position;
  for (position = begin + 1; position < end && status == SPC_OK; ++position)
    status = spc_detail_check_successor(levels, chain, position);
  return status;
}

/* The order of the entries under parents `first` to `last` - 1, which begin at `position`. */
static inline spc_status spc_detail_check_order(const spc_detail_level *levels, int chain, int64_t first, int64_t last,
                                                int64_t position) {
  spc_status status = SPC_OK;
  int64_t parent;
  for (parent = first; parent < last && status == SPC_OK; ++parent) {
    const int64_t begin = position;
    position += spc_detail_segment(levels, parent);
    status = spc_detail_check_run(levels, chain, begin, position);
  }
  return status;
}

/* The position of the first entry: pointers of a slice of rows start at those of the rows ahead of it. */
static inline int64_t spc_detail_first_entry(const spc_detail_level *level, int64_t parents) {
  return level->kind == SPC_DETAIL_LEVEL_COMPRESSED && (parents > 0 || level->pointers != NULL)
             ? spc_detail_load_index(level->pointers, level->pointer_bits, 0)
             : 0;
}

/* How many levels from the k-th on have one order, that of a coordinate list; 0 where level k's is that of a level
 * above, or there is none. */
static inline int spc_detail_order_chain(const spc_detail_level *levels, int depth, int k) {
  int chain = 1;
  if (levels[k].index_bits == 0 || levels[k].properties & SPC_DETAIL_CONTINUES)
    return 0;
  while (k + chain < depth && levels[k + chain].properties & SPC_DETAIL_CONTINUES)
    ++chain;
  return chain;
}

/* Whether every entry below `parent` of level k lies in the triangle: the sum of its coordinates times their levels'
 * weights is at most `limit`. Visits entries in storage order, next[k] being the next of level k. */
static inline spc_status spc_detail_check_triangle(const spc_detail_level *levels, int depth, int k, int64_t parent,
                                                   int64_t limit, int64_t *next) {
  const spc_detail_level *level = &levels[k];
  const int64_t length = spc_detail_segment(level, parent);
  int64_t n, start = 0;
  spc_status status = SPC_OK;
  if (level->index_bits == 0 && level->parent_size > 0)
    (void)spc_detail_closed_value(&level->start, parent % level->parent_size, level->high, &start);
  if (level->index_bits == 0 && k + 1 == depth && length > 0) {
    const int64_t outermost = level->low + start + (level->weight > 0 ? length - 1 : 0);
    return limit - level->weight * outermost < 0 ? SPC_ERROR_INDEX_RANGE : SPC_OK;
  }
  for (n = 0; n < length && status == SPC_OK; ++n) {
    const int64_t position = next[k]++;
    const int64_t coordinate = level->index_bits != 0 ? spc_detail_index_at(level, position) : level->low + start + n;
    const int64_t left = limit - level->weight * coordinate;
    if (k + 1 < depth)
      status = spc_detail_check_triangle(levels, depth, k + 1, position, left, next);
    else if (left < 0)
      status = SPC_ERROR_INDEX_RANGE;
  }
  return status;
}

/* The stored triangle of a symmetric matrix, whose other checks have passed. A block counts as long as a part of it
 * lies in the triangle; padding of widths that do not follow from the entries lies anywhere. */
static inline spc_status spc_detail_check_symmetric(const spc_detail_level *levels, int depth) {
  int64_t next[SPC_DETAIL_MAX_LEVELS] = {0}, limit = 0;
  int k;
  for (k = 0; k < depth; ++k)
    if ((levels[k].kind == SPC_DETAIL_LEVEL_FIXED && levels[k].count != 1) ||
        (levels[k].kind == SPC_DETAIL_LEVEL_CLOSED && levels[k].index_bits != 0))
      return SPC_OK;
  for (k = 1; k < depth; ++k)
    next[k] = spc_detail_first_entry(&levels[k], levels[k - 1].high - levels[k - 1].low);
  for (; depth > 0 && levels[depth - 1].kind == SPC_DETAIL_LEVEL_DENSE; --depth)
    if (levels[depth - 1].weight < 0 && levels[depth - 1].high > 0)
      limit -= levels[depth - 1].weight * (levels[depth - 1].high - 1);
  return depth == 0 ? SPC_OK : spc_detail_check_triangle(levels, depth, 0, 0, limit, next);
}

/* Sizes, counts and whether there are values, for spc_detail_validate_levels. */
static inline spc_status spc_detail_validate_counts(const spc_detail_level *levels, int depth, const int64_t *stored,
                                                    const void *values, int64_t *entries) {
  spc_status status = spc_detail_check_sizes(levels, depth, stored == NULL ? 0 : *stored);
  if (status == SPC_OK)
    status = spc_detail_count_entries(levels, depth, entries);
  if (status == SPC_OK && stored != NULL && entries[depth] != *stored)
    status = spc_detail_count_mismatch(levels, depth, *stored);
  if (status == SPC_OK && entries[depth] > 0 && values == NULL)
    status = SPC_ERROR_NULL;
  return status;
}

/* A sparse structure of 1 <= depth <= SPC_DETAIL_MAX_LEVELS levels over extents that are not negative, with `*stored`
 * values (NULL: as many as its sizes say). NULL arrays are fine where they would have no number to give: a pointers
 * array over no parents, indices and values of no entries. */
static inline spc_status spc_detail_validate_levels(const spc_detail_level *levels, int depth, const int64_t *stored,
                                                    const void *values) {
  int64_t entries[SPC_DETAIL_MAX_LEVELS + 1];
  spc_status status = spc_detail_validate_counts(levels, depth, stored, values, entries);
  int k;
  for (k = 0; k < depth && status == SPC_OK; ++k)
    if (levels[k].index_bits != 0)
      status = spc_detail_check_range(&levels[k], spc_detail_first_entry(&levels[k], entries[k]), entries[k + 1]);
  for (k = 0; k < depth && status == SPC_OK; ++k) {
    const int chain = spc_detail_order_chain(levels, depth, k);
    if (chain > 0 && entries[k + 1] > 1)
      status = spc_detail_check_order(&levels[k], chain, 0, entries[k], spc_detail_first_entry(&levels[k], entries[k]));
  }
  return status;
}

#endif
