/* A product with so many columns that its rows are accumulated in hash tables: C11 and C++17. */
#ifndef SPC_TESTS_ASSEMBLY_WIDE_H
#define SPC_TESTS_ASSEMBLY_WIDE_H

#include "assembly_tests.h"

enum { WIDE_STEP = 1 << 26 };

/* Moves column j of the second operand to j * WIDE_STEP, or back. */
static void widen(int is_wide) {
  int32_t *const col_ind = (int32_t *)given.C.col_ind; /* which make_csr made */
  int64_t e;
  for (e = 0; e < given.C.nnz; ++e)
    col_ind[e] = is_wide ? col_ind[e] * WIDE_STEP : col_ind[e] / WIDE_STEP;
  given.C.ncols = is_wide ? (int64_t)COLUMNS * WIDE_STEP : (int64_t)COLUMNS;
}

/* Whether the wide result is the narrow one, spread. */
static int is_spread(const spc_csr_f64_i32 *wide, const spc_csr_f64_i32 *narrow) {
  int64_t i, e, wrong = spc_csr_f64_i32_validate(wide) != SPC_OK || wide->nnz != narrow->nnz;
  for (i = 0; wrong == 0 && i <= narrow->nrows; ++i)
    wrong += wide->row_ptr[i] != narrow->row_ptr[i];
  for (e = 0; wrong == 0 && e < narrow->nnz; ++e)
    wrong += wide->col_ind[e] != narrow->col_ind[e] * WIDE_STEP || wide->values[e] != narrow->values[e];
  return wrong == 0;
}

static void test_wide(void) {
  const assembly_case *const spgemm_case = &cases[0];
  output narrow, wide, start = garbage(), pattern;
  int64_t needed;
  EXPECT_STATUS(SPC_OK, spgemm_plain(&narrow));
  widen(1);
  needed = fail_each_allocation(spgemm_case, spgemm_call, &wide, &start);
  EXPECT(needed > 3 && is_spread(&wide.csr, &narrow.csr));
  spgemm_plain_free(&wide);
  needed = fail_each_allocation(spgemm_case, spgemm_call_symbolic, &pattern, &start);
  EXPECT(needed > 2);
  needed = fail_each_allocation(spgemm_case, spgemm_call_numeric, &wide, &pattern);
  EXPECT(needed > 0 && is_spread(&wide.csr, &narrow.csr));
  spgemm_plain_free(&wide);
  widen(0);
  spgemm_plain_free(&narrow);
}

#endif
