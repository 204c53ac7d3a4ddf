/* Validators of each kind of level, with valid structures and with damage that only that kind can have. */
#include "storages.h"

#include "../../clients/expect.h"

#define LARGE INT64_C(3000000000)
#define HUGE_SIZE (INT64_MAX / 2)

static double v[64] = {0};

static void check_fixed_widths(void) {
  int32_t ind[6] = {2, 0, 1, 1, 3, 0}, sorted[6] = {0, 2, 1, 3, 0, 3};
  spc_ell2_f64_i32 t = {3, 4, ind, v};
  spc_ell_f64_i32 run_time = {3, 4, 2, ind, v};
  spc_ell2qo_f64_i32 unique = {3, 4, sorted, v};
  EXPECT_STATUS(SPC_OK, spc_ell2_f64_i32_validate(&t));
  EXPECT_STATUS(SPC_OK, spc_ell_f64_i32_validate(&run_time));
  EXPECT_STATUS(SPC_OK, spc_ell2qo_f64_i32_validate(&unique));
  unique.col_ind = ind;
  EXPECT_STATUS(SPC_ERROR_UNSORTED, spc_ell2qo_f64_i32_validate(&unique));
  sorted[1] = 0, unique.col_ind = sorted;
  EXPECT_STATUS(SPC_ERROR_DUPLICATE, spc_ell2qo_f64_i32_validate(&unique));
  t.ncols = 3;
  EXPECT_STATUS(SPC_ERROR_INDEX_RANGE, spc_ell2_f64_i32_validate(&t));
  t.ncols = 0;
  EXPECT_STATUS(SPC_ERROR_SHAPE, spc_ell2_f64_i32_validate(&t));
  t.ncols = LARGE;
  EXPECT_STATUS(SPC_ERROR_INDEX_TYPE, spc_ell2_f64_i32_validate(&t));
  t.ncols = 4, t.nrows = HUGE_SIZE + 2;
  EXPECT_STATUS(SPC_ERROR_COUNT, spc_ell2_f64_i32_validate(&t));
  t.nrows = -1;
  EXPECT_STATUS(SPC_ERROR_SHAPE, spc_ell2_f64_i32_validate(&t));
  t.nrows = 3, t.col_ind = NULL;
  EXPECT_STATUS(SPC_ERROR_NULL, spc_ell2_f64_i32_validate(&t));
  t.nrows = 0, t.values = NULL;
  EXPECT_STATUS(SPC_OK, spc_ell2_f64_i32_validate(&t));
  run_time.width = -1;
  EXPECT_STATUS(SPC_ERROR_COUNT, spc_ell_f64_i32_validate(&run_time));
  run_time.width = HUGE_SIZE;
  EXPECT_STATUS(SPC_ERROR_COUNT, spc_ell_f64_i32_validate(&run_time));
  run_time.width = 0, run_time.nrows = HUGE_SIZE, run_time.col_ind = NULL;
  EXPECT_STATUS(SPC_OK, spc_ell_f64_i32_validate(&run_time));
}

static void check_lengths(void) {
  int32_t length[3] = {2, 0, 1}, ind[3] = {1, 3, 0}, large[3] = {INT32_MAX, 1, 0};
  spc_csr_len_f64_i32 t = {3, 4, 3, length, ind, v};
  EXPECT_STATUS(SPC_OK, spc_csr_len_f64_i32_validate(&t));
  t.nnz = 2;
  EXPECT_STATUS(SPC_ERROR_POINTERS, spc_csr_len_f64_i32_validate(&t));
  t.nnz = 3, length[1] = -1;
  EXPECT_STATUS(SPC_ERROR_POINTERS, spc_csr_len_f64_i32_validate(&t));
  length[1] = 0, ind[1] = 1;
  EXPECT_STATUS(SPC_ERROR_DUPLICATE, spc_csr_len_f64_i32_validate(&t));
  ind[1] = 0;
  EXPECT_STATUS(SPC_ERROR_UNSORTED, spc_csr_len_f64_i32_validate(&t));
  length[0] = 1, length[1] = 1;
  EXPECT_STATUS(SPC_OK, spc_csr_len_f64_i32_validate(&t));
  t.row_len = large;
  EXPECT_STATUS(SPC_ERROR_INDEX_TYPE, spc_csr_len_f64_i32_validate(&t));
  t.row_len = NULL;
  EXPECT_STATUS(SPC_ERROR_NULL, spc_csr_len_f64_i32_validate(&t));
}

static void check_ragged(void) {
  int32_t ptr[4] = {0, 2, 2, 6}, length[3] = {2, 0, 4}, late[4] = {0, 4, 7, 9};
  uint8_t many[3] = {255, 1, 0};
  spc_ragged_f64_p32 t = {3, 4, 6, ptr, v};
  spc_ragged_len_f64_p32 lengths = {3, 4, 6, length, v};
  spc_ragged_len_f64_p8 bytes = {3, 300, 256, many, v};
  const spc_d0_rf0i1n01_f64_p32 shifted = {{3, 4}, 9, late, v};
  EXPECT_STATUS(SPC_OK, spc_ragged_f64_p32_validate(&t));
  EXPECT_STATUS(SPC_OK, spc_ragged_len_f64_p32_validate(&lengths));
  EXPECT_STATUS(SPC_OK, spc_d0_rf0i1n01_f64_p32_validate(&shifted));
  EXPECT_STATUS(SPC_ERROR_INDEX_TYPE, spc_ragged_len_f64_p8_validate(&bytes));
  many[1] = 0, bytes.nnz = 255;
  EXPECT_STATUS(SPC_OK, spc_ragged_len_f64_p8_validate(&bytes));
  late[1] = 3;
  EXPECT_STATUS(SPC_ERROR_POINTERS, spc_d0_rf0i1n01_f64_p32_validate(&shifted));
  t.ncols = lengths.ncols = 3;
  EXPECT_STATUS(SPC_ERROR_POINTERS, spc_ragged_f64_p32_validate(&t));
  EXPECT_STATUS(SPC_ERROR_POINTERS, spc_ragged_len_f64_p32_validate(&lengths));
  t.ncols = lengths.ncols = LARGE; /* no index has to hold a column */
  EXPECT_STATUS(SPC_OK, spc_ragged_f64_p32_validate(&t));
  ptr[1] = 3;
  EXPECT_STATUS(SPC_ERROR_POINTERS, spc_ragged_f64_p32_validate(&t));
  ptr[1] = 2, t.nnz = LARGE;
  EXPECT_STATUS(SPC_ERROR_INDEX_TYPE, spc_ragged_f64_p32_validate(&t));
  t.nnz = 6, t.values = NULL;
  EXPECT_STATUS(SPC_ERROR_NULL, spc_ragged_f64_p32_validate(&t));
}

static void check_closed_forms(void) {
  spc_lower_f64 lower = spc_lower_f64_make(v, 4, 4);
  spc_upper_f64 upper = spc_upper_f64_make(v, 4, 4);
  spc_d0_t3i0n0f1i0n01_f64 band = spc_d0_t3i0n0f1i0n01_f64_make(v, 4, 4);
  EXPECT_STATUS(SPC_OK, spc_lower_f64_validate(&lower));
  EXPECT_STATUS(SPC_OK, spc_upper_f64_validate(&upper));
  EXPECT_STATUS(SPC_OK, spc_d0_t3i0n0f1i0n01_f64_validate(&band));
  lower.nrows = 5, upper.nrows = 6, band.shape[1] = 3;
  EXPECT_STATUS(SPC_ERROR_SHAPE, spc_lower_f64_validate(&lower));
  EXPECT_STATUS(SPC_ERROR_SHAPE, spc_upper_f64_validate(&upper));
  EXPECT_STATUS(SPC_ERROR_SHAPE, spc_d0_t3i0n0f1i0n01_f64_validate(&band));
  lower.nrows = upper.nrows = 3; /* trapezoids */
  EXPECT_STATUS(SPC_OK, spc_lower_f64_validate(&lower));
  EXPECT_STATUS(SPC_OK, spc_upper_f64_validate(&upper));
  lower.values = NULL;
  EXPECT_STATUS(SPC_ERROR_NULL, spc_lower_f64_validate(&lower));
  lower.nrows = 0;
  EXPECT_STATUS(SPC_OK, spc_lower_f64_validate(&lower));
  lower.nrows = lower.ncols = INT64_MAX;
  EXPECT_STATUS(SPC_ERROR_COUNT, spc_lower_f64_validate(&lower));
  upper.nrows = upper.ncols = INT64_MAX;
  EXPECT_STATUS(SPC_ERROR_COUNT, spc_upper_f64_validate(&upper));
  upper.nrows = -1;
  EXPECT_STATUS(SPC_ERROR_SHAPE, spc_upper_f64_validate(&upper));
}

static void check_blocks(void) {
  int32_t ptr[3] = {0, 2, 3}, ind[3] = {0, 2, 1};
  int32_t group[8] = {0, 3, 1, 2, 0, 1, 2, 3};
  spc_bsr2x2_f64_i32 t = {4, 5, 12, ptr, ind, v}; /* 2 x 3 blocks, the last column of them padded */
  spc_nm2of4_f64_i32 sparse = {{2, 8}, group, v};
  EXPECT_STATUS(SPC_OK, spc_bsr2x2_f64_i32_validate(&t));
  EXPECT_STATUS(SPC_OK, spc_nm2of4_f64_i32_validate(&sparse));
  t.nrows = 3;
  EXPECT_STATUS(SPC_OK, spc_bsr2x2_f64_i32_validate(&t));
  t.ncols = 4;
  EXPECT_STATUS(SPC_ERROR_INDEX_RANGE, spc_bsr2x2_f64_i32_validate(&t));
  t.ncols = 6, t.nnz = 3;
  EXPECT_STATUS(SPC_ERROR_COUNT, spc_bsr2x2_f64_i32_validate(&t));
  t.nnz = 16;
  EXPECT_STATUS(SPC_ERROR_POINTERS, spc_bsr2x2_f64_i32_validate(&t));
  t.nnz = 4 * LARGE;
  EXPECT_STATUS(SPC_ERROR_INDEX_TYPE, spc_bsr2x2_f64_i32_validate(&t));
  t.nnz = 12, t.nrows = -3;
  EXPECT_STATUS(SPC_ERROR_SHAPE, spc_bsr2x2_f64_i32_validate(&t));
  t.nrows = 4, ind[1] = 0;
  EXPECT_STATUS(SPC_ERROR_DUPLICATE, spc_bsr2x2_f64_i32_validate(&t));
  group[1] = 4;
  EXPECT_STATUS(SPC_ERROR_INDEX_RANGE, spc_nm2of4_f64_i32_validate(&sparse));
  group[1] = 0;
  EXPECT_STATUS(SPC_ERROR_DUPLICATE, spc_nm2of4_f64_i32_validate(&sparse));
  group[1] = 3, sparse.shape[1] = 6; /* the last group is padded */
  EXPECT_STATUS(SPC_OK, spc_nm2of4_f64_i32_validate(&sparse));
}

static void check_diagonals(void) {
  int32_t offsets[3] = {-2, 0, 3};
  spc_dia_f64_i32 t = {{3, 4}, 9, 3, offsets, v};
  EXPECT_STATUS(SPC_OK, spc_dia_f64_i32_validate(&t));
  t.nnz = 8;
  EXPECT_STATUS(SPC_ERROR_COUNT, spc_dia_f64_i32_validate(&t));
  t.nnz = 9, t.shape[1] = 3;
  EXPECT_STATUS(SPC_ERROR_INDEX_RANGE, spc_dia_f64_i32_validate(&t));
  t.shape[1] = 4, offsets[0] = -3;
  EXPECT_STATUS(SPC_ERROR_INDEX_RANGE, spc_dia_f64_i32_validate(&t));
  offsets[0] = 0;
  EXPECT_STATUS(SPC_ERROR_DUPLICATE, spc_dia_f64_i32_validate(&t));
  offsets[0] = 1;
  EXPECT_STATUS(SPC_ERROR_UNSORTED, spc_dia_f64_i32_validate(&t));
  t.shape[0] = LARGE;
  EXPECT_STATUS(SPC_ERROR_INDEX_TYPE, spc_dia_f64_i32_validate(&t));
  t.shape[0] = INT64_MIN;
  EXPECT_STATUS(SPC_ERROR_SHAPE, spc_dia_f64_i32_validate(&t));
}

static void check_entries(void) {
  int32_t entries[8] = {0, 1, 0, 3, 2, 0, 2, 3}, ptr[3] = {0, 2, 3}, twice[3] = {1, 1, 0};
  spc_coo2_aos_f64_i32 t = {3, 4, 4, entries, v};
  const spc_dcn_f64_i32 repeated = {{2, 3}, 3, ptr, twice, v};
  EXPECT_STATUS(SPC_OK, spc_coo2_aos_f64_i32_validate(&t));
  EXPECT_STATUS(SPC_OK, spc_dcn_f64_i32_validate(&repeated));
  twice[0] = 2;
  EXPECT_STATUS(SPC_ERROR_UNSORTED, spc_dcn_f64_i32_validate(&repeated));
  t.ncols = 3;
  EXPECT_STATUS(SPC_ERROR_INDEX_RANGE, spc_coo2_aos_f64_i32_validate(&t));
  t.ncols = 4, entries[6] = 3;
  EXPECT_STATUS(SPC_ERROR_INDEX_RANGE, spc_coo2_aos_f64_i32_validate(&t));
  entries[6] = 2, entries[3] = 1;
  EXPECT_STATUS(SPC_ERROR_DUPLICATE, spc_coo2_aos_f64_i32_validate(&t));
  entries[3] = 0;
  EXPECT_STATUS(SPC_ERROR_UNSORTED, spc_coo2_aos_f64_i32_validate(&t));
  t.entries = NULL;
  EXPECT_STATUS(SPC_ERROR_NULL, spc_coo2_aos_f64_i32_validate(&t));
}

static void check_index_widths(void) {
  uint8_t ind[3] = {0, 255, 128}, bytes[3] = {0, 2, 3};
  uint16_t ptr[3] = {0, 2, 3};
  spc_csr_f64_p16_u8 t = {2, 256, 3, ptr, ind, v};
  spc_csr_f64_u8 narrow = {2, 256, 3, bytes, ind, v};
  EXPECT_STATUS(SPC_OK, spc_csr_f64_p16_u8_validate(&t));
  EXPECT_STATUS(SPC_OK, spc_csr_f64_u8_validate(&narrow));
  t.ncols = 257;
  EXPECT_STATUS(SPC_ERROR_INDEX_TYPE, spc_csr_f64_p16_u8_validate(&t));
  t.ncols = 255;
  EXPECT_STATUS(SPC_ERROR_INDEX_RANGE, spc_csr_f64_p16_u8_validate(&t));
  t.ncols = 256, t.nnz = 65536;
  EXPECT_STATUS(SPC_ERROR_INDEX_TYPE, spc_csr_f64_p16_u8_validate(&t));
  narrow.nnz = 256;
  EXPECT_STATUS(SPC_ERROR_INDEX_TYPE, spc_csr_f64_u8_validate(&narrow));
}

static void check_symmetric_lists(void) {
  int32_t ptr[4] = {0, 1, 2, 4}, ind[4] = {0, 0, 0, 2}, row[3] = {0, 1, 2}, col[3] = {0, 1, 1};
  spc_csr_symlo_f64_i32 lower = {3, 3, 4, ptr, ind, v};
  spc_csc_symup_f64_i32 upper = {3, 3, 4, ptr, ind, v};
  const spc_coo2_symlo_f64_i32 coo = {3, 3, 3, row, col, v};
  EXPECT_STATUS(SPC_OK, spc_csr_symlo_f64_i32_validate(&lower));
  EXPECT_STATUS(SPC_OK, spc_csc_symup_f64_i32_validate(&upper));
  EXPECT_STATUS(SPC_OK, spc_coo2_symlo_f64_i32_validate(&coo));
  ind[1] = 2, col[1] = 2;
  EXPECT_STATUS(SPC_ERROR_INDEX_RANGE, spc_csr_symlo_f64_i32_validate(&lower));
  EXPECT_STATUS(SPC_ERROR_INDEX_RANGE, spc_csc_symup_f64_i32_validate(&upper));
  EXPECT_STATUS(SPC_ERROR_INDEX_RANGE, spc_coo2_symlo_f64_i32_validate(&coo));
  ind[1] = 1, lower.ncols = 4;
  EXPECT_STATUS(SPC_ERROR_SHAPE, spc_csr_symlo_f64_i32_validate(&lower));
}

static void check_symmetric_parts(void) {
  int32_t ptr[3] = {0, 1, 3}, ind[3] = {0, 0, 1}, offsets[2] = {-1, 0}, rows[4] = {0, 1, 2, 4}, padded[6] = {0};
  const spc_bsr2x2_symlo_f64_i32 blocks = {3, 3, 12, ptr, ind, v};
  const spc_dia_symlo_f64_i32 diagonals = {{3, 3}, 6, 2, offsets, v};
  const spc_ragged_symlo_f64_p32 ragged = {3, 3, 4, rows, v};
  const spc_ell2_symup_f64_i32 ell = {3, 3, padded, v}; /* padding lies where it likes */
  const spc_lower_symlo_f64 triangle = spc_lower_symlo_f64_make(v, 3, 3);
  const spc_upper_symup_f64 other = spc_upper_symup_f64_make(v, 3, 3);
  EXPECT_STATUS(SPC_OK, spc_bsr2x2_symlo_f64_i32_validate(&blocks));
  EXPECT_STATUS(SPC_OK, spc_dia_symlo_f64_i32_validate(&diagonals));
  EXPECT_STATUS(SPC_OK, spc_ragged_symlo_f64_p32_validate(&ragged));
  EXPECT_STATUS(SPC_OK, spc_ell2_symup_f64_i32_validate(&ell));
  EXPECT_STATUS(SPC_OK, spc_lower_symlo_f64_validate(&triangle));
  EXPECT_STATUS(SPC_OK, spc_upper_symup_f64_validate(&other));
  ind[0] = 1, offsets[1] = 1, rows[1] = 2;
  EXPECT_STATUS(SPC_ERROR_INDEX_RANGE, spc_bsr2x2_symlo_f64_i32_validate(&blocks));
  EXPECT_STATUS(SPC_ERROR_INDEX_RANGE, spc_dia_symlo_f64_i32_validate(&diagonals));
  EXPECT_STATUS(SPC_ERROR_INDEX_RANGE, spc_ragged_symlo_f64_p32_validate(&ragged));
}

int main(void) {
  check_fixed_widths();
  check_lengths();
  check_ragged();
  check_closed_forms();
  check_blocks();
  check_diagonals();
  check_entries();
  check_index_widths();
  check_symmetric_lists();
  check_symmetric_parts();
  return failures == 0 ? 0 : 1;
}
