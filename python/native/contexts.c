/* What calls from Python need beside the kernels: one pool of threads and one of memory for all libraries of a process,
 * and the checks of index arrays. SPDX-License-Identifier: Apache-2.0 */
#include <spc/pool.h>

#include <spc/levels.h>
#include <spc/memory_pool.h>
#include <spc/message.h>

#define SPC_CONTEXTS_EXPORT __attribute__((visibility("default")))

static spc_memory_pool memory;
static spc_context context;

/* OpenMP's threads, where the process has some that spin between loops: a second pool would find no processor free. */
typedef void spc_contexts_team(void (*member)(void *), void *data, unsigned threads, unsigned flags);
static struct {
  spc_contexts_team *start; /* GOMP_parallel, as compilers call it; NULL: not to be used */
  int (*isInside)(void);    /* omp_in_parallel */
  int (*most)(void);        /* omp_get_max_threads, which is as many as PyTorch is told to take; NULL: nobody says */
  int (*number)(void);      /* omp_get_thread_num */
  pthread_t caller;         /* the one thread that has a team: each other would begin one of its own */
} openmp;

typedef struct spc_contexts_job {
  spc_pool_job shared;
  int64_t offered, done, own; /* of the calling thread: when its tasks began and ended, and how many there were */
} spc_contexts_job;

static void spc_contexts_member(void *data) {
  spc_contexts_job *job = SPC_DETAIL_CAST(spc_contexts_job *, data);
  const int isCaller = pthread_equal(pthread_self(), openmp.caller);
  int64_t own;
  if (isCaller)
    job->offered = spc_pool_now();
  spc_pool_inside_1 = 1;
  own = spc_pool_run(&job->shared, openmp.number());
  spc_pool_inside_1 = 0;
  if (isCaller) {
    job->own = own;
    job->done = spc_pool_now();
  }
}

/* The hook of the context. */
static void spc_contexts_parallel_for(void *user, int64_t tasks, void (*task)(void *closure, int64_t index),
                                      void *closure) SPC_NOEXCEPT {
  spc_contexts_job job;
  const int64_t most = openmp.most == NULL ? tasks : openmp.most();
  int64_t threads = spc_pool_threads() < tasks ? spc_pool_threads() : tasks, start;
  threads = threads < most ? threads : most;
  if (most >= 2 && (openmp.start == NULL || threads < 2 || spc_pool_inside_1 ||
                    !pthread_equal(pthread_self(), openmp.caller) || openmp.isInside())) {
    spc_pool_parallel_for(user, tasks, task, closure);
    return;
  }
  spc_pool_begin(&job.shared, tasks, threads, task, closure);
  if (most < 2) {
    (void)spc_pool_run(&job.shared, 0);
    return;
  }
  start = spc_pool_now();
  openmp.start(spc_contexts_member, &job, SPC_DETAIL_CAST(unsigned, threads), 0);
  spc_pool_note(start, job.offered, job.done, job.own, tasks);
}

static void spc_contexts_use_threads(void) {
  const int several = spc_pool_threads() > 1;
  context.parallel_for = several ? spc_contexts_parallel_for : NULL;
  context.parallel_cost = several ? spc_pool_cost() : NULL;
}

/* From now on loops of the calling thread run on the threads of an OpenMP runtime, and those of all threads on one
 * where it has no more for them. Its functions GOMP_parallel, omp_in_parallel, omp_get_max_threads and
 * omp_get_thread_num stay loaded. */
SPC_CONTEXTS_EXPORT void spc_contexts_use_openmp(spc_contexts_team *start, int (*isInside)(void), int (*most)(void),
                                                 int (*number)(void)) {
  openmp.isInside = isInside;
  openmp.most = most;
  openmp.number = number;
  openmp.caller = pthread_self();
  openmp.start = start;
}

/* A process that forks while another thread allocates would leave the pool's mutex locked in the child. */
static void spc_contexts_lock(void) {
  pthread_mutex_lock(&memory.mutex);
}

static void spc_contexts_unlock(void) {
  pthread_mutex_unlock(&memory.mutex);
}

/* OpenMP's threads are not in the child, and its runtime does not know. */
static void spc_contexts_forked(void) {
  openmp.start = NULL;
  spc_contexts_unlock();
}

static void __attribute__((constructor)) start(void) {
  spc_memory_pool_init(&memory, NULL);
  context = spc_memory_pool_context(&memory);
  spc_contexts_use_threads();
  pthread_atfork(spc_contexts_lock, spc_contexts_unlock, spc_contexts_forked);
}

/* The context; it stays where it is. */
SPC_CONTEXTS_EXPORT const spc_context *spc_contexts_context(void) {
  return &context;
}

/* The version of the calling convention that the context is of. */
SPC_CONTEXTS_EXPORT int spc_contexts_version(void) {
  return SPC_ABI_VERSION;
}

/* Memory of so many bytes, which spc_contexts_release takes back; NULL where there is none. */
SPC_CONTEXTS_EXPORT void *spc_contexts_allocate(int64_t bytes) {
  return spc_memory_pool_allocate(&memory, bytes);
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
  __atomic_store_n(&spc_pool_shared_2.threads, threads, __ATOMIC_RELAXED);
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

/* What the thread's last call with the context has found wrong, as spc_status_message writes it; 0 where that is
 * nothing of this status. */
SPC_CONTEXTS_EXPORT int64_t spc_contexts_message(char *buffer, int64_t size, int status) {
  const spc_problem *const problem = spc_last_problem();
  if (problem->status != status)
    return 0;
  return spc_status_message(buffer, size, SPC_DETAIL_CAST(spc_status, status), problem);
}

/* Reads the index arrays of a structure, each of which is as long as the numbers in `levels` say; returns a status. */
SPC_CONTEXTS_EXPORT int spc_contexts_validate(const spc_detail_level *levels, int depth, int64_t stored,
                                              const void *values) {
  return spc_detail_validate_levels(levels, depth, &stored, values);
}
