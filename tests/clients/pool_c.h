/* What pool_c.c gives. */
#ifndef SPC_TESTS_POOL_C_H
#define SPC_TESTS_POOL_C_H

#ifdef __cplusplus
extern "C" {
#endif

spc_status spmv_in_c(const spc_csr_f64_i32 *A, const spc_dense1_f64 *x, spc_dense1_f64 *y);

/* Runs tasks on the pool. */
void run_in_c(int64_t tasks, void (*task)(void *closure, int64_t index), void *closure);

/* The address of the pool's state. */
void *pool_in_c(void);

#ifdef __cplusplus
}
#endif

#endif
