/* Operands over const data without casts, and what may be written of a tensor: C11, and C++17 from
 * const_in_cpp_client.cpp. */
#include "sddmm.h"
#include "spgemm.h"
#include "spmm.h"

#include "expect.h"

/* A = [0 2; 3 0; 0 0] */
static const int32_t row_ptr[] = {0, 1, 2, 2};
static const int32_t col_ind[] = {1, 0};
static const double values[] = {2, 3};
static const double elements[] = {1, 10, 2, 20};

static spc_status times(int64_t m, int64_t n, const int32_t *p, const int32_t *c, const double *v, const double *b,
                        double *y) {
  const spc_csr_f64_i32 A = {m, n, p[m], p, c, v};
  const spc_dense2_f64 B = spc_dense2_f64_make(b, n, 2);
  spc_dense2_f64 Y = spc_dense2_f64_make(y, m, 2);
  return spmm(&A, &B, &Y);
}

static void test_operands(void) {
  double y[6] = {-1, -1, -1, -1, -1, -1};
  EXPECT_STATUS(SPC_OK, times(3, 2, row_ptr, col_ind, values, elements, y));
  EXPECT(y[0] == 4 && y[1] == 40 && y[2] == 3 && y[3] == 30 && y[4] == 0 && y[5] == 0);
}

/* What comes back of a pattern is as const as it was. */
static void test_shared_pattern(void) {
  static const float ones[] = {1, 1, 1, 1, 1, 1}, sampled[] = {2, 3};
  float results[2];
  const spc_csr_f32_i32 S = {3, 2, 2, row_ptr, col_ind, sampled};
  const spc_dense2_f32 A = spc_dense2_f32_make(ones, 3, 2), B = spc_dense2_f32_make(ones, 2, 2);
  spc_csr_f32_i32 D = {0, 0, 0, NULL, NULL, results};
  const int32_t *const *pointers = &D.row_ptr, *const *indices = &D.col_ind;
  EXPECT_STATUS(SPC_OK, sddmm(&S, &A, &B, &D));
  EXPECT(*pointers == row_ptr && *indices == col_ind && results[0] == 4 && results[1] == 6);
#ifndef __cplusplus
  EXPECT(_Generic(&D.row_ptr, const int32_t **: 1, default: 0) && _Generic(&D.values, const float **: 1, default: 0));
#endif
}

/* A result's values are written by way of the struct, which is not const. */
static void test_values(void) {
  const spc_csr_f64_i32 A = {3, 2, 2, row_ptr, col_ind, values};
  static const int32_t square[] = {0, 1, 2};
  const spc_csr_f64_i32 B = {2, 2, 2, square, col_ind, values};
  spc_csr_f64_i32 C;
  int64_t e;
  EXPECT_STATUS(SPC_OK, spgemm(&A, &B, &C));
  EXPECT(C.nnz == 2 && C.values[0] == 6 && C.values[1] == 6);
  for (e = 0; e < C.nnz; ++e)
    spc_csr_f64_i32_values(&C)[e] *= 2;
  EXPECT(C.values[0] == 12 && C.values[1] == 12);
  spc_csr_f64_i32_free(&C);
  EXPECT(C.values == NULL && C.nnz == 0);
}

int main(void) {
  test_operands();
  test_shared_pattern();
  test_values();
  return failures != 0;
}
