/* spc/memory_pool.h in C: which blocks are used again, how much is held, who frees what. */
#include <spc/memory_pool.h>

#include "spgemm.h"

#include "expect.h"
#include "memory_pool_c.h"

#include <string.h>

enum { KIB = 1024, MIB = 1024 * 1024 };

static void *take(spc_memory_pool *pool, int64_t bytes) {
  void *memory = spc_memory_pool_allocate(pool, bytes);
  EXPECT(memory != NULL && (uintptr_t)memory % 64 == 0);
  if (memory != NULL)
    memset(memory, 0x5a, (size_t)bytes);
  return memory;
}

static void give(spc_memory_pool *pool, void *memory) {
  spc_memory_pool_deallocate(pool, memory);
}

static void test_reuse(spc_memory_pool *pool) {
  const int64_t sizes[] = {1, 15, 16, 64, 1000, 100 * KIB, 3 * MIB};
  size_t n;
  for (n = 0; n < sizeof sizes / sizeof *sizes; ++n) {
    char *memory = take(pool, sizes[n]);
    const int64_t held = spc_memory_pool_held(pool);
    give(pool, memory);
    EXPECT(take(pool, sizes[n]) == memory);
    EXPECT(spc_memory_pool_held(pool) == held);
    give(pool, memory);
    EXPECT(take(pool, sizes[n] - sizes[n] / 16) == memory);
    give(pool, memory);
  }
  give(pool, NULL);
}

/* Two blocks at once are two blocks; what is larger than all is new, and what is kept goes for it. */
static void test_held(void) {
  spc_memory_pool pool;
  void *first, *second;
  int64_t held;
  int round;
  spc_memory_pool_init(&pool, NULL);
  EXPECT(spc_memory_pool_held(&pool) == 0);
  first = take(&pool, MIB);
  second = take(&pool, MIB);
  EXPECT(first != second);
  give(&pool, first);
  give(&pool, second);
  held = spc_memory_pool_held(&pool);
  EXPECT(held >= 2 * MIB && held < 3 * MIB);
  give(&pool, take(&pool, 8 * MIB));
  held = spc_memory_pool_held(&pool);
  EXPECT(held >= 8 * MIB && held <= 10 * MIB);
  for (round = 0; round < 10; ++round) { /* calls that want blocks in turn come to a fixed set of them */
    held = spc_memory_pool_held(&pool);
    first = take(&pool, 100 * KIB);
    second = take(&pool, 5 * MIB);
    give(&pool, first);
    first = take(&pool, 2 * MIB);
    give(&pool, second);
    give(&pool, first);
    give(&pool, take(&pool, 8 * MIB));
    EXPECT(round < 3 || spc_memory_pool_held(&pool) == held);
  }
  EXPECT(held < 32 * MIB);
  first = take(&pool, MIB);
  spc_memory_pool_trim(&pool, INT64_MAX);
  EXPECT(spc_memory_pool_held(&pool) == held);
  spc_memory_pool_trim(&pool, 0);
  held = spc_memory_pool_held(&pool);
  EXPECT(held >= MIB && held <= 20 * MIB);
  give(&pool, first);
  spc_memory_pool_trim(&pool, 0);
  EXPECT(spc_memory_pool_held(&pool) == 0);
  spc_memory_pool_destroy(&pool);
}

/* Blocks of whole huge pages count as what they take. */
static void test_most(void) {
  spc_memory_pool pool;
  void *blocks[4];
  int b;
  spc_memory_pool_init(&pool, NULL);
  for (b = 0; b < 4; ++b)
    blocks[b] = take(&pool, b == 0 ? 3 * MIB : 450 * KIB);
  for (b = 0; b < 4; ++b)
    give(&pool, blocks[b]);
  give(&pool, take(&pool, 4 * MIB + 100 * KIB));
  EXPECT(spc_memory_pool_held(&pool) <= 6 * MIB);
  spc_memory_pool_destroy(&pool);
}

static void test_refused(spc_memory_pool *pool) {
  EXPECT(spc_memory_pool_allocate(pool, INT64_MAX) == NULL);
  EXPECT(spc_memory_pool_allocate(pool, -1) == NULL);
  EXPECT(spc_memory_pool_allocate(pool, INT64_MIN) == NULL);
}

static void count_tasks(void *user, int64_t tasks, void (*task)(void *closure, int64_t index),
                        void *closure) SPC_NOEXCEPT {
  *(int64_t *)user += tasks;
  while (tasks-- > 0)
    task(closure, tasks);
}

/* Products on the threads of another context; the second one takes no memory from the system. */
static void test_kernel(void) {
  enum { rows = 5000 };
  static int32_t row_ptr[rows + 1], col_ind[2 * rows];
  static double values[2 * rows];
  spc_memory_pool pool;
  spc_context context, threads = spc_default_context();
  spc_csr_f64_i32 A = {rows, rows, 2 * rows, row_ptr, col_ind, values}, square, kept;
  int64_t tasks = 0, held;
  int32_t i;
  for (i = 0; i < rows; ++i) {
    row_ptr[i + 1] = 2 * (i + 1);
    col_ind[2 * i] = i < rows - 1 ? i : 0;
    col_ind[2 * i + 1] = i < rows - 1 ? i + 1 : i;
    values[2 * i] = values[2 * i + 1] = 1;
  }
  threads.user = &tasks;
  threads.parallel_for = count_tasks;
  spc_memory_pool_init(&pool, &threads);
  context = spc_memory_pool_context(&pool);
  EXPECT_STATUS(SPC_OK, spgemm_ctx(&context, &A, &A, &kept)); /* freed with the pool */
  EXPECT(tasks > 1);
  EXPECT_STATUS(SPC_OK, spgemm_ctx(&context, &A, &A, &square));
  EXPECT(square.nnz == kept.nnz && square.values[1] == 2);
  spc_csr_f64_i32_free_ctx(&context, &square);
  EXPECT(square.values == NULL && square.nnz == 0);
  held = spc_memory_pool_held(&pool);
  for (i = 0; i < 3; ++i) {
    EXPECT_STATUS(SPC_OK, spgemm_ctx(&context, &A, &A, &square));
    spgemm_free_ctx(&context, &square);
    EXPECT(spc_memory_pool_held(&pool) == held);
  }
  spc_memory_pool_destroy(&pool);
}

int test_pool_in_c(void) {
  spc_memory_pool pool;
  spc_context context;
  spc_memory_pool_init(&pool, NULL);
  context = spc_memory_pool_context(&pool);
  EXPECT(context.parallel_for == spc_default_context().parallel_for && context.user == &pool);
  test_reuse(&pool);
  test_refused(&pool);
  spc_memory_pool_destroy(&pool);
  test_held();
  test_most();
  test_kernel();
  return failures;
}
