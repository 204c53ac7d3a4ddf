/* What is tested of every kernel that assembles, with the including program's way to run tasks: C11 and C++17. */
#ifndef SPC_TESTS_ASSEMBLY_TESTS_H
#define SPC_TESTS_ASSEMBLY_TESTS_H

#include "assembly_cases.h"
#include "counting_heap.h"

#include "expect.h"

typedef void parallel_for(void *user, int64_t tasks, void (*task)(void *closure, int64_t index),
                          void *closure) SPC_NOEXCEPT;
typedef spc_status kernel_call(const spc_context *, output *);

static counting_heap heap;
static parallel_for *run_tasks; /* NULL: on the calling thread */

/* A fresh heap; `fail_at` as there. The threads cost nothing. */
static spc_context counting_context(int64_t fail_at) {
  static int32_t cost = 0;
  spc_context context = spc_default_context();
  heap.alive = heap.allocations = heap.refused = 0;
  heap.fail_at = fail_at;
  context.user = &heap;
  context.allocate = counting_allocate;
  context.deallocate = counting_deallocate;
  context.parallel_for = run_tasks;
  context.parallel_cost = &cost;
  return context;
}

#define EXPECT_OF(test, condition)                                                                                     \
  do {                                                                                                                 \
    const int is_met = (condition);                                                                                    \
    if (!is_met) {                                                                                                     \
      fprintf(stderr, "%s:%d: %s: expected %s\n", __FILE__, __LINE__, (test)->name, #condition);                       \
      ++failures;                                                                                                      \
    }                                                                                                                  \
  } while (0)

#define EXPECT_STATUS_OF(test, expected, call)                                                                         \
  do {                                                                                                                 \
    const spc_status status_of = (call);                                                                               \
    if (status_of != (expected))                                                                                       \
      fprintf(stderr, "%s: ", (test)->name);                                                                           \
    EXPECT_STATUS(expected, status_of);                                                                                \
  } while (0)

/* An output that was never set. */
static output garbage(void) {
  output A;
  memset(&A, 0x5a, sizeof A);
  return A;
}

static int same_words(const output *A, const output *B) {
  return memcmp(A, B, sizeof *A) == 0;
}

static double **values_of(const assembly_case *test, output *A) {
  return &A->arrays[test->words - 1];
}

/* What the output's places hold, row by row: worked out once a case and its operands. */
static const double *expected_of(const assembly_case *test) {
  static const assembly_case *of_test = NULL;
  static int64_t of_rows;
  static int of_scale, of_more;
  static double *expected = NULL;
  const int64_t count = given.rows * test->columns;
  int64_t n;
  if (test == of_test && of_rows == given.rows && of_scale == given.scale && of_more == given.has_more)
    return expected;
  free(expected);
  expected = (double *)array_of(count, sizeof *expected);
  for (n = 0; n < count; ++n)
    expected[n] = test->expected(n / test->columns, n % test->columns);
  of_test = test;
  of_rows = given.rows;
  of_scale = given.scale;
  of_more = given.has_more;
  return expected;
}

/* Whether the output is well formed and holds what is expected. */
static int is_right(const assembly_case *test, const output *A) {
  const double *expected = expected_of(test);
  const int64_t count = given.rows * test->columns;
  double *dense = (double *)calloc((size_t)count + 1, sizeof *dense);
  int64_t n, wrong = test->validate(A) != SPC_OK;
  if (wrong == 0) {
    test->read(A, dense);
    for (n = 0; n < count; ++n)
      wrong += dense[n] != expected[n];
  }
  free(dense);
  return wrong == 0;
}

/* Everything but the sizes is 0 or NULL. */
static int is_empty(const assembly_case *test, const output *A) {
  int w, used = 0;
  for (w = test->order; w < test->words; ++w)
    used += A->words[w] != 0;
  return used == 0;
}

static void expect_released(const assembly_case *test, const spc_context *context, output *A) {
  test->release(context, A);
  EXPECT_OF(test, is_empty(test, A));
  EXPECT_OF(test, heap.alive == 0 && heap.refused == 0);
  test->release(context, A);
  test->release(context, NULL);
  EXPECT_OF(test, heap.alive == 0 && heap.refused == 0);
}

static void test_one_call(const assembly_case *test) {
  const spc_context context = counting_context(-1);
  output A = garbage();
  EXPECT_STATUS_OF(test, SPC_OK, test->call(&context, &A));
  EXPECT_OF(test, is_right(test, &A));
  EXPECT_OF(test, heap.alive > 0 && heap.alive <= test->words - test->order);
  expect_released(test, &context, &A);
}

/* malloc and free. */
static void test_default_context(const assembly_case *test) {
  output A = garbage();
  EXPECT_STATUS_OF(test, SPC_OK, test->plain_call(&A));
  EXPECT_OF(test, is_right(test, &A));
  test->plain_release(&A);
  EXPECT_OF(test, is_empty(test, &A));
  test->plain_release(&A);
  test->plain_release(NULL);
  EXPECT_STATUS_OF(test, SPC_OK, test->plain_symbolic(&A));
  EXPECT_STATUS_OF(test, SPC_OK, test->plain_numeric(&A));
  EXPECT_OF(test, is_right(test, &A));
  free(*values_of(test, &A)); /* the arrays are the caller's to free one by one, too */
  *values_of(test, &A) = NULL;
  test->plain_release(&A);
  EXPECT_STATUS_OF(test, SPC_OK, test->call(NULL, &A));
  EXPECT_OF(test, is_right(test, &A));
  test->release(NULL, &A);
}

/* The pattern is worked out without values, and filled as often as these change. */
static void test_phases(const assembly_case *test) {
  const spc_context context = counting_context(-1);
  output A = garbage(), before;
  double *const operand_values = ((double **)(void *)test->first)[test->first_words - 1];
  test->first[test->first_words - 1] = 0;
  EXPECT_STATUS_OF(test, SPC_OK, test->symbolic(&context, &A));
  ((double **)(void *)test->first)[test->first_words - 1] = operand_values;
  EXPECT_OF(test, *values_of(test, &A) == NULL);
  EXPECT_STATUS_OF(test, SPC_OK, test->numeric(&context, &A));
  EXPECT_OF(test, is_right(test, &A));
  before = A;
  free_operands();
  make_operands(given.rows, -3, given.has_more);
  EXPECT_OF(test, !is_right(test, &A));
  EXPECT_STATUS_OF(test, SPC_OK, test->numeric(&context, &A));
  EXPECT_OF(test, same_words(&before, &A));
  EXPECT_OF(test, is_right(test, &A));
  free_operands();
  make_operands(given.rows, 1, given.has_more);
  expect_released(test, &context, &A);
}

/* Values go where the caller wants them. */
static void test_own_values(const assembly_case *test) {
  const spc_context context = counting_context(-1);
  output A = garbage(), before;
  double *own, *allocated;
  int64_t arrays;
  EXPECT_STATUS_OF(test, SPC_OK, test->call(&context, &A));
  arrays = heap.alive;
  allocated = *values_of(test, &A);
  own = (double *)array_of(A.words[test->order], sizeof *own);
  memset(own, 0x5a, (size_t)A.words[test->order] * sizeof *own);
  *values_of(test, &A) = own;
  before = A;
  EXPECT_STATUS_OF(test, SPC_OK, test->numeric(&context, &A));
  EXPECT_OF(test, same_words(&before, &A));
  EXPECT_OF(test, heap.alive == arrays);
  EXPECT_OF(test, is_right(test, &A));
  free(own);
  *values_of(test, &A) = allocated;
  expect_released(test, &context, &A);
}

/* A pattern without place for all entries, which takes some rows. */
static void test_wrong_pattern(const assembly_case *test) {
  const spc_context context = counting_context(-1);
  output A = garbage(), before;
  const int64_t rows = given.rows, enough = 20;
  int64_t arrays;
  int round;
  free_operands();
  make_operands(enough, 1, 0);
  EXPECT_STATUS_OF(test, SPC_OK, test->symbolic(&context, &A));
  arrays = heap.alive;
  before = A;
  free_operands();
  make_operands(enough, 1, 1);
  for (round = 0; round < 2; ++round) { /* without an array of values, and with one */
    EXPECT_STATUS_OF(test, SPC_ERROR_PATTERN, test->numeric(&context, &A));
    EXPECT_OF(test, same_words(&before, &A));
    EXPECT_OF(test, heap.alive == arrays);
    if (round == 0)
      *values_of(test, &A) = (double *)array_of(A.words[test->order], sizeof(double));
    before = A;
  }
  free(*values_of(test, &A));
  *values_of(test, &A) = NULL;
  free_operands();
  make_operands(rows, 1, 0);
  expect_released(test, &context, &A);
}

/* With the n-th allocation failing, for every n, until the call needs no more than n; where only memory for a faster
 * way is refused, it succeeds all the same. Returns n, and A of the last call. */
static int64_t fail_each_allocation(const assembly_case *test, kernel_call *call, output *A, const output *start) {
  int64_t n;
  for (n = 0;; ++n) {
    const spc_context context = counting_context(n);
    spc_status status;
    *A = *start;
    status = call(&context, A);
    EXPECT_OF(test, heap.refused == 0);
    if (status != SPC_ERROR_MEMORY) {
      EXPECT_STATUS_OF(test, SPC_OK, status);
      if (status != SPC_OK || heap.allocations <= n)
        return n;
      EXPECT_OF(test, call != test->numeric);
      test->plain_release(A);
      continue;
    }
    EXPECT_OF(test, heap.alive == 0);
    EXPECT_OF(test, same_words(A, start));
  }
}

static void test_out_of_memory(const assembly_case *test) {
  output start = garbage(), A, pattern;
  EXPECT_OF(test, fail_each_allocation(test, test->call, &A, &start) >= 3);
  EXPECT_OF(test, is_right(test, &A));
  test->plain_release(&A); /* which takes its memory from malloc, as the counting heap does */
  EXPECT_OF(test, fail_each_allocation(test, test->symbolic, &pattern, &start) >= 2);
  EXPECT_OF(test, fail_each_allocation(test, test->numeric, &A, &pattern) >= 1);
  EXPECT_OF(test, is_right(test, &A));
  test->plain_release(&A);
}

/* Each function refuses what it is given, leaves the output alone and keeps nothing. */
static void expect_refused(const assembly_case *test, spc_status status, const spc_context *context) {
  kernel_call *const calls[] = {test->call, test->symbolic};
  size_t c;
  for (c = 0; c < sizeof calls / sizeof *calls; ++c) {
    output A = garbage();
    const output before = A;
    EXPECT_STATUS_OF(test, status, calls[c](context, &A));
    EXPECT_OF(test, same_words(&before, &A));
    EXPECT_OF(test, heap.alive == 0);
  }
}

static void test_wrong_operands(const assembly_case *test) {
  const spc_context context = counting_context(-1);
  const int first_array = test->first_words == 12 ? 6 : 3; /* CSF: three counts */
  output A = garbage(), before = A;
  int w;
  for (w = 0; w < test->first_words; ++w) {
    int64_t *const word = &test->first[w];
    const int64_t kept = *word;
    *word = w < first_array ? -1 : 0;
    if (w < test->words - 1 || w < test->first_words - 1)
      expect_refused(test,
                     w < test->first_order ? SPC_ERROR_SHAPE
                     : w < first_array     ? SPC_ERROR_COUNT
                                           : SPC_ERROR_NULL,
                     &context);
    else {
      EXPECT_STATUS_OF(test, SPC_ERROR_NULL, test->call(&context, &A));
      EXPECT_OF(test, same_words(&before, &A));
    }
    *word = kept;
  }
  if (test->is_shared_size) {
    ++test->first[test->first_order - 1];
    expect_refused(test, SPC_ERROR_SHAPE, &context);
    --test->first[test->first_order - 1];
  }
  EXPECT_STATUS_OF(test, SPC_ERROR_NULL, test->call(&context, NULL));
  EXPECT_STATUS_OF(test, SPC_ERROR_NULL, test->symbolic(&context, NULL));
  EXPECT_STATUS_OF(test, SPC_ERROR_NULL, test->numeric(&context, NULL));
}

/* The numeric phase takes a pattern, and checks it as an operand's. */
static void test_wrong_numeric(const assembly_case *test) {
  const spc_context context = counting_context(-1);
  output A = garbage(), pattern;
  int w;
  EXPECT_STATUS_OF(test, SPC_OK, test->symbolic(&context, &A));
  pattern = A;
  for (w = 0; w < test->words - 1; ++w) {
    output before;
    A.words[w] = w < test->order ? pattern.words[w] + 1 : w == test->order ? -1 : 0;
    before = A;
    if (A.words[w] == pattern.words[w])
      continue;
    EXPECT_STATUS_OF(test,
                     w < test->order                                ? SPC_ERROR_SHAPE
                     : w < test->words - (test->order == 3 ? 6 : 3) ? SPC_ERROR_COUNT
                                                                    : SPC_ERROR_NULL,
                     test->numeric(&context, &A));
    EXPECT_OF(test, same_words(&before, &A));
    A = pattern;
  }
  expect_released(test, &context, &A);
}

static void test_wrong_contexts(const assembly_case *test) {
  spc_context context = counting_context(-1);
  output A = garbage(), before = A;
  int kind;
  for (kind = 0; kind < 3; ++kind) {
    context = counting_context(-1);
    if (kind == 0)
      context.struct_size = 8;
    else if (kind == 1)
      context.allocate = NULL;
    else
      context.deallocate = NULL;
    expect_refused(test, SPC_ERROR_CONTEXT, &context);
    EXPECT_STATUS_OF(test, SPC_ERROR_CONTEXT, test->numeric(&context, &A));
    EXPECT_OF(test, same_words(&before, &A) && heap.allocations == 0);
  }
}

static void test_assembling(const assembly_case *test) {
  test_one_call(test);
  test_default_context(test);
  test_phases(test);
  test_own_values(test);
  test_wrong_pattern(test);
  test_out_of_memory(test);
  test_wrong_operands(test);
  test_wrong_numeric(test);
  test_wrong_contexts(test);
}

#endif
