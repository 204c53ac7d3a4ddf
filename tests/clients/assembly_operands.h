/* Operands of kernels that assemble, and what these must give: C11 and C++17. All numbers are small integers, so that
 * sums are exact in any order. */
#ifndef SPC_TESTS_ASSEMBLY_OPERANDS_H
#define SPC_TESTS_ASSEMBLY_OPERANDS_H

#include "accumulate.h"
#include "converted_on_csc.h"
#include "spadd.h"
#include "spgemm.h"
#include "spgemm_on_bsr.h"
#include "spgemm_on_coo.h"
#include "ttm.h"

#include <stdlib.h>

enum { INNER = 13, COLUMNS = 9, DEPTH = 5, RANK = 3 };

/* The operands, and what their entries are made from. */
typedef struct operands {
  int64_t rows;
  int scale;    /* of the values */
  int has_more; /* whether B and T have the entries of a larger pattern */
  spc_csr_f64_i32 B, C, D;
  spc_csf3_f64_i32 T;
  spc_dense2_f64 F;
} operands;

static operands given;

/* Every seventh row is empty, and a row of blocks unless there is more. */
static int is_entry(int64_t i, int64_t j, int has_more) {
  return i % 7 != 2 && (has_more || i % 16 / 4 != 2) && (i * 7 + j * 5 + i * j) % 11 < 3;
}

static double value_at(int64_t i, int64_t j) {
  return (double)(given.scale * ((i * 3 + j * 5) % 7 + 1));
}

static double b_at(int64_t i, int64_t k) {
  return is_entry(i, k, given.has_more) ? value_at(i, k) : 0;
}

static double c_at(int64_t k, int64_t j) {
  return is_entry(k + 1, j, 0) ? value_at(k + 1, j) : 0;
}

static double d_at(int64_t i, int64_t j) {
  return is_entry(i + 2, j + 3, 0) ? value_at(i + 2, j + 3) : 0;
}

static double t_at(int64_t i, int64_t j, int64_t k) {
  return is_entry(i + j, j + k, given.has_more) ? value_at(i + j, j + k) : 0;
}

static double f_at(int64_t k, int64_t r) {
  return value_at(k, r);
}

static void *array_of(int64_t count, size_t bytes) {
  void *array = malloc((size_t)count * bytes + 1);
  if (array == NULL)
    abort();
  return array;
}

/* A matrix of what `at` gives; rows without entries are stored as such. */
static void make_csr(spc_csr_f64_i32 *matrix, int64_t rows, int64_t columns, double (*at)(int64_t, int64_t)) {
  int64_t i, j, count = 0;
  int32_t *row_ptr, *col_ind;
  double *values;
  for (i = 0; i < rows; ++i)
    for (j = 0; j < columns; ++j)
      count += at(i, j) != 0;
  matrix->nrows = rows;
  matrix->ncols = columns;
  matrix->nnz = count;
  row_ptr = (int32_t *)array_of(rows + 1, sizeof(int32_t));
  col_ind = (int32_t *)array_of(count, sizeof(int32_t));
  values = (double *)array_of(count, sizeof(double));
  row_ptr[0] = 0;
  count = 0;
  for (i = 0; i < rows; ++i) {
    for (j = 0; j < columns; ++j)
      if (at(i, j) != 0) {
        col_ind[count] = (int32_t)j;
        values[count++] = at(i, j);
      }
    row_ptr[i + 1] = (int32_t)count;
  }
  matrix->row_ptr = row_ptr;
  matrix->col_ind = col_ind;
  matrix->values = values;
}

/* T with `rows` slices; slices and fibers without entries are not stored. */
static void make_csf(spc_csf3_f64_i32 *T, int64_t rows) {
  int64_t i, j, k, slices = 0, fibers = 0, count = 0;
  const int64_t most = rows * DEPTH * INNER;
  int32_t *const indices_0 = (int32_t *)array_of(rows, sizeof(int32_t));
  int32_t *const pointers_to_1 = (int32_t *)array_of(rows + 1, sizeof(int32_t));
  int32_t *const indices_1 = (int32_t *)array_of(rows * DEPTH, sizeof(int32_t));
  int32_t *const pointers_to_2 = (int32_t *)array_of(rows * DEPTH + 1, sizeof(int32_t));
  int32_t *const indices_2 = (int32_t *)array_of(most, sizeof(int32_t));
  double *const values = (double *)array_of(most, sizeof(double));
  T->shape[0] = rows;
  T->shape[1] = DEPTH;
  T->shape[2] = INNER;
  T->indices_0 = indices_0;
  T->pointers_to_1 = pointers_to_1;
  T->indices_1 = indices_1;
  T->pointers_to_2 = pointers_to_2;
  T->indices_2 = indices_2;
  T->values = values;
  for (i = 0; i < rows; ++i) {
    const int64_t first_fiber = fibers;
    for (j = 0; j < DEPTH; ++j) {
      const int64_t first = count;
      for (k = 0; k < INNER; ++k)
        if (t_at(i, j, k) != 0) {
          indices_2[count] = (int32_t)k;
          values[count++] = t_at(i, j, k);
        }
      if (count > first) {
        indices_1[fibers] = (int32_t)j;
        pointers_to_2[fibers++] = (int32_t)first;
      }
    }
    if (fibers > first_fiber) {
      indices_0[slices] = (int32_t)i;
      pointers_to_1[slices++] = (int32_t)first_fiber;
    }
  }
  pointers_to_1[slices] = (int32_t)fibers;
  pointers_to_2[fibers] = (int32_t)count;
  T->count_0 = slices;
  T->count_1 = fibers;
  T->nnz = count;
}

static void make_operands(int64_t rows, int scale, int has_more) {
  int64_t k, r;
  given.rows = rows;
  given.scale = scale;
  given.has_more = has_more;
  make_csr(&given.B, rows, INNER, b_at);
  make_csr(&given.C, INNER, COLUMNS, c_at);
  make_csr(&given.D, rows, INNER, d_at);
  make_csf(&given.T, rows);
  given.F = spc_dense2_f64_make((double *)array_of(INNER * RANK, sizeof(double)), INNER, RANK);
  for (k = 0; k < INNER; ++k)
    for (r = 0; r < RANK; ++r)
      spc_dense2_f64_values(&given.F)[k * RANK + r] = f_at(k, r);
}

static void free_operands(void) {
  spc_csr_f64_i32_free(&given.B);
  spc_csr_f64_i32_free(&given.C);
  spc_csr_f64_i32_free(&given.D);
  spc_csf3_f64_i32_free(&given.T);
  free(spc_dense2_f64_values(&given.F));
}

/* The results, densely: */

static double product_at(int64_t i, int64_t j) {
  double sum = 0;
  int64_t k;
  for (k = 0; k < INNER; ++k)
    sum += b_at(i, k) * c_at(k, j);
  return sum;
}

static double sum_at(int64_t i, int64_t j) {
  return b_at(i, j) + d_at(i, j);
}

/* Of A(i,j,r) with the last two indices as one. */
static double ttm_at(int64_t i, int64_t column) {
  double sum = 0;
  int64_t k;
  for (k = 0; k < INNER; ++k)
    sum += t_at(i, column / RANK, k) * f_at(k, column % RANK);
  return sum;
}

/* What `accumulate` adds to: its values do not depend on the scale. */
static double start_at(int64_t i, int64_t j) {
  return is_entry(i + 4, j, 0) ? (double)((i + j) % 5 + 1) : 0;
}

static double accumulated_at(int64_t i, int64_t j) {
  return start_at(i, j) + product_at(i, j);
}

#endif
