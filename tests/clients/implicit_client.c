/* Sparse matrix times vector in storages that have no pointers array (ELL, triangles) or no indices array (ragged rows,
 * triangles). Structs and arrays stand between pages that must not be touched and operands may only be read, so that a
 * look at an array that does not exist, at a field that the struct lacks, or past any array ends the program. */
#include "guarded.h"

#include "expect.h"

#include "spmv_on_ell.h"
#include "spmv_on_ell16.h"
#include "spmv_on_lower.h"
#include "spmv_on_ragged.h"
#include "spmv_on_ragged_lengths.h"
#include "spmv_on_upper.h"

#define SLOT(type, field, slot) _Static_assert(offsetof(type, field) == 8 * (slot), #type "." #field)
#define SLOTS(type, count) _Static_assert(sizeof(type) == 8 * (count), #type " has other fields")

/* Sizes, then these and nothing else. */
SLOT(spc_ell16_f64_i32, col_ind, 2);
SLOT(spc_ell16_f64_i32, values, 3);
SLOTS(spc_ell16_f64_i32, 4);
SLOT(spc_ell_f64_i32, width, 2);
SLOT(spc_ell_f64_i32, col_ind, 3);
SLOT(spc_ell_f64_i32, values, 4);
SLOTS(spc_ell_f64_i32, 5);
SLOT(spc_ragged_f64_p32, nnz, 2);
SLOT(spc_ragged_f64_p32, row_ptr, 3);
SLOT(spc_ragged_f64_p32, values, 4);
SLOTS(spc_ragged_f64_p32, 5);
SLOT(spc_ragged_len_f64_p32, nnz, 2);
SLOT(spc_ragged_len_f64_p32, row_len, 3);
SLOT(spc_ragged_len_f64_p32, values, 4);
SLOTS(spc_ragged_len_f64_p32, 5);
SLOT(spc_lower_f64, values, 2);
SLOTS(spc_lower_f64, 3);
SLOT(spc_upper_f64, values, 2);
SLOTS(spc_upper_f64, 3);

enum fill { NONE, FULL, ONE_ROW, MIXED, FILLS };

/* Entries of a row. */
static int64_t length_of(int64_t row, int64_t most, enum fill fill) {
  switch (fill) {
  case FULL:
    return most;
  case ONE_ROW:
    return row == 0 ? most : 0;
  case MIXED:
    return row % (most + 1);
  default:
    return 0;
  }
}

static double value_of(int64_t row, int64_t column) {
  return (double)((row * 7 + column * 3) % 19 - 9);
}

/* Tasks from the last one to the first. */
static void backwards(void *user, int64_t tasks, void (*task)(void *closure, int64_t index),
                      void *closure) SPC_NOEXCEPT {
  *(int64_t *)user += tasks;
  while (tasks-- > 0)
    task(closure, tasks);
}

static spc_dense1_f64 *make_x(int64_t columns) {
  double *values = (double *)guarded(columns, sizeof *values);
  spc_dense1_f64 *x = (spc_dense1_f64 *)guarded(1, sizeof *x);
  for (int64_t j = 0; j < columns; ++j)
    values[j] = (double)(j % 13 - 6);
  *x = spc_dense1_f64_make(values, columns);
  return x;
}

/* A call with `ctx`: its status, and y against `wanted`. */
#define CHECK_CALL(kernel, ctx, status, A, x, rows, wanted)                                                            \
  do {                                                                                                                 \
    double *got = (double *)guarded(rows, sizeof *got);                                                                \
    spc_dense1_f64 y = spc_dense1_f64_make(got, rows);                                                                 \
    EXPECT_STATUS(status, kernel##_ctx(ctx, A, x, &y));                                                                \
    for (int64_t row = 0; (status) == SPC_OK && row < (rows); ++row)                                                   \
      EXPECT(got[row] == (wanted)[row]);                                                                               \
  } while (0)

/* On the calling thread, and row chunk by row chunk where there is enough work. */
#define CHECK_KERNEL(kernel, type, status, A, x, rows, stored, wanted)                                                 \
  do {                                                                                                                 \
    int64_t tasks = 0;                                                                                                 \
    int32_t cost = 0;                                                                                                  \
    spc_context context = spc_default_context();                                                                       \
    context.user = &tasks;                                                                                             \
    context.parallel_for = backwards;                                                                                  \
    context.parallel_cost = &cost;                                                                                     \
    guarded_freeze();                                                                                                  \
    EXPECT(type##_validate(A) == (status));                                                                            \
    CHECK_CALL(kernel, NULL, status, A, x, rows, wanted);                                                              \
    CHECK_CALL(kernel, &context, status, A, x, rows, wanted);                                                          \
    EXPECT(tasks > 1 || (status) != SPC_OK || (stored) < 16384);                                                       \
    EXPECT(tasks == 0 || (rows) + (stored) >= 16384);                                                                  \
    guarded_release();                                                                                                 \
    free(wanted);                                                                                                      \
  } while (0)

/* Unsorted columns; padding repeats the last column, with the value 0. */
static void test_ell(int64_t rows, int64_t columns, int64_t width, enum fill fill) {
  const spc_status status = columns == 0 && rows > 0 && width > 0 ? SPC_ERROR_SHAPE : SPC_OK;
  const int64_t most = width < columns ? width : columns;
  int32_t *col_ind = (int32_t *)guarded(rows * width, sizeof *col_ind);
  double *values = (double *)guarded(rows * width, sizeof *values);
  spc_dense1_f64 *x = make_x(columns);
  double *wanted = (double *)calloc((size_t)rows + 1, sizeof *wanted);
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t k = 0; k < width; ++k) {
      const int is_entry = k < length_of(i, most, fill);
      const int64_t j = is_entry ? (i + 2 + columns - k) % columns : columns - 1;
      col_ind[i * width + k] = (int32_t)j;
      values[i * width + k] = is_entry ? value_of(i, j) : 0;
      if (is_entry)
        wanted[i] += value_of(i, j) * x->values[j];
    }
  if (width == 16) {
    spc_ell16_f64_i32 *A = (spc_ell16_f64_i32 *)guarded(1, sizeof *A);
    *A = (spc_ell16_f64_i32){rows, columns, col_ind, values};
    CHECK_KERNEL(spmv_on_ell16, spc_ell16_f64_i32, status, A, x, rows, rows * width, wanted);
  } else {
    spc_ell_f64_i32 *A = (spc_ell_f64_i32 *)guarded(1, sizeof *A);
    *A = (spc_ell_f64_i32){rows, columns, width, col_ind, values};
    CHECK_KERNEL(spmv_on_ell, spc_ell_f64_i32, status, A, x, rows, rows * width, wanted);
  }
}

static void test_ragged(int64_t rows, int64_t columns, enum fill fill, int by_lengths) {
  int64_t stored = 0, at = 0;
  for (int64_t i = 0; i < rows; ++i)
    stored += length_of(i, columns, fill);
  int32_t *counts = (int32_t *)guarded(by_lengths ? rows : rows + 1, sizeof *counts);
  double *values = (double *)guarded(stored, sizeof *values);
  spc_dense1_f64 *x = make_x(columns);
  double *wanted = (double *)calloc((size_t)rows + 1, sizeof *wanted);
  for (int64_t i = 0; i < rows; ++i) {
    const int64_t length = length_of(i, columns, fill);
    counts[i] = (int32_t)(by_lengths ? length : at);
    for (int64_t j = 0; j < length; ++j, ++at) {
      values[at] = value_of(i, j);
      wanted[i] += value_of(i, j) * x->values[j];
    }
  }
  if (by_lengths) {
    spc_ragged_len_f64_p32 *A = (spc_ragged_len_f64_p32 *)guarded(1, sizeof *A);
    *A = (spc_ragged_len_f64_p32){rows, columns, stored, counts, values};
    CHECK_KERNEL(spmv_on_ragged_lengths, spc_ragged_len_f64_p32, SPC_OK, A, x, rows, stored, wanted);
  } else {
    counts[rows] = (int32_t)stored;
    spc_ragged_f64_p32 *A = (spc_ragged_f64_p32 *)guarded(1, sizeof *A);
    *A = (spc_ragged_f64_p32){rows, columns, stored, counts, values};
    CHECK_KERNEL(spmv_on_ragged, spc_ragged_f64_p32, SPC_OK, A, x, rows, stored, wanted);
  }
}

/* Row i of the lower triangle holds columns 0 to i, of the upper one i to the last: none in row n. */
static void test_triangle(int64_t rows, int64_t columns, int is_upper) {
  const spc_status status = rows > columns + is_upper ? SPC_ERROR_SHAPE : SPC_OK;
  const int64_t shift = rows * (rows - 1) / 2;
  const int64_t stored = status != SPC_OK ? 0 : is_upper ? rows * columns - shift : rows + shift;
  double *values = (double *)guarded(stored, sizeof *values);
  spc_dense1_f64 *x = make_x(columns);
  double *wanted = (double *)calloc((size_t)rows + 1, sizeof *wanted);
  for (int64_t i = 0, at = 0; status == SPC_OK && i < rows; ++i)
    for (int64_t j = is_upper ? i : 0; j < (is_upper ? columns : i + 1); ++j, ++at) {
      values[at] = value_of(i, j);
      wanted[i] += value_of(i, j) * x->values[j];
    }
  if (is_upper) {
    spc_upper_f64 *A = (spc_upper_f64 *)guarded(1, sizeof *A);
    *A = (spc_upper_f64){rows, columns, values};
    CHECK_KERNEL(spmv_on_upper, spc_upper_f64, status, A, x, rows, stored, wanted);
  } else {
    spc_lower_f64 *A = (spc_lower_f64 *)guarded(1, sizeof *A);
    *A = (spc_lower_f64){rows, columns, values};
    CHECK_KERNEL(spmv_on_lower, spc_lower_f64, status, A, x, rows, stored, wanted);
  }
}

static void test_guards(void) {
  const volatile char *array = (const volatile char *)guarded(24, 1);
  EXPECT(!read_is_fatal(array) && !read_is_fatal(array + 23));
  EXPECT(read_is_fatal(guarded_at_end ? array + 24 : array - 1));
  guarded_release();
}

int main(void) {
  static const int64_t shapes[][2] = {{0, 0}, {0, 5},   {5, 0},   {1, 1},   {1, 40},    {40, 1},    {2, 3},
                                      {6, 5}, {17, 16}, {16, 17}, {33, 35}, {100, 131}, {600, 610}, {14000, 17}};
  for (guarded_at_end = 0; guarded_at_end < 2; ++guarded_at_end) {
    test_guards();
    for (size_t n = 0; n < sizeof shapes / sizeof *shapes; ++n) {
      const int64_t rows = shapes[n][0], columns = shapes[n][1];
      for (int fill = NONE; fill < FILLS; ++fill) {
        for (int64_t width = 0; width < 6; ++width)
          test_ell(rows, columns, width, (enum fill)fill);
        test_ell(rows, columns, 16, (enum fill)fill);
        test_ragged(rows, columns, (enum fill)fill, 0);
        test_ragged(rows, columns, (enum fill)fill, 1);
      }
      test_triangle(rows, columns, 0);
      test_triangle(rows, columns, 1);
    }
  }
  return failures != 0;
}
