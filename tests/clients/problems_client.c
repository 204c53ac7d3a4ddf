/* What a failed call tells beside its status: the argument, the field, the numbers. C11 and C++17, the latter from
 * problems_in_cpp_client.cpp. */
#include "power.h"
#include "sddmm.h"
#include "spgemm.h"
#include "spmv.h"

#include "expect.h"

static int32_t row_ptr[] = {0, 1, 2};
static int32_t col_ind[] = {1, 0};
static double values[] = {2, 3}, numbers[4];
static spc_csr_f64_i32 A;
static spc_dense1_f64 x, y;

static void reset(void) {
  const spc_csr_f64_i32 matrix = {2, 2, 2, row_ptr, col_ind, values};
  A = matrix;
  x = spc_dense1_f64_make(values, 2);
  y = spc_dense1_f64_make(numbers, 2);
}

static void expect_message(int line, const char *wanted, spc_status status, const spc_problem *problem) {
  char text[200];
  spc_status_message(text, sizeof text, status, problem);
  if (strcmp(text, wanted) != 0) {
    fprintf(stderr, "%s:%d: expected \"%s\", got \"%s\"\n", __FILE__, line, wanted, text);
    ++failures;
  }
  reset();
}
#define EXPECT_MESSAGE(wanted, call) expect_message(__LINE__, wanted, call, spc_last_problem())

/* Of calls without a context. */
static void test_arguments(void) {
  x.size = 3;
  EXPECT_MESSAGE("spmv: argument 2 (x): size is 3, where ncols of A is 2", spmv(&A, &x, &y));
  EXPECT(spc_last_problem()->argument == 1 && spc_last_problem()->dimension == 0);
  EXPECT(spc_last_problem()->found == 3 && spc_last_problem()->wanted == 2 && spc_last_problem()->numbers == 2);
  y.size = 7;
  EXPECT_MESSAGE("spmv: argument 3 (y): size is 7, where nrows of A is 2", spmv(&A, &x, &y));
  A.nrows = -1;
  EXPECT_MESSAGE("spmv: argument 1 (A): nrows is -1: shapes are negative, do not agree or do not fit the format",
                 spmv(&A, &x, &y));
  EXPECT_MESSAGE("spmv: argument 1 (A) is NULL", spmv(NULL, &x, &y));
  EXPECT_MESSAGE("spmv: argument 3 (y) is NULL", spmv(&A, &x, NULL));
  A.row_ptr = NULL;
  EXPECT_MESSAGE("spmv: argument 1 (A): row_ptr is NULL", spmv(&A, &x, &y));
  x.values = NULL;
  EXPECT_MESSAGE("spmv: argument 2 (x): values is NULL", spmv(&A, &x, &y));
  A.nnz = -3;
  EXPECT_MESSAGE("spmv: argument 1 (A): nnz is -3: a number of entries is negative or does not fit the structure",
                 spmv(&A, &x, &y));
  A.nnz = 5;
  EXPECT_MESSAGE("spmv: argument 1 (A): nnz is 5, where the end of row_ptr of A is 2", spmv(&A, &x, &y));
}

static void test_outputs(void) {
  static float few[] = {1, 1};
  static int32_t other[] = {1, 0};
  const spc_csr_f32_i32 S = {2, 2, 2, row_ptr, col_ind, few};
  spc_dense2_f32 B = spc_dense2_f32_make(few, 2, 1);
  const spc_dense2_f32 C = spc_dense2_f32_make(few, 2, 1);
  spc_csr_f32_i32 D = {2, 2, 3, NULL, NULL, few};
  EXPECT_MESSAGE("sddmm: argument 4 (D): nnz is 3, where nnz of S is 2", sddmm(&S, &B, &C, &D));
  D.nnz = 2;
  D.col_ind = other;
  EXPECT_MESSAGE("sddmm: argument 4 (D): col_ind: a structure is neither NULL nor the one that it must be, or lacks an "
                 "entry, or a plan is of others",
                 sddmm(&S, &B, &C, &D));
  B.shape[1] = 2, B.strides[1] = 2;
  EXPECT_MESSAGE("sddmm: argument 3 (B): shape[1] is 1, where shape[1] of A is 2", sddmm(&S, &B, &C, &D));
}

static void *no_memory(void *user, int64_t bytes, int64_t alignment) SPC_NOEXCEPT {
  (void)alignment;
  *SPC_DETAIL_CAST(int64_t *, user) = bytes;
  return NULL;
}
static void no_release(void *user, void *memory) SPC_NOEXCEPT {
  (void)user, (void)memory;
}

/* What there was no memory for: an intermediate result, whose size is known, and a result. */
static void test_memory(void) {
  int64_t asked = 0;
  spc_csr_f64_i32 C;
  spc_context context = spc_default_context();
  char wanted[100];
  context.user = &asked;
  context.allocate = no_memory;
  context.deallocate = no_release;
  EXPECT_MESSAGE("power: memory ran out for an intermediate result, of which 16 bytes were asked for",
                 power_ctx(&context, &A, &x));
  EXPECT_STATUS(SPC_ERROR_MEMORY, spgemm_ctx(&context, &A, &A, &C));
  sprintf(wanted, "spgemm: memory ran out for argument 3 (A), of which %d bytes were asked for", (int)asked);
  EXPECT_MESSAGE(wanted, SPC_ERROR_MEMORY);
  EXPECT(asked > 0 && spc_last_problem()->found == asked);
}

/* NAME_numeric's failures come late. */
static void test_numeric(void) {
  int32_t nothing[] = {0, 0, 0};
  spc_csr_f64_i32 C = {2, 2, 0, nothing, NULL, NULL};
  EXPECT_MESSAGE("spgemm: argument 3 (A): a structure is neither NULL nor the one that it must be, or lacks an entry, "
                 "or a plan is of others",
                 spgemm_numeric(&A, &A, &C, NULL));
}

static spc_problem noted;
static int notes;

static void note(void *user, const spc_problem *problem) SPC_NOEXCEPT {
  notes += user == &notes;
  noted = *problem;
}

/* A hook of the program's own, and those that are not there. */
static void test_hook(void) {
  spc_context context = spc_default_context();
  context.user = &notes;
  context.note = note;
  EXPECT_STATUS(SPC_OK, spmv_ctx(&context, &A, &x, &y));
  EXPECT(notes == 0);
  y.values = NULL;
  EXPECT_STATUS(SPC_ERROR_NULL, spmv_ctx(&context, &A, &x, &y));
  EXPECT(notes == 1 && noted.status == SPC_ERROR_NULL && strcmp(noted.name, "y") == 0 && noted.argument == 2);
  EXPECT(noted.struct_size == SPC_DETAIL_CAST(int64_t, sizeof noted) && strcmp(noted.field, "values") == 0);
  context.deallocate = no_release;
  EXPECT_STATUS(SPC_ERROR_CONTEXT, spmv_ctx(&context, &A, &x, &y));
  EXPECT(notes == 2 && strcmp(noted.kernel, "spmv") == 0 && noted.name == NULL && noted.argument == -1);
  context.deallocate = NULL;
  context.struct_size = SPC_DETAIL_CAST(int64_t, offsetof(spc_context, note)); /* of an older program */
  EXPECT_STATUS(SPC_ERROR_NULL, spmv_ctx(&context, &A, &x, &y));
  context.struct_size = SPC_DETAIL_CAST(int64_t, sizeof context);
  context.note = NULL;
  EXPECT_STATUS(SPC_ERROR_NULL, spmv_ctx(&context, &A, &x, &y));
  EXPECT_STATUS(SPC_ERROR_NULL, spmv_ctx(NULL, &A, &x, &y));
  EXPECT(notes == 2);
  reset();
}

/* Messages are cut to their buffers, and say what there is to say. */
static void test_messages(void) {
  char text[8] = "1234567";
  spc_problem none;
  memset(&none, 0, sizeof none);
  EXPECT(spc_status_message(text, 4, SPC_OK, NULL) == 8 && strcmp(text, "no ") == 0 && text[4] == '5');
  EXPECT(spc_status_message(NULL, 0, SPC_OK, &none) == 8);
  none.kernel = "k";
  none.status = SPC_ERROR_COUNT; /* of another call */
  EXPECT(spc_status_message(text, sizeof text, SPC_ERROR_MEMORY, &none) == 14 && strcmp(text, "memory ") == 0);
}

int main(void) {
  reset();
  test_arguments();
  test_outputs();
  test_memory();
  test_numeric();
  test_hook();
  test_messages();
  return failures != 0;
}
