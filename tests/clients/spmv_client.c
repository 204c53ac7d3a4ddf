/* Sparse matrix times vector: the result, and every status that its arguments can provoke. */
#include "spmv.h"

#include "expect.h"

/* [1 0 2; 0 0 0] */
static int32_t row_ptr[] = {0, 2, 2};
static int32_t col_ind[] = {0, 2};
static double values[] = {1, 2};
static double x_values[] = {10, 100, 1000};

static spc_csr_f64_i32 matrix(void) {
  spc_csr_f64_i32 A = {2, 3, 2, row_ptr, col_ind, values};
  return A;
}

static void test_result(void) {
  const spc_csr_f64_i32 A = matrix();
  const spc_dense1_f64 x = spc_dense1_f64_make(x_values, 3);
  double y_values[] = {-1, -1};
  spc_dense1_f64 y = spc_dense1_f64_make(y_values, 2);
  const spc_context context = spc_default_context();
  EXPECT_STATUS(SPC_OK, spc_csr_f64_i32_validate(&A));
  EXPECT_STATUS(SPC_OK, spc_dense1_f64_validate(&x));
  EXPECT_STATUS(SPC_OK, spmv(&A, &x, &y));
  EXPECT_NEAR(2010, y_values[0]);
  EXPECT_NEAR(0, y_values[1]);
  y_values[0] = -1;
  EXPECT_STATUS(SPC_OK, spmv_ctx(&context, &A, &x, &y));
  EXPECT_NEAR(2010, y_values[0]);
  EXPECT_STATUS(SPC_OK, spmv_ctx(NULL, &A, &x, &y));
}

static void test_nothing_stored(void) {
  int32_t no_rows[] = {0, 0, 0};
  double y_values[] = {-1, -1};
  const spc_csr_f64_i32 empty = {2, 3, 0, no_rows, NULL, NULL};
  const spc_csr_f64_i32 flat = {0, 3, 0, NULL, NULL, NULL};
  const spc_csr_f64_i32 thin = {2, 0, 0, no_rows, NULL, NULL};
  const spc_dense1_f64 x = spc_dense1_f64_make(x_values, 3);
  const spc_dense1_f64 nothing = spc_dense1_f64_make(NULL, 0);
  spc_dense1_f64 no_result = spc_dense1_f64_make(NULL, 0);
  spc_dense1_f64 y = spc_dense1_f64_make(y_values, 2);
  EXPECT_STATUS(SPC_OK, spmv(&empty, &x, &y));
  EXPECT_NEAR(0, y_values[0]);
  EXPECT_NEAR(0, y_values[1]);
  EXPECT_STATUS(SPC_OK, spmv(&flat, &x, &no_result));
  y_values[0] = -1;
  EXPECT_STATUS(SPC_OK, spmv(&thin, &nothing, &y));
  EXPECT_NEAR(0, y_values[0]);
}

static void test_null(void) {
  spc_csr_f64_i32 A = matrix();
  const spc_dense1_f64 x = spc_dense1_f64_make(x_values, 3);
  const spc_dense1_f64 x_null = spc_dense1_f64_make(NULL, 3);
  double y_values[] = {-1, -1};
  spc_dense1_f64 y = spc_dense1_f64_make(y_values, 2);
  spc_dense1_f64 y_null = spc_dense1_f64_make(NULL, 2);
  EXPECT_STATUS(SPC_ERROR_NULL, spmv(NULL, &x, &y));
  EXPECT_STATUS(SPC_ERROR_NULL, spmv(&A, NULL, &y));
  EXPECT_STATUS(SPC_ERROR_NULL, spmv(&A, &x, NULL));
  EXPECT_STATUS(SPC_ERROR_NULL, spmv(&A, &x_null, &y));
  EXPECT_STATUS(SPC_ERROR_NULL, spmv(&A, &x, &y_null));
  A.row_ptr = NULL;
  EXPECT_STATUS(SPC_ERROR_NULL, spmv(&A, &x, &y));
  A = matrix();
  A.col_ind = NULL;
  EXPECT_STATUS(SPC_ERROR_NULL, spmv(&A, &x, &y));
  A = matrix();
  A.values = NULL;
  EXPECT_STATUS(SPC_ERROR_NULL, spmv(&A, &x, &y));
  EXPECT(y_values[0] == -1 && y_values[1] == -1);
}

static void test_shapes(void) {
  spc_csr_f64_i32 A = matrix();
  const spc_dense1_f64 x = spc_dense1_f64_make(x_values, 3);
  const spc_dense1_f64 x_short = spc_dense1_f64_make(x_values, 2);
  double y_values[] = {-1, -1, -1};
  spc_dense1_f64 y = spc_dense1_f64_make(y_values, 2);
  spc_dense1_f64 y_long = spc_dense1_f64_make(y_values, 3);
  EXPECT_STATUS(SPC_ERROR_SHAPE, spmv(&A, &x_short, &y));
  EXPECT_STATUS(SPC_ERROR_SHAPE, spmv(&A, &x, &y_long));
  A.nrows = -1;
  EXPECT_STATUS(SPC_ERROR_SHAPE, spmv(&A, &x, &y));
  A = matrix();
  A.nnz = -1;
  EXPECT_STATUS(SPC_ERROR_COUNT, spmv(&A, &x, &y));
  EXPECT(y_values[0] == -1);
}

static void test_strides(void) {
  const spc_csr_f64_i32 A = matrix();
  double spread[] = {10, 0, 100, 0, 1000};
  spc_dense1_f64 x = {3, 2, spread};
  double y_values[] = {-1, -1, -1, -1};
  spc_dense1_f64 y = {2, -3, y_values + 3};
  EXPECT_STATUS(SPC_OK, spc_dense1_f64_validate(&x));
  EXPECT_STATUS(SPC_OK, spc_dense1_f64_validate(&y));
  EXPECT_STATUS(SPC_OK, spmv(&A, &x, &y));
  EXPECT(y_values[3] == 2010 && y_values[0] == 0);
  EXPECT(y_values[1] == -1 && y_values[2] == -1);
}

/* A struct that was filled without its stride is not taken for a vector of equal elements. */
static void test_no_stride(void) {
  const spc_csr_f64_i32 A = matrix();
  double x_values[] = {10, 100, 1000}, y_values[] = {-1, -1};
  spc_dense1_f64 x = {.size = 3, .values = x_values}, y = spc_dense1_f64_make(y_values, 2);
  EXPECT_STATUS(SPC_ERROR_STRIDE, spmv(&A, &x, &y));
  EXPECT_STATUS(SPC_ERROR_STRIDE, spc_dense1_f64_validate(&x));
  x.stride = 1, y.stride = 0;
  EXPECT_STATUS(SPC_ERROR_STRIDE, spmv(&A, &x, &y));
  EXPECT(y_values[0] == -1 && y_values[1] == -1);
}

static void test_validator(void) {
  spc_csr_f64_i32 A = matrix();
  int32_t unsorted[] = {2, 0};
  int32_t twice[] = {2, 2};
  int32_t outside[] = {0, 3};
  int32_t descending[] = {0, 2, 1};
  A.col_ind = unsorted;
  EXPECT_STATUS(SPC_ERROR_UNSORTED, spc_csr_f64_i32_validate(&A));
  A.col_ind = twice;
  EXPECT_STATUS(SPC_ERROR_DUPLICATE, spc_csr_f64_i32_validate(&A));
  A.col_ind = outside;
  EXPECT_STATUS(SPC_ERROR_INDEX_RANGE, spc_csr_f64_i32_validate(&A));
  A = matrix();
  A.row_ptr = descending;
  EXPECT_STATUS(SPC_ERROR_POINTERS, spc_csr_f64_i32_validate(&A));
  EXPECT_STATUS(SPC_ERROR_NULL, spc_csr_f64_i32_validate(NULL));
}

int main(void) {
  test_result();
  test_nothing_stored();
  test_null();
  test_shapes();
  test_strides();
  test_no_stride();
  test_validator();
  return failures != 0;
}
