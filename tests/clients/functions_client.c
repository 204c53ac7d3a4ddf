/* Functions of the C library, called from an object that a C program links with -lm. */
#include "functions.h"

#include "expect.h"

#include <math.h>

/* [1 0 -2; 0 0 0] */
static int32_t row_ptr[] = {0, 2, 2};
static int32_t col_ind[] = {0, 2};
static double values[] = {1, -2};

int main(void) {
  double x_values[] = {0.5, 100, 1}, y_values[] = {-1, -1};
  float f_values[] = {1e-6f, 0.25f}, g_values[] = {-1, -1};
  const spc_csr_f64_i32 A = {2, 3, 2, row_ptr, col_ind, values};
  const spc_dense1_f64 x = spc_dense1_f64_make(x_values, 3);
  const spc_dense1_f32 f = spc_dense1_f32_make(f_values, 2);
  spc_dense1_f64 y = spc_dense1_f64_make(y_values, 2);
  spc_dense1_f32 g = spc_dense1_f32_make(g_values, 2);
  EXPECT_STATUS(SPC_OK, functions(&A, &x, &f, &g, &y));
  EXPECT_NEAR(exp(0.5), y_values[0]); /* relu makes 0 of -2 */
  EXPECT_NEAR(0, y_values[1]);
  for (int k = 0; k < 2; ++k)
    EXPECT_NEAR(erff(f_values[k]) + log1pf(f_values[k]) * f_values[k] * f_values[k], g_values[k]);
  return failures != 0;
}
