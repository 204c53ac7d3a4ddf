/* Memory hooks that count and that fail on demand, from any thread: C11 and C++17. */
#ifndef SPC_TESTS_COUNTING_HEAP_H
#define SPC_TESTS_COUNTING_HEAP_H

#include <stdint.h>
#include <stdlib.h>

typedef struct counting_heap {
  int64_t alive;       /* blocks that are not released */
  int64_t allocations; /* asked for */
  int64_t fail_at;     /* the allocation that fails; -1: none */
  int64_t refused;     /* asked for with no bytes or not aligned to 64; released but NULL */
} counting_heap;

static void *counting_allocate(void *user, int64_t bytes, int64_t alignment) SPC_NOEXCEPT {
  counting_heap *heap = (counting_heap *)user;
  void *memory;
  if (bytes <= 0 || alignment != 64)
    __atomic_fetch_add(&heap->refused, 1, __ATOMIC_RELAXED);
  if (__atomic_fetch_add(&heap->allocations, 1, __ATOMIC_RELAXED) == heap->fail_at)
    return NULL;
  memory = aligned_alloc((size_t)alignment, ((size_t)bytes + 63) / 64 * 64);
  if (memory == NULL)
    abort();
  __atomic_fetch_add(&heap->alive, 1, __ATOMIC_RELAXED);
  return memory;
}

static void counting_deallocate(void *user, void *memory) SPC_NOEXCEPT {
  counting_heap *heap = (counting_heap *)user;
  if (memory == NULL)
    __atomic_fetch_add(&heap->refused, 1, __ATOMIC_RELAXED);
  __atomic_fetch_sub(&heap->alive, 1, __ATOMIC_RELAXED);
  free(memory);
}

#endif
