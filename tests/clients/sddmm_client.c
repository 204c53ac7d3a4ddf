/* Sampled dense-dense product: an output that shares its operand's structure. */
#include "sddmm.h"

#include "expect.h"

/* S = [0 2; 3 0; 0 0], A = rows (1,2) (3,4) (5,6), B = rows (1,-1) (2,0.5) */
static int32_t row_ptr[] = {0, 1, 2, 2};
static int32_t col_ind[] = {1, 0};
static float s_values[] = {2, 3};
static float a_values[] = {1, 2, 3, 4, 5, 6};
static float b_values[] = {1, -1, 2, 0.5f};

static spc_csr_f32_i32 pattern(void) {
  spc_csr_f32_i32 S = {3, 2, 2, row_ptr, col_ind, s_values};
  return S;
}

static spc_csr_f32_i32 result(float *values) {
  spc_csr_f32_i32 D = {3, 2, 2, NULL, NULL, NULL};
  D.values = values;
  return D;
}

static void test_structure(void) {
  const spc_csr_f32_i32 S = pattern();
  const spc_dense2_f32 A = spc_dense2_f32_make(a_values, 3, 2);
  const spc_dense2_f32 B = spc_dense2_f32_make(b_values, 2, 2);
  float d_values[] = {-1, -1};
  spc_csr_f32_i32 D = result(d_values);
  EXPECT_STATUS(SPC_OK, sddmm(&S, &A, &B, &D));
  EXPECT(D.row_ptr == row_ptr && D.col_ind == col_ind && D.values == d_values);
  EXPECT(D.nrows == 3 && D.ncols == 2 && D.nnz == 2);
  EXPECT_NEAR(2 * (1 * 2 + 2 * 0.5), d_values[0]);
  EXPECT_NEAR(3 * (3 * 1 - 4 * 1), d_values[1]);
  EXPECT_STATUS(SPC_OK, spc_csr_f32_i32_validate(&D));
  d_values[0] = -1;
  EXPECT_STATUS(SPC_OK, sddmm(&S, &A, &B, &D));
  EXPECT_NEAR(6, d_values[0]);
}

static void test_pattern(void) {
  const spc_csr_f32_i32 S = pattern();
  const spc_dense2_f32 A = spc_dense2_f32_make(a_values, 3, 2);
  const spc_dense2_f32 B = spc_dense2_f32_make(b_values, 2, 2);
  int32_t other_rows[] = {0, 1, 2, 2};
  int32_t other_columns[] = {1, 0};
  float d_values[] = {-1, -1};
  spc_csr_f32_i32 D = result(d_values);
  D.row_ptr = other_rows;
  EXPECT_STATUS(SPC_ERROR_PATTERN, sddmm(&S, &A, &B, &D));
  D = result(d_values);
  D.col_ind = other_columns;
  EXPECT_STATUS(SPC_ERROR_PATTERN, sddmm(&S, &A, &B, &D));
  EXPECT(D.row_ptr == NULL && D.col_ind == other_columns);
  EXPECT(d_values[0] == -1 && d_values[1] == -1);
}

static void test_shapes_and_strides(void) {
  const spc_csr_f32_i32 S = pattern();
  spc_dense2_f32 A = spc_dense2_f32_make(a_values, 3, 2);
  spc_dense2_f32 B = spc_dense2_f32_make(b_values, 2, 2);
  const spc_dense2_f32 B_short = spc_dense2_f32_make(b_values, 2, 1);
  float d_values[] = {-1, -1};
  spc_csr_f32_i32 D = result(d_values);
  EXPECT_STATUS(SPC_ERROR_SHAPE, sddmm(&S, &A, &B_short, &D));
  D.ncols = 3;
  EXPECT_STATUS(SPC_ERROR_SHAPE, sddmm(&S, &A, &B, &D));
  D = result(d_values);
  B.strides[0] = 1;
  B.strides[1] = 2; /* the same elements transposed: the innermost dimension is no longer contiguous */
  EXPECT_STATUS(SPC_ERROR_STRIDE, sddmm(&S, &A, &B, &D));
  EXPECT(D.row_ptr == NULL && d_values[0] == -1);
  B = spc_dense2_f32_make(b_values, 2, 2);
  A.shape[0] = -3;
  EXPECT_STATUS(SPC_ERROR_SHAPE, sddmm(&S, &A, &B, &D));
}

static void test_row_stride(void) {
  const spc_csr_f32_i32 S = pattern();
  float spread[] = {1, 2, 99, 3, 4, 99, 5, 6};
  const spc_dense2_f32 A = {{3, 2}, {3, 1}, spread};
  const spc_dense2_f32 B = spc_dense2_f32_make(b_values, 2, 2);
  float d_values[] = {-1, -1};
  spc_csr_f32_i32 D = result(d_values);
  EXPECT_STATUS(SPC_OK, sddmm(&S, &A, &B, &D));
  EXPECT_NEAR(6, d_values[0]);
  EXPECT_NEAR(-3, d_values[1]);
}

static void test_null(void) {
  const spc_csr_f32_i32 S = pattern();
  const spc_dense2_f32 A = spc_dense2_f32_make(a_values, 3, 2);
  const spc_dense2_f32 B = spc_dense2_f32_make(b_values, 2, 2);
  int32_t no_rows[] = {0, 0, 0, 0};
  spc_csr_f32_i32 empty = {3, 2, 0, NULL, NULL, NULL};
  spc_csr_f32_i32 D = result(NULL);
  EXPECT_STATUS(SPC_ERROR_NULL, sddmm(&S, &A, &B, &D));
  EXPECT_STATUS(SPC_ERROR_NULL, sddmm(&S, &A, &B, NULL));
  empty.row_ptr = no_rows;
  D.nnz = 0;
  EXPECT_STATUS(SPC_OK, sddmm(&empty, &A, &B, &D));
  EXPECT(D.row_ptr == no_rows && D.nnz == 0);
}

int main(void) {
  test_structure();
  test_pattern();
  test_shapes_and_strides();
  test_row_stride();
  test_null();
  return failures != 0;
}
