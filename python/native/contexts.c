/* What calls from Python need beside the kernels: one pool of threads and one of memory for all libraries of a process,
 * and the checks of index arrays. SPDX-License-Identifier: Apache-2.0 */
#include <spc/pool.h>

#include <spc/levels.h>
#include <spc/memory_pool.h>

#define SPC_CONTEXTS_EXPORT __attribute__((visibility("default")))

static spc_memory_pool memory;
static spc_context context;

static void spc_contexts_use_threads(void) {
  const int several = spc_pool_threads() > 1;
  context.parallel_for = several ? spc_pool_parallel_for : NULL;
  context.parallel_cost = several ? spc_pool_cost() : NULL;
}

/* A process that forks while another thread allocates would leave the pool's mutex locked in the child. */
static void spc_contexts_lock(void) {
  pthread_mutex_lock(&memory.mutex);
}

static void spc_contexts_unlock(void) {
  pthread_mutex_unlock(&memory.mutex);
}

static void __attribute__((constructor)) start(void) {
  spc_memory_pool_init(&memory, NULL);
  context = spc_memory_pool_context(&memory);
  spc_contexts_use_threads();
  pthread_atfork(spc_contexts_lock, spc_contexts_unlock, spc_contexts_unlock);
}

/* The context; it stays where it is. */
SPC_CONTEXTS_EXPORT const spc_context *spc_contexts_context(void) {
  return &context;
}

/* The version of the calling convention that the context is of. */
SPC_CONTEXTS_EXPORT int spc_contexts_version(void) {
  return SPC_ABI_VERSION;
}

/* Takes back an array that a kernel assembled with the context, or NULL. */
SPC_CONTEXTS_EXPORT void spc_contexts_release(void *array) {
  spc_memory_pool_deallocate(&memory, array);
}

/* How many threads compute, the calling one included; 0 stands for as many as the process may use. */
SPC_CONTEXTS_EXPORT void spc_contexts_set_threads(int threads) {
  spc_pool_stop();
  if (threads > SPC_POOL_MOST_THREADS)
    threads = SPC_POOL_MOST_THREADS;
  __atomic_store_n(&spc_pool_shared_1.threads, threads, __ATOMIC_RELAXED);
  spc_contexts_use_threads();
}

SPC_CONTEXTS_EXPORT int spc_contexts_threads(void) {
  return spc_pool_threads();
}

/* Gives memory that is not in use back to the system, and keeps at most so many bytes of it. */
SPC_CONTEXTS_EXPORT void spc_contexts_trim(int64_t bytes) {
  spc_memory_pool_trim(&memory, bytes);
}

/* The bytes that the pool has from the system. */
SPC_CONTEXTS_EXPORT int64_t spc_contexts_held(void) {
  return spc_memory_pool_held(&memory);
}

/* Reads the index arrays of a structure, each of which is as long as the numbers in `levels` say; returns a status. */
SPC_CONTEXTS_EXPORT int spc_contexts_validate(const spc_level *levels, int depth, int64_t stored, const void *values) {
  return spc_validate_levels(levels, depth, &stored, values);
}
