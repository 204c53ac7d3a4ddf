/* Uses each part of the convention as its version 4 has it; compiled against the headers that lie here. C11 and C++. */
#include "halves.h"
#include "norms.h"
#include "product.h"
#include "sampled.h"
#include "spmv.h"

#include <stdio.h>
#include <stdlib.h>

#define CHECK(condition)                                                                                               \
  do {                                                                                                                 \
    if (!(condition)) {                                                                                                \
      printf("line %d: %s does not hold\n", __LINE__, #condition);                                                     \
      exit(1);                                                                                                         \
    }                                                                                                                  \
  } while (0)

static int64_t live;

static void *counted_allocate(void *user, int64_t bytes, int64_t alignment) SPC_NOEXCEPT {
  CHECK(bytes > 0 && alignment == 64);
  ++*SPC_DETAIL_CAST(int64_t *, user);
  return malloc(SPC_DETAIL_CAST(size_t, bytes));
}

static void counted_deallocate(void *user, void *memory) SPC_NOEXCEPT {
  *SPC_DETAIL_CAST(int64_t *, user) -= memory != NULL;
  free(memory);
}

static void backwards(void *user, int64_t tasks, void (*task)(void *closure, int64_t index),
                      void *closure) SPC_NOEXCEPT {
  (void)user;
  while (tasks-- > 0)
    task(closure, tasks);
}

static spc_context counting_context(void) {
  spc_context context = spc_default_context();
  context.user = &live;
  context.allocate = counted_allocate;
  context.deallocate = counted_deallocate;
  context.parallel_for = backwards;
  return context;
}

/* 2 0 1
 * 0 3 0 */
static int32_t pointers[] = {0, 2, 3}, rows[] = {0, 0, 1}, columns[] = {0, 2, 1};
static double entries[] = {2, 1, 3};

static void call_spmv(void) {
  double x[] = {1, 2, 3}, y[] = {10, 20};
  spc_csr_f64_i32 A = {2, 3, 3, pointers, columns, entries};
  spc_dense1_f64 in = spc_dense1_f64_make(x, 3), out = spc_dense1_f64_make(y, 2);
  double alpha = 2;
  void *arguments[4];
  arguments[0] = &alpha, arguments[1] = &A, arguments[2] = &in, arguments[3] = &out;
  CHECK(spc_csr_f64_i32_validate(&A) == SPC_OK && spc_dense1_f64_validate(&in) == SPC_OK);
  CHECK(spmv(alpha, &A, &in, &out) == SPC_OK);
  CHECK(y[0] == 20 && y[1] == 32);
  CHECK(spmv_argv(NULL, arguments) == SPC_OK);
  CHECK(y[0] == 30 && y[1] == 44);
  CHECK(strstr(spc_signature_spmv, "\"spc_abi\":5,") != NULL);
  in.size = 4;
  CHECK(spmv(alpha, &A, &in, &out) == SPC_ERROR_SHAPE);
  A.nnz = 7;
  in.size = 3;
  CHECK(spmv_argv(NULL, arguments) == SPC_ERROR_COUNT);
  CHECK(strcmp(spc_status_string(SPC_ERROR_STRIDE), "a dense tensor's strides cannot be used") == 0);
}

static void call_product(void) {
  int32_t right_pointers[] = {0, 1, 1, 2}, right_columns[] = {1, 0};
  double right_entries[] = {5, 7};
  spc_csr_f64_i32 A = {2, 3, 3, pointers, columns, entries},
                  B = {3, 2, 2, right_pointers, right_columns, right_entries};
  spc_csr_f64_i32 C;
  spc_plan plan;
  const spc_context context = counting_context();
  CHECK(product(&A, &B, &C) == SPC_OK);
  CHECK(C.nrows == 2 && C.ncols == 2 && C.nnz == 2 && C.row_ptr[1] == 2 && C.row_ptr[2] == 2);
  CHECK(C.col_ind[0] == 0 && C.values[0] == 7 && C.values[1] == 10);
  product_free(&C);
  CHECK(C.values == NULL && C.nnz == 0);
  CHECK(product_symbolic_ctx(&context, &A, &B, &C, NULL) == SPC_OK && C.values == NULL && C.nnz == 2);
  CHECK(product_numeric_ctx(&context, &A, &B, &C, NULL) == SPC_OK && C.values[1] == 10 && live > 0);
  product_free_ctx(&context, &C);
  CHECK(live == 0);
  CHECK(product_symbolic_ctx(&context, &A, &B, &C, &plan) == SPC_OK && plan.memory != NULL && plan.bytes > 0);
  CHECK(product_numeric_ctx(&context, &A, &B, &C, &plan) == SPC_OK && C.values[1] == 10);
  spc_plan_free_ctx(&context, &plan);
  product_free_ctx(&context, &C);
  CHECK(live == 0);
}

static void call_sampled(void) {
  double left[] = {1, 2}, right[] = {1, 2, 3}, results[3];
  const spc_dense2_f64 A = spc_dense2_f64_make(left, 2, 1), B = spc_dense2_f64_make(right, 3, 1);
  const spc_coo2_f64_i32 S = {2, 3, 3, rows, columns, entries};
  spc_coo2_f64_i32 D = {0, 0, 0, NULL, NULL, NULL};
  D.values = results;
  CHECK(sampled(&A, &B, &S, &D) == SPC_OK);
  CHECK(D.nnz == 3 && D.row_ind == rows && results[0] == 2 && results[1] == 3 && results[2] == 12);
  D.col_ind = rows;
  CHECK(sampled(&A, &B, &S, &D) == SPC_ERROR_PATTERN);
}

static void call_norms(void) {
  int32_t first[16] = {0}, last_row[] = {1}, last_column[] = {2};
  double values[16] = {3}, last[] = {4}, s = 0;
  const spc_ell8_f64_i32 A = {2, 3, first, values};
  const spc_coo2_f64_i32 rest = {2, 3, 1, last_row, last_column, last};
  const spc_cf64 z = {1, 2};
  spc_cf64 w = {0, 0};
  CHECK(norms(&z, &A, &rest, &s, &w) == SPC_OK);
  CHECK(s == 25 && w.re == -3 && w.im == 4);
#ifdef SPC_DETAIL_NAMED_ARGUMENTS
  const spc_context context = counting_context();
  s = 0;
  CHECK(norms_ctx(&context, {.z = z, .A_0 = A, .A_1 = rest, .s = s, .w = w}) == SPC_OK && s == 25);
#endif
}

static void call_halves(void) {
  spc_f16 h = spc_f16_from_float(1.5f), x[2];
  spc_bf16 b = spc_bf16_from_float(-2.0f);
  float y[2] = {0, 0};
  spc_dense1_f16 in = spc_dense1_f16_make(x, 2);
  spc_dense1_f32 out = spc_dense1_f32_make(y, 2);
  void *arguments[4];
  arguments[0] = &h, arguments[1] = &b, arguments[2] = &in, arguments[3] = &out;
  x[0] = spc_f16_from_float(4.0f), x[1].bits = 0x3c00;
  CHECK(halves(h, b, &in, &out) == SPC_OK && y[0] == -12 && y[1] == -3);
  h.bits = 0x4200;
  CHECK(halves_argv(NULL, arguments) == SPC_OK && y[0] == -24 && y[1] == -6);
}

int main(void) {
  call_spmv();
  call_product();
  call_sampled();
  call_norms();
  call_halves();
  return 0;
}
