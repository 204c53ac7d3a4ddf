/* One kernel file in two types, in one program: f64 with indices of 32 bits, f32 with indices of 64. */
#include "typed.h"
#include "typed_on_f32.h"

#include "expect.h"

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
  return failures != 0;
}
