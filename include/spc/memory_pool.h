/* A pool that keeps memory from one call of a kernel to the next, as a context. C11 and C++, gcc and clang, POSIX
 * threads.
 *
 *     #include <spc/memory_pool.h>
 *     #include "spgemm.h"
 *
 *     spc_memory_pool pool;
 *     spc_context context;
 *     spc_memory_pool_init(&pool, NULL);
 *     context = spc_memory_pool_context(&pool);
 *     status = spgemm_ctx(&context, &A, &B, &C);
 *     spgemm_free_ctx(&context, &C);  not spgemm_free(), nor free(): the pool keeps the arrays for the next call
 *     spc_memory_pool_destroy(&pool);
 *
 * Memory that is new to a program has to be cleared by the system first, page by page, which takes longer than many a
 * kernel that writes it. A pool holds at most as many bytes as were in use at one time since it was initialised or
 * trimmed. Any number of threads may use it at once, but for its first and last call, and blocks may be given back by
 * another thread than they were taken by. Goes behind spc/pool.h, where a program includes that.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SPC_MEMORY_POOL_H
#define SPC_MEMORY_POOL_H

#include "spc.h"

#include <pthread.h>
#include <stdlib.h>

#if !defined(__cplusplus) && __STDC_VERSION__ < 201112L
#error "spc/memory_pool.h needs C11: compile with -std=c11 or later"
#endif

/* Blocks have sizes of eight steps from one power of two to the next. */
#define SPC_MEMORY_POOL_STEPS 8
#define SPC_MEMORY_POOL_CLASSES (60 * SPC_MEMORY_POOL_STEPS)
/* Bytes in front of what a caller gets, and its alignment: a cache line. */
#define SPC_MEMORY_POOL_FRONT 64

typedef struct spc_memory_block {
  int64_t bytes; /* all of it */
  struct spc_memory_block *next, *previous;
} spc_memory_block;

/* Its fields are its own: use the functions below. It must not be moved while it is in use. */
typedef struct spc_memory_pool {
  spc_context threads;      /* whose parallel_for calls use; a struct_size of 0: that of plain functions */
  pthread_mutex_t mutex;    /* of what follows */
  spc_memory_block *in_use; /* linked both ways */
  int64_t used, held, most; /* bytes in use; with those that are kept; in use at one time at most */
  spc_memory_block *kept[SPC_MEMORY_POOL_CLASSES]; /* by the largest class whose size a block has */
} spc_memory_pool;

#if defined(__linux__) && UINTPTR_MAX > UINT32_MAX
#define SPC_MEMORY_POOL_HUGE_PAGE (SPC_DETAIL_CAST(int64_t, 1) << 21)
#ifdef __cplusplus
extern "C" {
#endif
/* Declared by <sys/mman.h> for those alone who ask for more than POSIX. */
extern int spc_memory_pool_advise(void *memory, size_t bytes, int advice) __asm__("madvise");
#ifdef __cplusplus
}
#endif
#endif

/* The largest class of at most so many bytes, which are 64 or more. */
static inline int spc_memory_pool_class(int64_t bytes) {
  const int shift = 60 - __builtin_clzll(SPC_DETAIL_CAST(unsigned long long, bytes));
  return shift * SPC_MEMORY_POOL_STEPS + SPC_DETAIL_CAST(int, bytes >> shift) - SPC_MEMORY_POOL_STEPS;
}

static inline int64_t spc_memory_pool_size(int klass) {
  return SPC_DETAIL_CAST(int64_t, SPC_MEMORY_POOL_STEPS + klass % SPC_MEMORY_POOL_STEPS)
         << klass / SPC_MEMORY_POOL_STEPS;
}

/* The size that blocks of so many bytes are aligned to and whole multiples of: huge pages where there are such. */
static inline int64_t spc_memory_pool_alignment(int64_t bytes) {
#ifdef SPC_MEMORY_POOL_HUGE_PAGE
  if (bytes >= SPC_MEMORY_POOL_HUGE_PAGE)
    return SPC_MEMORY_POOL_HUGE_PAGE;
#endif
  (void)bytes;
  return SPC_MEMORY_POOL_FRONT;
}

/* Memory of the system, as many bytes as a block may have. */
static inline spc_memory_block *spc_memory_pool_obtain(int64_t bytes) {
  void *memory;
  if (bytes != SPC_DETAIL_CAST(int64_t, SPC_DETAIL_CAST(size_t, bytes)))
    return NULL;
  memory = aligned_alloc(SPC_DETAIL_CAST(size_t, spc_memory_pool_alignment(bytes)), SPC_DETAIL_CAST(size_t, bytes));
  if (memory == NULL)
    return NULL;
#ifdef SPC_MEMORY_POOL_HUGE_PAGE
  if (bytes >= SPC_MEMORY_POOL_HUGE_PAGE)
    (void)spc_memory_pool_advise(memory, SPC_DETAIL_CAST(size_t, bytes), 14 /* MADV_HUGEPAGE */);
#endif
  SPC_DETAIL_CAST(spc_memory_block *, memory)->bytes = bytes;
  return SPC_DETAIL_CAST(spc_memory_block *, memory);
}

/* Takes a kept block of one of the classes from `first` to `last`, the smallest one; NULL where there is none. The
 * mutex is held, as for all that follows up to the hooks. */
static inline spc_memory_block *spc_memory_pool_take(spc_memory_pool *pool, int first, int last) {
  int klass;
  for (klass = first; klass <= last && klass < SPC_MEMORY_POOL_CLASSES; ++klass) {
    spc_memory_block *const block = pool->kept[klass];
    if (block != NULL) {
      pool->kept[klass] = block->next;
      return block;
    }
  }
  return NULL;
}

/* Gives kept blocks back to the system, the largest first, until the pool holds at most so many bytes or keeps none. */
static inline void spc_memory_pool_shrink(spc_memory_pool *pool, int64_t bytes) {
  int klass = SPC_MEMORY_POOL_CLASSES - 1;
  while (klass >= 0 && pool->held > bytes) {
    spc_memory_block *const block = pool->kept[klass];
    if (block == NULL) {
      --klass;
      continue;
    }
    pool->kept[klass] = block->next;
    pool->held -= block->bytes;
    free(block);
  }
}

/* A block of class `klass` or more. One that is twice as large or more is taken where the pool would else come to hold
 * more than was ever in use; NULL where memory ran out. */
static inline spc_memory_block *spc_memory_pool_find(spc_memory_pool *pool, int klass) {
  const int64_t size = spc_memory_pool_size(klass), alignment = spc_memory_pool_alignment(size);
  const int64_t bytes = (size + alignment - 1) & -alignment;
  const int64_t most = pool->most > pool->used + bytes ? pool->most : pool->used + bytes;
  spc_memory_block *block = spc_memory_pool_take(pool, klass, klass + SPC_MEMORY_POOL_STEPS - 1);
  if (block == NULL && pool->held > most - bytes)
    block = spc_memory_pool_take(pool, klass + SPC_MEMORY_POOL_STEPS, SPC_MEMORY_POOL_CLASSES);
  if (block != NULL)
    return block;
  spc_memory_pool_shrink(pool, most - bytes);
  block = spc_memory_pool_obtain(bytes);
  if (block == NULL) {
    spc_memory_pool_shrink(pool, 0);
    block = spc_memory_pool_obtain(bytes);
  }
  if (block != NULL)
    pool->held += block->bytes;
  return block;
}

/* Aligned to 64 bytes. NULL for negative numbers, as products that overflow are. */
static inline void *spc_memory_pool_allocate(void *user, int64_t bytes) SPC_NOEXCEPT {
  spc_memory_pool *const pool = SPC_DETAIL_CAST(spc_memory_pool *, user);
  spc_memory_block *block = NULL;
  int klass;
  if (bytes < 0 || bytes > INT64_MAX / 8)
    return NULL;
  bytes += SPC_MEMORY_POOL_FRONT;
  klass = spc_memory_pool_class(bytes);
  if (spc_memory_pool_size(klass) < bytes)
    ++klass;
  pthread_mutex_lock(&pool->mutex);
  block = spc_memory_pool_find(pool, klass);
  if (block != NULL) {
    block->next = pool->in_use;
    block->previous = NULL;
    if (block->next != NULL)
      block->next->previous = block;
    pool->in_use = block;
    pool->used += block->bytes;
    if (pool->used > pool->most)
      pool->most = pool->used;
  }
  pthread_mutex_unlock(&pool->mutex);
  return block == NULL ? NULL : SPC_DETAIL_CAST(char *, SPC_DETAIL_CAST(void *, block)) + SPC_MEMORY_POOL_FRONT;
}

/* Nothing happens to NULL. */
static inline void spc_memory_pool_deallocate(void *user, void *memory) SPC_NOEXCEPT {
  spc_memory_pool *const pool = SPC_DETAIL_CAST(spc_memory_pool *, user);
  spc_memory_block *block;
  int klass;
  if (memory == NULL)
    return;
  block = SPC_DETAIL_CAST(spc_memory_block *,
                          SPC_DETAIL_CAST(void *, SPC_DETAIL_CAST(char *, memory) - SPC_MEMORY_POOL_FRONT));
  klass = spc_memory_pool_class(block->bytes);
  pthread_mutex_lock(&pool->mutex);
  if (block->next != NULL)
    block->next->previous = block->previous;
  if (block->previous != NULL)
    block->previous->next = block->next;
  else
    pool->in_use = block->next;
  pool->used -= block->bytes;
  block->next = pool->kept[klass];
  pool->kept[klass] = block;
  pthread_mutex_unlock(&pool->mutex);
}

static inline void *spc_detail_pool_allocate(void *user, int64_t bytes, int64_t alignment) SPC_NOEXCEPT {
  return alignment <= SPC_MEMORY_POOL_FRONT ? spc_memory_pool_allocate(user, bytes) : NULL;
}

static inline void spc_memory_pool_parallel_for(void *user, int64_t tasks, void (*task)(void *closure, int64_t index),
                                                void *closure) SPC_NOEXCEPT {
  const spc_context *const threads = &SPC_DETAIL_CAST(spc_memory_pool *, user)->threads;
  threads->parallel_for(threads->user, tasks, task, closure);
}

/* An empty pool. Calls run on the threads of the context `threads`, whose memory hooks are not used, or, where that is
 * NULL, on those that plain functions run on. */
static inline void spc_memory_pool_init(spc_memory_pool *pool, const spc_context *threads) {
  const spc_context none = {0, NULL, NULL, NULL, NULL, NULL, NULL};
  int klass;
  pool->threads = threads != NULL ? *threads : none;
  pthread_mutex_init(&pool->mutex, NULL);
  pool->in_use = NULL;
  pool->used = pool->held = pool->most = 0;
  for (klass = 0; klass < SPC_MEMORY_POOL_CLASSES; ++klass)
    pool->kept[klass] = NULL;
}

/* The context to call kernels with, and their NAME_free_ctx. */
static inline spc_context spc_memory_pool_context(spc_memory_pool *pool) {
  spc_context context = spc_default_context(); /* whose parallel_for takes no user */
  if (pool->threads.struct_size != 0) {
    context.parallel_for = pool->threads.parallel_for != NULL ? spc_memory_pool_parallel_for : NULL;
    context.parallel_cost = pool->threads.parallel_cost;
  }
  context.user = pool;
  context.allocate = spc_detail_pool_allocate;
  context.deallocate = spc_memory_pool_deallocate;
  return context;
}

/* Whether a block is one of the pool's that are in use; takes time in their number. */
static inline bool spc_memory_pool_owns(spc_memory_pool *pool, const void *memory) {
  const spc_memory_block *block;
  pthread_mutex_lock(&pool->mutex);
  block = pool->in_use;
  while (block != NULL && SPC_DETAIL_CAST(const char *, SPC_DETAIL_CAST(const void *, block)) + SPC_MEMORY_POOL_FRONT !=
                              SPC_DETAIL_CAST(const char *, memory))
    block = block->next;
  pthread_mutex_unlock(&pool->mutex);
  return block != NULL;
}

/* How many bytes the pool has from the system, those in use included. */
static inline int64_t spc_memory_pool_held(spc_memory_pool *pool) {
  int64_t held;
  pthread_mutex_lock(&pool->mutex);
  held = pool->held;
  pthread_mutex_unlock(&pool->mutex);
  return held;
}

/* Gives memory that is not in use back to the system, and keeps at most so many bytes of it. */
static inline void spc_memory_pool_trim(spc_memory_pool *pool, int64_t kept) {
  pthread_mutex_lock(&pool->mutex);
  if (kept < pool->held - pool->used)
    spc_memory_pool_shrink(pool, pool->used + kept);
  pool->most = pool->held;
  pthread_mutex_unlock(&pool->mutex);
}

/* Gives all memory back to the system, also that of results which were not freed. */
static inline void spc_memory_pool_destroy(spc_memory_pool *pool) {
  spc_memory_block *block = pool->in_use;
  while (block != NULL) {
    spc_memory_block *const next = block->next;
    free(block);
    block = next;
  }
  pool->in_use = NULL;
  pool->held -= pool->used;
  pool->used = 0;
  spc_memory_pool_shrink(pool, 0);
  pthread_mutex_destroy(&pool->mutex);
}

#endif
