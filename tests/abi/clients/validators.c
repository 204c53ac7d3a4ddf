/* Each validator with valid structures and with every kind of damage. */
#include "types.h"

#include "../../clients/expect.h"

#define LARGE INT64_C(3000000000)

static double v[16] = {0};

/* 3 x 4: row 0 holds columns 1 and 3, row 1 nothing, row 2 column 0. */
static void check_csr(void) {
  int32_t ptr[4] = {0, 2, 2, 3}, ind[3] = {1, 3, 0}, none[4] = {0, 0, 0, 0};
  const spc_csr_f64_i32 good = {3, 4, 3, ptr, ind, v};
  spc_csr_f64_i32 t = good;
  EXPECT_STATUS(SPC_OK, spc_csr_f64_i32_validate(&t));
  EXPECT_STATUS(SPC_ERROR_NULL, spc_csr_f64_i32_validate(NULL));
#define BAD(status, change)                                                                                            \
  do {                                                                                                                 \
    t = good;                                                                                                          \
    change;                                                                                                            \
    EXPECT_STATUS(status, spc_csr_f64_i32_validate(&t));                                                               \
    ptr[0] = 0, ptr[1] = 2, ptr[2] = 2, ptr[3] = 3, ind[0] = 1, ind[1] = 3, ind[2] = 0;                                \
  } while (0)
  BAD(SPC_ERROR_SHAPE, t.nrows = -1);
  BAD(SPC_ERROR_SHAPE, t.ncols = -1);
  BAD(SPC_ERROR_COUNT, t.nnz = -1);
  BAD(SPC_ERROR_INDEX_TYPE, t.ncols = LARGE);
  BAD(SPC_ERROR_INDEX_TYPE, t.nnz = LARGE);
  BAD(SPC_ERROR_POINTERS, t.nnz = 2);
  BAD(SPC_ERROR_POINTERS, t.nnz = 4);
  BAD(SPC_ERROR_POINTERS, t.nrows = 2);
  BAD(SPC_ERROR_POINTERS, ptr[0] = 3);
  BAD(SPC_ERROR_POINTERS, ptr[0] = -1);
  BAD(SPC_ERROR_POINTERS, ptr[1] = 4);
  BAD(SPC_ERROR_NULL, t.row_ptr = NULL);
  BAD(SPC_ERROR_NULL, t.col_ind = NULL);
  BAD(SPC_ERROR_NULL, t.values = NULL);
  BAD(SPC_ERROR_INDEX_RANGE, ind[2] = 4);
  BAD(SPC_ERROR_INDEX_RANGE, ind[2] = -1);
  BAD(SPC_ERROR_INDEX_RANGE, t.ncols = 3);
  BAD(SPC_ERROR_UNSORTED, (ind[0] = 3, ind[1] = 1));
  BAD(SPC_ERROR_DUPLICATE, ind[0] = 3);
  BAD(SPC_OK, ind[2] = 3);
#undef BAD
  t.nrows = 3, t.ncols = 4, t.nnz = 0, t.row_ptr = none, t.col_ind = NULL, t.values = NULL;
  EXPECT_STATUS(SPC_OK, spc_csr_f64_i32_validate(&t));
  t.nrows = 0, t.row_ptr = NULL;
  EXPECT_STATUS(SPC_OK, spc_csr_f64_i32_validate(&t));
  t.row_ptr = ptr + 1;
  EXPECT_STATUS(SPC_ERROR_POINTERS, spc_csr_f64_i32_validate(&t));
}

static void check_csr_variants(void) {
  int64_t ptr[3] = {0, 1, 3}, wide[3] = {1, 0, LARGE};
  int32_t ind[3] = {1, 0, 2}, backward[3] = {1, 2, 0}, short_ptr[3] = {0, 1, 3};
  const spc_csr_f64_p64_i32 mixed = {2, 3, 3, ptr, ind, v};
  spc_csr_f64_i64 large = {2, LARGE + 1, 3, ptr, wide, v};
  const spc_csc_f64_i32 csc = {3, 2, 3, short_ptr, ind, v};
  spc_csc_f64_i32 flat = {2, 2, 3, short_ptr, ind, v};
  const spc_dcu_f64_i32 unordered = {{2, 3}, 3, short_ptr, backward, v};
  EXPECT_STATUS(SPC_OK, spc_csr_f64_p64_i32_validate(&mixed));
  EXPECT_STATUS(SPC_OK, spc_csr_f64_i64_validate(&large));
  large.ncols = LARGE;
  EXPECT_STATUS(SPC_ERROR_INDEX_RANGE, spc_csr_f64_i64_validate(&large));
  EXPECT_STATUS(SPC_OK, spc_csc_f64_i32_validate(&csc));
  EXPECT_STATUS(SPC_ERROR_INDEX_RANGE, spc_csc_f64_i32_validate(&flat));
  EXPECT_STATUS(SPC_OK, spc_dcu_f64_i32_validate(&unordered));
}

static void check_coo(void) {
  int32_t row[4] = {0, 0, 2, 2}, col[4] = {1, 3, 0, 3}, third[4] = {5, 5, 5, 5};
  spc_coo2_f64_i32 t = {3, 4, 4, row, col, v};
  spc_coo3_f64_i32 cube = {{3, 4, 6}, 4, row, col, third, v};
  EXPECT_STATUS(SPC_OK, spc_coo2_f64_i32_validate(&t));
  EXPECT_STATUS(SPC_OK, spc_coo3_f64_i32_validate(&cube));
  col[1] = 1;
  EXPECT_STATUS(SPC_ERROR_DUPLICATE, spc_coo2_f64_i32_validate(&t));
  EXPECT_STATUS(SPC_ERROR_DUPLICATE, spc_coo3_f64_i32_validate(&cube));
  third[0] = 4;
  EXPECT_STATUS(SPC_OK, spc_coo3_f64_i32_validate(&cube));
  third[0] = 6;
  EXPECT_STATUS(SPC_ERROR_INDEX_RANGE, spc_coo3_f64_i32_validate(&cube));
  col[1] = 0;
  EXPECT_STATUS(SPC_ERROR_UNSORTED, spc_coo2_f64_i32_validate(&t));
  col[1] = 3, row[3] = 1;
  EXPECT_STATUS(SPC_ERROR_UNSORTED, spc_coo2_f64_i32_validate(&t));
  row[3] = 3;
  EXPECT_STATUS(SPC_ERROR_INDEX_RANGE, spc_coo2_f64_i32_validate(&t));
  t.row_ind = NULL;
  EXPECT_STATUS(SPC_ERROR_NULL, spc_coo2_f64_i32_validate(&t));
  t.nnz = 0, t.col_ind = NULL, t.values = NULL;
  EXPECT_STATUS(SPC_OK, spc_coo2_f64_i32_validate(&t));
  t.nnz = -1;
  EXPECT_STATUS(SPC_ERROR_COUNT, spc_coo2_f64_i32_validate(&t));
  t.nnz = 0, t.nrows = LARGE;
  EXPECT_STATUS(SPC_ERROR_INDEX_TYPE, spc_coo2_f64_i32_validate(&t));
}

static void check_vectors(void) {
  int32_t ind[3] = {0, 4, 9};
  spc_spvec_f64_i32 t = {10, 3, ind, v};
  EXPECT_STATUS(SPC_OK, spc_spvec_f64_i32_validate(&t));
  t.size = 9;
  EXPECT_STATUS(SPC_ERROR_INDEX_RANGE, spc_spvec_f64_i32_validate(&t));
  t.size = 10, ind[1] = 0;
  EXPECT_STATUS(SPC_ERROR_DUPLICATE, spc_spvec_f64_i32_validate(&t));
  ind[0] = 1;
  EXPECT_STATUS(SPC_ERROR_UNSORTED, spc_spvec_f64_i32_validate(&t));
}

static void check_compressed_roots(void) {
  int32_t rows[2] = {1, 4}, ptr[3] = {0, 1, 3}, cols[3] = {2, 0, 1};
  int32_t ptr2[4] = {0, 1, 2, 4}, inner[4] = {0, 0, 0, 5};
  spc_dcsr_f64_i32 t = {{5, 3}, 3, 2, rows, ptr, cols, v};
  spc_csf3_f64_i32 cube = {{5, 3, 6}, 4, 2, 3, rows, ptr, cols, ptr2, inner, v};
  const spc_csf3_201_f64_i32 turned = {{3, 6, 5}, 4, 2, 3, rows, ptr, cols, ptr2, inner, v};
  EXPECT_STATUS(SPC_OK, spc_dcsr_f64_i32_validate(&t));
  EXPECT_STATUS(SPC_OK, spc_csf3_f64_i32_validate(&cube));
  EXPECT_STATUS(SPC_OK, spc_csf3_201_f64_i32_validate(&turned));
  t.count_0 = -1;
  EXPECT_STATUS(SPC_ERROR_COUNT, spc_dcsr_f64_i32_validate(&t));
  t.count_0 = 1;
  EXPECT_STATUS(SPC_ERROR_POINTERS, spc_dcsr_f64_i32_validate(&t));
  t.count_0 = 2, rows[0] = 4;
  EXPECT_STATUS(SPC_ERROR_DUPLICATE, spc_dcsr_f64_i32_validate(&t));
  rows[0] = 5;
  EXPECT_STATUS(SPC_ERROR_INDEX_RANGE, spc_dcsr_f64_i32_validate(&t));
  t.nnz = 0, t.count_0 = 0, t.indices_0 = t.pointers_to_1 = t.indices_1 = NULL, t.values = NULL;
  EXPECT_STATUS(SPC_OK, spc_dcsr_f64_i32_validate(&t));
  rows[0] = 1;
  for (cube.count_1 = -1; cube.count_1 < 6; ++cube.count_1)
    EXPECT_STATUS(cube.count_1 < 0    ? SPC_ERROR_COUNT
                  : cube.count_1 == 3 ? SPC_OK
                                      : SPC_ERROR_POINTERS,
                  spc_csf3_f64_i32_validate(&cube));
  cube.count_1 = LARGE;
  EXPECT_STATUS(SPC_ERROR_INDEX_TYPE, spc_csf3_f64_i32_validate(&cube));
  cube.count_1 = 3, ptr2[1] = 3;
  EXPECT_STATUS(SPC_ERROR_POINTERS, spc_csf3_f64_i32_validate(&cube));
  ptr2[1] = 1, inner[2] = 5;
  EXPECT_STATUS(SPC_ERROR_DUPLICATE, spc_csf3_f64_i32_validate(&cube));
  cols[1] = 1, cols[2] = 0;
  EXPECT_STATUS(SPC_ERROR_UNSORTED, spc_csf3_f64_i32_validate(&cube));
}

static void check_dense_levels(void) {
  int32_t rows[2] = {1, 4}, ptr[3] = {0, 1, 2}, cols[2] = {2, 2}, wide_ptr[7] = {0, 1, 1, 1, 1, 1, 2};
  spc_cd_f64_i32 t = {{5, 3}, 6, 2, rows, v};
  spc_cdc_f64_i32 between = {{5, 3, 3}, 2, 2, rows, wide_ptr, cols, v};
  spc_dcd_f64_i32 last = {{2, 3, 4}, 8, 2, ptr, cols, v};
  const spc_ddc_f64_i32 first = {{2, 3, 3}, 2, wide_ptr, cols, v};
  EXPECT_STATUS(SPC_OK, spc_cd_f64_i32_validate(&t));
  EXPECT_STATUS(SPC_OK, spc_cdc_f64_i32_validate(&between));
  EXPECT_STATUS(SPC_OK, spc_dcd_f64_i32_validate(&last));
  EXPECT_STATUS(SPC_OK, spc_ddc_f64_i32_validate(&first));
  t.nnz = 5;
  EXPECT_STATUS(SPC_ERROR_COUNT, spc_cd_f64_i32_validate(&t));
  t.shape[1] = INT64_MAX;
  EXPECT_STATUS(SPC_ERROR_COUNT, spc_cd_f64_i32_validate(&t));
  last.shape[2] = 0, last.nnz = 0;
  EXPECT_STATUS(SPC_OK, spc_dcd_f64_i32_validate(&last));
  last.count_1 = 1;
  EXPECT_STATUS(SPC_ERROR_POINTERS, spc_dcd_f64_i32_validate(&last));
  between.shape[1] = 0, between.nnz = 0;
  EXPECT_STATUS(SPC_OK, spc_cdc_f64_i32_validate(&between));
}

static void check_dense(void) {
  spc_dense1_f64 line = spc_dense1_f64_make(v, 5);
  spc_dense2_f64 t = spc_dense2_f64_make(v, 2, 3);
  const spc_dense2_10_f64 columns = spc_dense2_10_f64_make(v, 2, 3);
  const spc_dense3_201_f64 turned = spc_dense3_201_f64_make(v, 2, 3, 4);
  EXPECT_STATUS(SPC_OK, spc_dense1_f64_validate(&line));
  EXPECT_STATUS(SPC_OK, spc_dense2_f64_validate(&t));
  EXPECT_STATUS(SPC_OK, spc_dense2_10_f64_validate(&columns));
  EXPECT_STATUS(SPC_OK, spc_dense3_201_f64_validate(&turned));
  EXPECT(t.strides[0] == 3 && t.strides[1] == 1);
  EXPECT(columns.strides[0] == 1 && columns.strides[1] == 2);
  EXPECT(turned.strides[0] == 3 && turned.strides[1] == 1 && turned.strides[2] == 6);
  line.stride = 2;
  EXPECT_STATUS(SPC_OK, spc_dense1_f64_validate(&line));
  line.stride = -2;
  EXPECT_STATUS(SPC_OK, spc_dense1_f64_validate(&line));
  line.stride = 0;
  EXPECT_STATUS(SPC_ERROR_STRIDE, spc_dense1_f64_validate(&line));
  line.size = 1;
  EXPECT_STATUS(SPC_OK, spc_dense1_f64_validate(&line));
  t.strides[0] = 2;
  EXPECT_STATUS(SPC_ERROR_STRIDE, spc_dense2_f64_validate(&t));
  t.strides[0] = -3;
  EXPECT_STATUS(SPC_ERROR_STRIDE, spc_dense2_f64_validate(&t));
  t.strides[0] = INT64_MAX;
  EXPECT_STATUS(SPC_ERROR_STRIDE, spc_dense2_f64_validate(&t));
  t.strides[0] = 100;
  EXPECT_STATUS(SPC_OK, spc_dense2_f64_validate(&t));
  t.values = NULL;
  EXPECT_STATUS(SPC_ERROR_NULL, spc_dense2_f64_validate(&t));
  t.shape[1] = 0;
  EXPECT_STATUS(SPC_OK, spc_dense2_f64_validate(&t));
  t.shape[0] = -1;
  EXPECT_STATUS(SPC_ERROR_SHAPE, spc_dense2_f64_validate(&t));
  EXPECT_STATUS(SPC_ERROR_NULL, spc_dense2_f64_validate(NULL));
}

int main(void) {
  check_csr();
  check_csr_variants();
  check_coo();
  check_vectors();
  check_compressed_roots();
  check_dense_levels();
  check_dense();
  return failures == 0 ? 0 : 1;
}
