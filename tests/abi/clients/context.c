/* Stands in for the objects, whose symbols are SPMV and SDDMM: checks what the inline functions pass on. */
#include "sddmm.h"
#include "spmv.h"

#include <stdio.h>
#include <string.h>

#define CHECK(condition)                                                                                               \
  do {                                                                                                                 \
    if (!(condition)) {                                                                                                \
      printf("line %d: %s does not hold\n", __LINE__, #condition);                                                     \
      return 1;                                                                                                        \
    }                                                                                                                  \
  } while (0)

static spc_context seen;
static double seen_alpha;

spc_status SPMV(const spc_context *ctx, double alpha, const spc_coo2_f64_i32 *M, const spc_dense1_f64 *x,
                spc_dense1_f64 *y, double *nrm) {
  seen = *ctx;
  seen_alpha = alpha;
  *nrm = y->values[0] + x->values[0] + M->values[0];
  return SPC_ERROR_MEMORY;
}

spc_status SDDMM(const spc_context *ctx, const spc_csr_f32_i32 *S, const spc_dense2_f32 *A, const spc_dense2_f32 *B,
                 spc_csr_f32_i32 *D) {
  seen = *ctx;
  (void)A;
  (void)B;
  D->row_ptr = S->row_ptr;
  return SPC_OK;
}

static void mark(void *closure, int64_t index) {
  int *marks = SPC_DETAIL_CAST(int *, closure);
  ++marks[index];
}

int main(void) {
  int32_t row[1] = {0};
  double values[3] = {1, 2, 4}, norm = 0;
  int marks[100] = {0};
  int k;
  const spc_coo2_f64_i32 M = {1, 1, 1, row, row, values};
  const spc_dense1_f64 x = spc_dense1_f64_make(values + 1, 1);
  spc_dense1_f64 y = spc_dense1_f64_make(values + 2, 1);
  CHECK(spmv(2.5, &M, &x, &y, &norm) == SPC_ERROR_MEMORY);
  CHECK(norm == 7 && seen_alpha == 2.5);
  CHECK(seen.struct_size == SPC_DETAIL_CAST(int64_t, sizeof(spc_context)));
  CHECK(seen.user == NULL && seen.allocate == NULL && seen.deallocate == NULL);
#ifdef _OPENMP
  CHECK(seen.parallel_for != NULL);
  seen.parallel_for(seen.user, 100, mark, marks);
#else
  CHECK(seen.parallel_for == NULL);
  for (k = 0; k < 100; ++k)
    mark(marks, k);
#endif
  for (k = 0; k < 100; ++k)
    CHECK(marks[k] == 1);
  CHECK(strcmp(spc_status_string(SPC_OK), "no error") == 0);
  for (k = SPC_ERROR_NULL; k <= SPC_ERROR_INDEX_TYPE; ++k)
    CHECK(strcmp(spc_status_string(SPC_DETAIL_CAST(spc_status, k)), "unknown status") != 0);
  CHECK(strcmp(spc_status_string(SPC_DETAIL_CAST(spc_status, 99)), "unknown status") == 0);
  return 0;
}
