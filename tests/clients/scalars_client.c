/* Scalars by value, an order-0 output by pointer, and an extent that is declared as a number. */
#include "narrow.h"
#include "norm.h"

#include "expect.h"

int main(void) {
  double x_values[] = {3, 4, 0};
  double a_values[] = {1, 2, 3, 4, 5, 6};
  double y_values[] = {-1, -1, -1};
  double t = -1;
  const spc_dense1_f64 x = spc_dense1_f64_make(x_values, 3);
  const spc_dense1_f64 x_short = spc_dense1_f64_make(x_values, 2);
  const spc_dense2_f64 A = spc_dense2_f64_make(a_values, 2, 3);
  const spc_dense2_f64 A_narrower = spc_dense2_f64_make(a_values, 3, 2);
  spc_dense1_f64 y = spc_dense1_f64_make(y_values, 2);
  spc_dense1_f64 y_long = spc_dense1_f64_make(y_values, 3);
  EXPECT_STATUS(SPC_OK, norm(0.5, &x, &t));
  EXPECT_NEAR(12.5, t);
  EXPECT_STATUS(SPC_ERROR_NULL, norm(0.5, &x, NULL));
  EXPECT_STATUS(SPC_OK, narrow(&A, &x, &y));
  EXPECT_NEAR(11, y_values[0]);
  EXPECT_NEAR(32, y_values[1]);
  EXPECT_STATUS(SPC_ERROR_SHAPE, narrow(&A_narrower, &x_short, &y_long));
  return failures != 0;
}
