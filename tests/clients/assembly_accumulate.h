/* What is tested of a kernel with `+=` on a sparse output: C11 and C++17. */
#ifndef SPC_TESTS_ASSEMBLY_ACCUMULATE_H
#define SPC_TESTS_ASSEMBLY_ACCUMULATE_H

#include "assembly_tests.h"

/* A matrix to add to, in memory of `context`: what it holds, and its own copy of that. */
static output start_matrix(const spc_context *context) {
  output A = {{0}};
  spc_csr_f64_i32 start;
  int w;
  make_csr(&start, given.rows, COLUMNS, start_at);
  A.csr = start;
  A.csr.row_ptr = (int32_t *)context->allocate(context->user, (given.rows + 1) * (int64_t)sizeof(int32_t), 64);
  A.csr.col_ind = (int32_t *)context->allocate(context->user, start.nnz * (int64_t)sizeof(int32_t) + 1, 64);
  A.csr.values = (double *)context->allocate(context->user, start.nnz * (int64_t)sizeof(double) + 1, 64);
  for (w = 3; w < accumulating.words; ++w)
    if (A.arrays[w] == NULL)
      abort();
  memcpy((int32_t *)A.csr.row_ptr, start.row_ptr, (size_t)(given.rows + 1) * sizeof(int32_t));
  memcpy((int32_t *)A.csr.col_ind, start.col_ind, (size_t)start.nnz * sizeof(int32_t));
  memcpy(spc_csr_f64_i32_values(&A.csr), start.values, (size_t)start.nnz * sizeof(double));
  spc_csr_f64_i32_free(&start);
  return A;
}

/* Whether a matrix is still what `start_matrix` gave. */
static int is_start(const output *A, const output *before) {
  assembly_case unchanged = accumulating;
  unchanged.expected = start_at;
  return same_words(A, before) && is_right(&unchanged, A);
}

/* `+=`: the union of the patterns, in place of the arrays that there were, and these untouched where it fails. */
static void test_accumulating(void) {
  spc_context context = counting_context(-1);
  output A = start_matrix(&context), before = A;
  int64_t n, arrays;
  for (n = 3;; ++n) {
    spc_status status;
    heap.allocations = 3;
    heap.fail_at = n;
    status = accumulating.call(&context, &A);
    EXPECT(heap.refused == 0 && heap.alive == 3);
    if (status == SPC_OK && heap.allocations <= n)
      break;
    if (status == SPC_OK) { /* only memory for a faster way was refused */
      EXPECT(is_right(&accumulating, &A));
      expect_released(&accumulating, &context, &A);
      context = counting_context(-1);
      A = before = start_matrix(&context);
      continue;
    }
    EXPECT_STATUS(SPC_ERROR_MEMORY, status);
    EXPECT(is_start(&A, &before));
  }
  EXPECT(n >= 6 && is_right(&accumulating, &A));
  heap.fail_at = -1;
  expect_released(&accumulating, &context, &A);

  A = before = start_matrix(&context);
  arrays = heap.alive;
  ++A.csr.ncols;
  EXPECT_STATUS(SPC_ERROR_SHAPE, accumulating.call(&context, &A));
  A = before;
  A.csr.row_ptr = NULL;
  EXPECT_STATUS(SPC_ERROR_NULL, accumulating.call(&context, &A));
  A = before;
  context.struct_size = 8;
  EXPECT_STATUS(SPC_ERROR_CONTEXT, accumulating.call(&context, &A));
  context.struct_size = sizeof context;
  given.B.ncols += 1;
  EXPECT_STATUS(SPC_ERROR_SHAPE, accumulating.call(&context, &A));
  given.B.ncols -= 1;
  EXPECT(heap.alive == arrays && is_start(&A, &before));
  expect_released(&accumulating, &context, &A);
}

/* Arrays from malloc, and results of this and of another kernel with the same struct, are added to alike. */
static void test_accumulating_again(void) {
  const spc_context standard = counting_context(-1);
  output A = start_matrix(&standard);
  double *once, *twice;
  int64_t n, wrong = 0;
  const int64_t count = given.rows * COLUMNS;
  EXPECT_STATUS(SPC_OK, accumulating.plain_call(&A));
  EXPECT_STATUS(SPC_OK, accumulating.plain_call(&A));
  once = (double *)calloc((size_t)count + 1, sizeof *once);
  twice = (double *)calloc((size_t)count + 1, sizeof *twice);
  read_csr(&A, twice);
  accumulating.plain_release(&A);
  EXPECT_STATUS(SPC_OK, spgemm_plain(&A));
  EXPECT_STATUS(SPC_OK, accumulating.plain_call(&A));
  read_csr(&A, once);
  accumulating.plain_release(&A);
  for (n = 0; n < count; ++n) {
    wrong += once[n] != 2 * product_at(n / COLUMNS, n % COLUMNS);
    wrong += twice[n] != start_at(n / COLUMNS, n % COLUMNS) + once[n];
  }
  EXPECT(wrong == 0);
  free(once);
  free(twice);
}

#endif
