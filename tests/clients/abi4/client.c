/* A call by headers of version 4 of the calling convention, which no object of later versions answers. */
#include "spmv.h"

int main(void) {
  int32_t pointers[] = {0, 1}, columns[] = {0};
  double entries[] = {2}, x[] = {3}, y[] = {0};
  spc_csr_f64_i32 A = {1, 1, 1, pointers, columns, entries};
  spc_dense1_f64 in = spc_dense1_f64_make(x, 1), out = spc_dense1_f64_make(y, 1);
  return spmv(1, &A, &in, &out) == SPC_OK && y[0] == 6 ? 0 : 1;
}
