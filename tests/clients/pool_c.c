/* spc/pool.h in C: what pool_client.cpp calls. */
#include <spc/pool.h>

#include "spmv.h"

#include "pool_c.h"

spc_status spmv_in_c(const spc_csr_f64_i32 *A, const spc_dense1_f64 *x, spc_dense1_f64 *y) {
  return spmv(A, x, y);
}

void run_in_c(int64_t tasks, void (*task)(void *closure, int64_t index), void *closure) {
  const spc_context context = spc_pool_context();
  if (context.parallel_for != NULL)
    context.parallel_for(context.user, tasks, task, closure);
}

void *pool_in_c(void) {
  return &spc_pool_shared_2;
}
