/* Results in storages whose slots follow from more than the entries: parts of a sum, a triangle, groups, rows by their
 * lengths. And what is converted from diagonals, whose padding is no entry. */
#include "expect.h"

#include <string.h>

#include "converted_on_csr.h"
#include "converted_on_hyb.h"
#include "converted_on_lower.h"
#include "converted_on_nm.h"
#include "converted_on_ragged_lengths.h"

enum { SIZE = 12 };

/* The first row is full, row i > 0 has the columns 0 and i. */
static double element(int64_t row, int64_t column) {
  return row == 0 || column == 0 || column == row ? (double)(row * SIZE + column + 1) : 0;
}

static int32_t row_ptr[SIZE + 1], col_ind[SIZE * SIZE];
static double values[SIZE * SIZE];

/* Without the rows before `first`. */
static spc_csr_f64_i32 rows_from(int64_t first) {
  spc_csr_f64_i32 B;
  int32_t count = 0;
  for (int64_t i = 0; i < SIZE; ++i) {
    row_ptr[i] = count;
    for (int64_t j = 0; j < SIZE; ++j) {
      if (i < first || element(i, j) == 0)
        continue;
      col_ind[count] = (int32_t)j;
      values[count++] = element(i, j);
    }
  }
  row_ptr[SIZE] = count;
  memset(&B, 0, sizeof B);
  B.nrows = B.ncols = SIZE;
  B.nnz = count;
  B.row_ptr = row_ptr;
  B.col_ind = col_ind;
  B.values = values;
  return B;
}

static void expect_elements(const double *dense, int64_t first) {
  for (int64_t i = 0; i < SIZE; ++i)
    for (int64_t j = 0; j < SIZE; ++j)
      EXPECT(dense[i * SIZE + j] == (i < first ? 0 : element(i, j)));
}

static void test_parts(void) {
  const spc_csr_f64_i32 B = rows_from(0);
  spc_ell8_f64_i32 first;
  spc_coo2_f64_i32 rest;
  double dense[SIZE * SIZE] = {0};
  EXPECT_STATUS(SPC_OK, converted_on_hyb(&B, &first, &rest));
  EXPECT_STATUS(SPC_OK, spc_ell8_f64_i32_validate(&first));
  EXPECT_STATUS(SPC_OK, spc_coo2_f64_i32_validate(&rest));
  EXPECT(first.nrows == SIZE && rest.ncols == SIZE);
  EXPECT(rest.nnz == SIZE - 8);
  for (int64_t i = 0; i < SIZE; ++i)
    for (int64_t slot = 8 * i; slot < 8 * (i + 1); ++slot)
      dense[i * SIZE + first.col_ind[slot]] += first.values[slot];
  for (int64_t entry = 0; entry < rest.nnz; ++entry) {
    EXPECT(rest.row_ind[entry] == 0 && rest.col_ind[entry] == 8 + entry);
    dense[rest.row_ind[entry] * SIZE + rest.col_ind[entry]] += rest.values[entry];
  }
  expect_elements(dense, 0);
  converted_on_hyb_free(&first, &rest);
  EXPECT(first.values == NULL && rest.values == NULL && rest.nnz == 0);
  converted_on_hyb_free(NULL, NULL);
}

static void test_triangle(void) {
  spc_csr_f64_i32 B = rows_from(0);
  spc_lower_f64 A, before;
  double dense[SIZE * SIZE] = {0};
  memset(&A, 0x5b, sizeof A);
  before = A;
  EXPECT_STATUS(SPC_ERROR_INDEX_RANGE, converted_on_lower(&B, &A));
  EXPECT(memcmp(&A, &before, sizeof A) == 0);
  B = rows_from(1);
  EXPECT_STATUS(SPC_OK, converted_on_lower(&B, &A));
  for (int64_t i = 0; i < SIZE; ++i)
    for (int64_t j = 0; j <= i; ++j)
      dense[i * SIZE + j] = A.values[i * (i + 1) / 2 + j];
  expect_elements(dense, 1);
  converted_on_lower_free(&A);
}

static void test_groups(void) {
  spc_csr_f64_i32 B = rows_from(0);
  spc_nm2of4_f64_u8 A, before;
  double dense[SIZE * SIZE] = {0};
  memset(&A, 0x5b, sizeof A);
  before = A;
  EXPECT_STATUS(SPC_ERROR_COUNT, converted_on_nm(&B, &A));
  EXPECT(memcmp(&A, &before, sizeof A) == 0);
  B = rows_from(1);
  EXPECT_STATUS(SPC_OK, converted_on_nm(&B, &A));
  EXPECT_STATUS(SPC_OK, spc_nm2of4_f64_u8_validate(&A));
  for (int64_t slot = 0; slot < SIZE * SIZE / 2; ++slot)
    dense[slot / 2 * 4 + A.indices_2[slot]] += A.values[slot];
  expect_elements(dense, 1);
  converted_on_nm_free(&A);
}

static void test_lengths(void) {
  const spc_csr_f64_i32 B = rows_from(1);
  spc_ragged_len_f64_p32 A;
  double dense[SIZE * SIZE] = {0};
  int64_t at = 0;
  EXPECT_STATUS(SPC_OK, converted_on_ragged_lengths(&B, &A));
  for (int64_t i = 0; i < SIZE; ++i) {
    EXPECT(A.row_len[i] == (i == 0 ? 0 : i + 1));
    for (int64_t j = 0; j < A.row_len[i]; ++j)
      dense[i * SIZE + j] = A.values[at++];
  }
  EXPECT(at == A.nnz);
  expect_elements(dense, 1);
  converted_on_ragged_lengths_free(&A);
}

/* Two diagonals of three rows, of which two slots hold entries, one a 0, and the others nothing. */
static void test_padding(void) {
  int32_t diagonals[] = {-1, 0};
  double slots[] = {99, 5, 0, 7, 0, 0};
  spc_dia_f64_i32 B;
  spc_csr_f64_i32 A;
  memset(&B, 0, sizeof B);
  B.shape[0] = B.shape[1] = 3;
  B.nnz = 6;
  B.count_0 = 2;
  B.indices_0 = diagonals;
  B.values = slots;
  EXPECT_STATUS(SPC_OK, converted_on_csr(&B, &A));
  EXPECT(A.nnz == 2 && A.col_ind[0] == 0 && A.values[0] == 7 && A.col_ind[1] == 0 && A.values[1] == 5);
  EXPECT_STATUS(SPC_OK, converted_on_csr_numeric(&B, &A, NULL));
  EXPECT(A.nnz == 2 && A.values[0] == 7 && A.values[1] == 5);
  converted_on_csr_free(&A);
  EXPECT_STATUS(SPC_OK, converted_on_csr_symbolic(&B, &A, NULL));
  EXPECT(A.nnz == 5 && A.values == NULL);
  EXPECT_STATUS(SPC_OK, converted_on_csr_numeric(&B, &A, NULL));
  EXPECT(A.values[0] == 7 && A.values[1] == 5 && A.values[2] == 0 && A.values[3] == 0 && A.values[4] == 0);
  converted_on_csr_free(&A);
}

int main(void) {
  test_parts();
  test_triangle();
  test_groups();
  test_lengths();
  test_padding();
  return failures != 0;
}
