/* Adding into matrices that are there: values change, and nothing else. */
#include "kept.h"
#include "masked_on_owner.h"

#include "counting_heap.h"
#include "expect.h"

#include <string.h>

/* [ 1 . 2 ]      [ .   .   4+5 ]
   [ . 3 . ]  and [ .   0    .  ], whose entries are in no order
   [ 4 . 5 ]      [ .   .    6  ] */
static int32_t row_ptr[] = {0, 2, 3, 5}, col_ind[] = {0, 2, 1, 0, 2};
static int32_t rows[] = {2, 0, 1, 0, 1}, columns[] = {2, 2, 1, 2, 2};
static double added[] = {6, 4, 0, 5, 7};

static spc_context counting(counting_heap *heap) {
  spc_context context = spc_default_context();
  context.user = heap;
  context.allocate = counting_allocate;
  context.deallocate = counting_deallocate;
  return context;
}

static void expect_values(const double *values, double a, double b, double c, double d, double e) {
  const double expected[] = {a, b, c, d, e};
  EXPECT(memcmp(values, expected, sizeof expected) == 0);
}

static void test_kept(void) {
  counting_heap heap = {0, 0, -1, 0};
  const spc_context context = counting(&heap);
  double values[] = {1, 2, 3, 4, 5};
  spc_csr_f64_i32 A = {3, 3, 5, row_ptr, col_ind, values};
  spc_cusnu_f64_i32 T = {{3, 3}, 4, rows, columns, added};
  EXPECT_STATUS(SPC_OK, kept_ctx(&context, &T, &A));
  EXPECT(A.nrows == 3 && A.ncols == 3 && A.nnz == 5);
  EXPECT(A.row_ptr == row_ptr && A.col_ind == col_ind && A.values == values);
  expect_values(values, 1, 11, 3, 4, 11);
  EXPECT(heap.allocations == 0);
  EXPECT_STATUS(SPC_OK, kept(&T, &A));
  expect_values(values, 1, 20, 3, 4, 17);

  T.nnz = 5; /* (1, 2) has no place */
  EXPECT_STATUS(SPC_ERROR_PATTERN, kept(&T, &A));
  EXPECT(A.row_ptr == row_ptr && A.col_ind == col_ind && A.values == values && A.nnz == 5);
  EXPECT(row_ptr[3] == 5 && col_ind[2] == 1);

  T.shape[1] = 4;
  EXPECT_STATUS(SPC_ERROR_SHAPE, kept(&T, &A));
  T.shape[1] = 3;
  A.values = NULL;
  EXPECT_STATUS(SPC_ERROR_NULL, kept(&T, &A));
  A.values = values;
  A.col_ind = NULL;
  EXPECT_STATUS(SPC_ERROR_NULL, kept(&T, &A));
}

static void test_structure_of_another(void) {
  double values[] = {1, 2, 3, 4, 5}, ones[] = {1, 1, 1, 1, 1};
  const spc_csr_f64_i32 P = {3, 3, 5, row_ptr, col_ind, ones};
  const spc_cusnu_f64_i32 T = {{3, 3}, 5, rows, columns, added};
  EXPECT_STATUS(SPC_OK, masked_on_owner(&T, &P, values));
  expect_values(values, 1, 11, 3, 4, 11);
}

int main(void) {
  test_kept();
  test_structure_of_another();
  return failures == 0 ? 0 : 1;
}
