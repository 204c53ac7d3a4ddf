/* One kernel file in three types, in one program: f64 with indices of 32 bits, f32 with indices of 64, and halves,
 * which have vectors at some levels of x86-64 alone. */
#include "typed.h"
#include "typed_on_f16.h"
#include "typed_on_f32.h"

#include "expect.h"

/* Columns are scattered, in operands and results of other strides. */
static void test_halves(void) {
  enum { width = 40, stride = 43 };
  int32_t pointers[] = {0, 1, 3}, indices[] = {2, 0, 2};
  spc_f16 values[3], b[2 * width], c[2 * stride + width];
  const float left[] = {3, 2, 4};
  const spc_csc_f16_i32 A = {3, 2, 3, pointers, indices, values};
  const spc_dense2_f16 B = spc_dense2_f16_make(b, 2, width);
  spc_dense2_f16 C = {{3, width}, {stride, 1}, c};
  int k;
  for (k = 0; k < 3; ++k)
    values[k] = spc_f16_from_float(left[k]);
  for (k = 0; k < 2 * width; ++k)
    b[k] = spc_f16_from_float((float)(k < width ? k : 2));
  for (k = 0; k < 2 * stride + width; ++k)
    c[k] = spc_f16_from_float(-1);
  EXPECT_STATUS(SPC_OK, typed_on_f16(&A, &B, &C));
  for (k = 0; k < width; ++k) {
    EXPECT_NEAR(2, (double)spc_f16_to_float(c[k]));
    EXPECT_NEAR(0, (double)spc_f16_to_float(c[stride + k]));
    EXPECT_NEAR(1.5 * k + 4, (double)spc_f16_to_float(c[2 * stride + k]));
  }
  for (k = width; k < stride; ++k)
    EXPECT_NEAR(-1, (double)spc_f16_to_float(c[k]));
}

int main(void) {
  int32_t narrow_pointers[] = {0, 1, 1, 3}, narrow_indices[] = {1, 0, 1};
  int64_t wide_pointers[] = {0, 1, 1, 3}, wide_indices[] = {1, 0, 1};
  double values[] = {2, 3, 4}, b[] = {1, 10, 2, 20}, c[] = {-1, -1, -1, -1, -1, -1};
  float short_values[] = {2, 3, 4}, short_b[] = {1, 10, 2, 20}, short_c[] = {-1, -1, -1, -1, -1, -1};
  const double expected[] = {2, 20, 0, 0, 5.5, 55};

  const spc_csr_f64_i32 A = {3, 2, 3, narrow_pointers, narrow_indices, values};
  const spc_dense2_f64 B = spc_dense2_f64_make(b, 2, 2);
  spc_dense2_f64 C = spc_dense2_f64_make(c, 3, 2);
  EXPECT_STATUS(SPC_OK, typed(&A, &B, &C));

  const spc_csr_f32_i64 short_A = {3, 2, 3, wide_pointers, wide_indices, short_values};
  const spc_dense2_f32 short_B = spc_dense2_f32_make(short_b, 2, 2);
  spc_dense2_f32 short_C = spc_dense2_f32_make(short_c, 3, 2);
  EXPECT_STATUS(SPC_OK, typed_on_f32(&short_A, &short_B, &short_C));

  for (int k = 0; k < 6; ++k) {
    EXPECT_NEAR(expected[k], c[k]);
    EXPECT_NEAR(expected[k], (double)short_c[k]);
  }
  test_halves();
  return failures != 0;
}
