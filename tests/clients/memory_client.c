/* A kernel that needs memory, with an allocator that counts and that fails on demand. */
#include "power.h"

#include "expect.h"

#include <stdlib.h>

typedef struct heap {
  int alive;
  int allocations;
  int fail_at; /* the allocation that fails; -1: none */
} heap;

static void *heap_allocate(void *user, int64_t bytes, int64_t alignment) SPC_NOEXCEPT {
  heap *h = (heap *)user;
  void *memory;
  EXPECT(bytes > 0 && alignment == 64);
  if (h->allocations++ == h->fail_at)
    return NULL;
  memory = malloc((size_t)bytes);
  if (memory != NULL)
    ++h->alive;
  return memory;
}

static void heap_deallocate(void *user, void *memory) SPC_NOEXCEPT {
  EXPECT(memory != NULL);
  --((heap *)user)->alive;
  free(memory);
}

static int32_t row_ptr[] = {0, 1, 2};
static int32_t col_ind[] = {1, 0};
static double values[] = {2, 3};
static const spc_csr_f64_i32 A = {2, 2, 2, row_ptr, col_ind, values};

static spc_context context_of(heap *h) {
  spc_context context = spc_default_context();
  context.user = h;
  context.allocate = heap_allocate;
  context.deallocate = heap_deallocate;
  return context;
}

static void test_hooks(void) {
  heap h = {0, 0, -1};
  const spc_context context = context_of(&h);
  double x_values[] = {5, 7};
  spc_dense1_f64 x = spc_dense1_f64_make(x_values, 2);
  EXPECT_STATUS(SPC_OK, power_ctx(&context, &A, &x));
  EXPECT(h.allocations > 0 && h.alive == 0);
  EXPECT_NEAR(14, x_values[0]);
  EXPECT_NEAR(15, x_values[1]);
  EXPECT_STATUS(SPC_OK, power(&A, &x));
  EXPECT_NEAR(30, x_values[0]);
}

static void test_out_of_memory(void) {
  heap all = {0, 0, -1};
  spc_context context = context_of(&all);
  double x_values[] = {5, 7};
  spc_dense1_f64 x = spc_dense1_f64_make(x_values, 2);
  int failing;
  EXPECT_STATUS(SPC_OK, power_ctx(&context, &A, &x));
  for (failing = 0; failing < all.allocations; ++failing) {
    heap h = {0, 0, 0};
    h.fail_at = failing;
    context = context_of(&h);
    x_values[0] = 5;
    x_values[1] = 7;
    EXPECT_STATUS(SPC_ERROR_MEMORY, power_ctx(&context, &A, &x));
    EXPECT(h.alive == 0);
    EXPECT(x_values[0] == 5 && x_values[1] == 7);
  }
}

/* Vectors whose elements lie apart are copied into memory of the context's, and back where nothing fails. */
static void test_strided_vectors(void) {
  heap packed = {0, 0, -1}, all = {0, 0, -1};
  spc_context context = context_of(&packed);
  double elements[] = {5, 7}, apart[] = {7, -1, -1, 5};
  spc_dense1_f64 x = spc_dense1_f64_make(elements, 2);
  int failing;
  EXPECT_STATUS(SPC_OK, power_ctx(&context, &A, &x));
  context = context_of(&all);
  x.stride = -3;
  x.values = apart + 3;
  EXPECT_STATUS(SPC_OK, power_ctx(&context, &A, &x));
  EXPECT(all.allocations == packed.allocations + 1 && all.alive == 0);
  EXPECT(apart[3] == elements[0] && apart[0] == elements[1] && apart[1] == -1 && apart[2] == -1);
  for (failing = 0; failing < all.allocations; ++failing) {
    heap h = {0, 0, 0};
    h.fail_at = failing;
    context = context_of(&h);
    apart[3] = 5;
    apart[0] = 7;
    EXPECT_STATUS(SPC_ERROR_MEMORY, power_ctx(&context, &A, &x));
    EXPECT(h.alive == 0);
    EXPECT(apart[3] == 5 && apart[0] == 7);
  }
}

static void test_malformed_contexts(void) {
  heap h = {0, 0, -1};
  spc_context context = context_of(&h);
  double x_values[] = {5, 7};
  spc_dense1_f64 x = spc_dense1_f64_make(x_values, 2);
  context.struct_size = 8;
  EXPECT_STATUS(SPC_ERROR_CONTEXT, power_ctx(&context, &A, &x));
  context = context_of(&h);
  context.deallocate = NULL;
  EXPECT_STATUS(SPC_ERROR_CONTEXT, power_ctx(&context, &A, &x));
  context = context_of(&h);
  context.allocate = NULL;
  EXPECT_STATUS(SPC_ERROR_CONTEXT, power_ctx(&context, &A, &x));
  EXPECT(h.allocations == 0 && x_values[0] == 5);
}

int main(void) {
  test_hooks();
  test_out_of_memory();
  test_strided_vectors();
  test_malformed_contexts();
  return failures != 0;
}
