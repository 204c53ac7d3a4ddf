/* What memory_pool_c.c gives. */
#ifndef SPC_TESTS_MEMORY_POOL_C_H
#define SPC_TESTS_MEMORY_POOL_C_H

#ifdef __cplusplus
extern "C" {
#endif

/* Tests the pool in C; returns how many expectations failed. */
int test_pool_in_c(void);

#ifdef __cplusplus
}
#endif

#endif
