// The C++ half, with main.
#include "spmv.h"

#include "expect.h"

extern "C" double first_of_product_c(const spc_csr_f64_i32 *A, const spc_dense1_f64 *x);

int main() {
  int32_t pointers[] = {0, 2, 2}, indices[] = {0, 1};
  double values[] = {2, 3}, xs[] = {5, 7}, ys[] = {-1, -1};
  const spc_csr_f64_i32 A = {2, 2, 2, pointers, indices, values};
  const spc_dense1_f64 x = spc_dense1_f64_make(xs, 2);
  spc_dense1_f64 y = spc_dense1_f64_make(ys, 2);
  EXPECT_STATUS(SPC_OK, spmv(&A, &x, &y));
  EXPECT_NEAR(31, ys[0]);
  EXPECT_NEAR(31, first_of_product_c(&A, &x));
  return failures != 0;
}
