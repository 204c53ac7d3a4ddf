/* The C half of a program whose two halves call one object. */
#include "spmv.h"

double first_of_product_c(const spc_csr_f64_i32 *A, const spc_dense1_f64 *x);

double first_of_product_c(const spc_csr_f64_i32 *A, const spc_dense1_f64 *x) {
  double values[2] = {-1, -1};
  spc_dense1_f64 y = spc_dense1_f64_make(values, 2);
  return spmv(A, x, &y) == SPC_OK ? values[0] : -1;
}
