/* One pool of threads for all kernels of a program without OpenMP. C11 and C++, gcc and clang, POSIX threads.
 *
 *     #include <spc/pool.h>      ahead of the headers of kernels: their plain functions run on the pool
 *     #include "spmm.h"          (link with -pthread)
 *
 * The first call with enough work starts as many threads as the process may use (its affinity mask), or as
 * SPC_NUM_THREADS in the environment says, the calling one among them; they wait without taking processor time and are
 * joined at exit. The state is a weak symbol, so that all files and libraries of a program share one pool. Plain
 * functions use OpenMP's threads where a program is compiled with OpenMP, and a context that is passed to NAME_ctx
 * wins over both. SPDX-License-Identifier: Apache-2.0 */
#ifndef SPC_POOL_H
#if defined(SPC_CONVENTION_H) && !defined(_OPENMP)
#error "spc/pool.h has to be included ahead of spc/spc.hpp and the headers of kernels, whose plain functions run on it"
#endif
#define SPC_POOL_H

#include "spc.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>
#ifndef __linux__
#include <unistd.h>
#endif

#ifdef __cplusplus
#define SPC_POOL_THREAD_LOCAL thread_local
#else
#define SPC_POOL_THREAD_LOCAL _Thread_local
#endif

/* Kernels divide loops into at most 128 chunks. */
#define SPC_POOL_MOST_THREADS 128
/* How often a thread looks for work, or for the end of a job, before it goes to sleep: some 10 microseconds. */
#define SPC_POOL_SPINS 1000

/* The tasks of one parallel_for; lives on its caller's stack. */
typedef struct spc_pool_job {
  void (*task)(void *closure, int64_t index);
  void *closure;
  int active; /* workers that are at it; written under the mutex, read also without */
  struct spc_pool_job *following;
  spc_detail_shares shares; /* the caller's is the first */
} spc_pool_job;

/* The mutex guards all but `threads`. */
typedef struct spc_pool_state {
  pthread_mutex_t mutex;
  pthread_cond_t work; /* `changes` is another number */
  pthread_cond_t left; /* the last worker has left some job */
  spc_pool_job *jobs;  /* of all callers */
  unsigned changes;    /* counts new jobs and stops; read also without the mutex */
  int threads;         /* atomic: how many compute, callers included; 0 while that was not asked */
  int started;         /* workers */
  int numbered;        /* workers that have taken a number, from 1 on */
  int stops;           /* whether workers are to end */
  pthread_t workers[SPC_POOL_MOST_THREADS - 1];
} spc_pool_state;

#ifdef __cplusplus
extern "C" {
#endif

/* The number in the names changes with the types above. */
__attribute__((weak, visibility("default"))) spc_pool_state spc_pool_shared_2 = {
    PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, PTHREAD_COND_INITIALIZER, NULL, 0, 0, 0, 0, 0, {0}};
/* spc_context's parallel_cost. */
__attribute__((weak, visibility("default"))) int32_t spc_pool_cost_1 = 10000;
/* Whether the thread runs a task: calls from there are not divided further. */
__attribute__((weak, visibility("default"))) SPC_POOL_THREAD_LOCAL int spc_pool_inside_1 = 0;

#ifdef __linux__
/* Declared by <sched.h> for those alone who ask for GNU extensions. */
extern int spc_pool_getaffinity(int process, size_t bytes, unsigned long *mask) __asm__("sched_getaffinity");
#endif

#ifdef __cplusplus
}
#endif

/* The number of threads that the process may use. */
static inline int spc_pool_count(void) {
  const char *wanted = getenv("SPC_NUM_THREADS");
  long count = wanted != NULL ? strtol(wanted, NULL, 10) : 0;
  if (count <= 0) {
    count = 0;
#ifdef __linux__
    unsigned long mask[128] = {0};
    size_t word;
    if (spc_pool_getaffinity(0, sizeof mask, mask) >= 0)
      for (word = 0; word < sizeof mask / sizeof *mask; ++word)
        count += __builtin_popcountl(mask[word]);
#else
    count = sysconf(_SC_NPROCESSORS_ONLN);
#endif
  }
  return count < 1 ? 1 : count > SPC_POOL_MOST_THREADS ? SPC_POOL_MOST_THREADS : SPC_DETAIL_CAST(int, count);
}

/* How many threads compute, the calling one included. */
static inline int spc_pool_threads(void) {
  int threads = __atomic_load_n(&spc_pool_shared_2.threads, __ATOMIC_RELAXED);
  if (threads == 0) {
    threads = spc_pool_count();
    __atomic_store_n(&spc_pool_shared_2.threads, threads, __ATOMIC_RELAXED);
  }
  return threads;
}

static inline void spc_pool_pause(void) {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}

/* A job of so many tasks for so many threads. */
static inline void spc_pool_begin(spc_pool_job *job, int64_t tasks, int64_t threads,
                                  void (*task)(void *closure, int64_t index), void *closure) {
  job->task = task;
  job->closure = closure;
  job->active = 0;
  job->following = NULL;
  spc_detail_share_out(&job->shares, tasks, threads);
}

/* Runs tasks of a job that nobody has claimed, until there are none; returns how many. */
static inline int64_t spc_pool_run(spc_pool_job *job, int64_t thread) {
  return spc_detail_run_shares(&job->shares, thread, job->task, job->closure);
}

/* Joins some job for as long as it has tasks; 0 where there is none. The mutex is held. */
static inline int spc_pool_help(spc_pool_state *pool, int worker) {
  spc_pool_job *job = pool->jobs;
  while (job != NULL && !spc_detail_has_tasks(&job->shares))
    job = job->following;
  if (job == NULL)
    return 0;
  ++job->active;
  pthread_mutex_unlock(&pool->mutex);
  (void)spc_pool_run(job, worker);
  pthread_mutex_lock(&pool->mutex);
  if (__atomic_sub_fetch(&job->active, 1, __ATOMIC_RELEASE) == 0)
    pthread_cond_broadcast(&pool->left);
  return 1;
}

/* The work of each worker. */
static inline void *spc_pool_work(void *state) {
  spc_pool_state *pool = SPC_DETAIL_CAST(spc_pool_state *, state);
  int worker;
  spc_pool_inside_1 = 1;
  pthread_mutex_lock(&pool->mutex);
  worker = ++pool->numbered;
  while (!pool->stops) {
    const unsigned seen = pool->changes;
    int spins;
    if (spc_pool_help(pool, worker))
      continue;
    pthread_mutex_unlock(&pool->mutex);
    for (spins = 0; spins < SPC_POOL_SPINS && __atomic_load_n(&pool->changes, __ATOMIC_RELAXED) == seen; ++spins)
      spc_pool_pause();
    pthread_mutex_lock(&pool->mutex);
    while (pool->changes == seen)
      pthread_cond_wait(&pool->work, &pool->mutex);
  }
  pthread_mutex_unlock(&pool->mutex);
  return NULL;
}

/* Joins the workers; the next call with enough work starts them again. Called at exit, and when a library that started
 * them is unloaded. From inside of a task it does nothing. */
static inline void spc_pool_stop(void) {
  spc_pool_state *pool = &spc_pool_shared_2;
  int worker, started;
  if (spc_pool_inside_1)
    return;
  pthread_mutex_lock(&pool->mutex);
  started = pool->stops ? 0 : pool->started;
  if (started > 0) {
    pool->stops = 1;
    __atomic_add_fetch(&pool->changes, 1, __ATOMIC_RELAXED);
    pthread_cond_broadcast(&pool->work);
  }
  pthread_mutex_unlock(&pool->mutex);
  if (started == 0)
    return;
  for (worker = 0; worker < started; ++worker)
    pthread_join(pool->workers[worker], NULL);
  pthread_mutex_lock(&pool->mutex);
  pool->started = 0;
  pool->numbered = 0;
  pool->stops = 0;
  pthread_mutex_unlock(&pool->mutex);
}

/* A forked process has the forking thread alone. */
static inline void spc_pool_forked(void) {
  spc_pool_state *pool = &spc_pool_shared_2;
  spc_pool_job *job;
  pthread_mutex_init(&pool->mutex, NULL);
  pthread_cond_init(&pool->work, NULL);
  pthread_cond_init(&pool->left, NULL);
  for (job = pool->jobs; job != NULL; job = job->following)
    job->active = 0;
  pool->jobs = NULL;
  pool->started = 0;
  pool->numbered = 0;
  pool->stops = 0;
}

/* Sees to it that there are workers. The mutex is held. */
static inline void spc_pool_start(spc_pool_state *pool) {
  const int wanted = spc_pool_threads() - 1;
  if (pool->started > 0 || pool->stops)
    return;
  if (atexit(spc_pool_stop) == 0 && pthread_atfork(NULL, NULL, spc_pool_forked) == 0)
    while (pool->started < wanted && pthread_create(&pool->workers[pool->started], NULL, spc_pool_work, pool) == 0)
      ++pool->started;
  __atomic_store_n(&pool->threads, pool->started + 1, __ATOMIC_RELAXED);
}

/* Hands a job to the workers, as many as it has tasks for. The mutex is held. */
static inline void spc_pool_offer(spc_pool_state *pool, spc_pool_job *job) {
  int64_t others = job->shares.tasks - 1;
  job->following = pool->jobs;
  pool->jobs = job;
  __atomic_add_fetch(&pool->changes, 1, __ATOMIC_RELAXED);
  if (others >= pool->started)
    pthread_cond_broadcast(&pool->work);
  else
    for (; others > 0; --others)
      pthread_cond_signal(&pool->work);
}

/* Takes a job back, and waits for the workers that are at it. */
static inline void spc_pool_finish(spc_pool_state *pool, spc_pool_job *job) {
  spc_pool_job **place = &pool->jobs;
  int spins;
  pthread_mutex_lock(&pool->mutex);
  while (*place != NULL && *place != job)
    place = &(*place)->following;
  if (*place != NULL)
    *place = job->following;
  if (job->active > 0) {
    pthread_mutex_unlock(&pool->mutex);
    for (spins = 0; spins < SPC_POOL_SPINS && __atomic_load_n(&job->active, __ATOMIC_ACQUIRE) > 0; ++spins)
      spc_pool_pause();
    pthread_mutex_lock(&pool->mutex);
    while (job->active > 0)
      pthread_cond_wait(&pool->left, &pool->mutex);
  }
  pthread_mutex_unlock(&pool->mutex);
}

/* Nanoseconds of some clock. */
static inline int64_t spc_pool_now(void) {
  struct timespec now = {0, 0};
  (void)timespec_get(&now, TIME_UTC);
  return SPC_DETAIL_CAST(int64_t, now.tv_sec) * 1000000000 + now.tv_nsec;
}

/* Notes what a job has cost that was handed to the workers between `start` and `offered`: that, and the wait for others
 * at the end beyond a task's time. The time that its tasks took is what waking takes at least where nobody came to
 * help with them. */
static inline void spc_pool_note(int64_t start, int64_t offered, int64_t done, int64_t own, int64_t tasks) {
  const int64_t known = __atomic_load_n(&spc_pool_cost_1, __ATOMIC_RELAXED), working = done - offered;
  const int64_t waiting = spc_pool_now() - done - (own > 0 ? working / own : 0);
  int64_t cost = own == tasks ? working : offered - start + (waiting > 0 ? waiting : 0);
  cost = cost < 500 ? 500 : cost > 1000000 ? 1000000 : cost; /* where other threads spin, workers begin a tick later */
  cost = known + (cost - known) / (cost > known ? 2 : 16);   /* one job that was lucky says little */
  __atomic_store_n(&spc_pool_cost_1, SPC_DETAIL_CAST(int32_t, cost), __ATOMIC_RELAXED);
}

/* The hook of contexts. Any number of threads may call it at once. */
static inline void spc_pool_parallel_for(void *user, int64_t tasks, void (*task)(void *closure, int64_t index),
                                         void *closure) SPC_NOEXCEPT {
  spc_pool_state *pool = &spc_pool_shared_2;
  const int threads = tasks < 2 || spc_pool_inside_1 ? 1 : spc_pool_threads();
  spc_pool_job job;
  int64_t start, offered, own, done;
  (void)user;
  spc_pool_begin(&job, tasks, threads, task, closure);
  if (threads < 2) {
    (void)spc_pool_run(&job, 0);
    return;
  }
  start = spc_pool_now();
  pthread_mutex_lock(&pool->mutex);
  spc_pool_start(pool);
  spc_pool_offer(pool, &job);
  pthread_mutex_unlock(&pool->mutex);
  offered = spc_pool_now();
  spc_pool_inside_1 = 1;
  own = spc_pool_run(&job, 0);
  spc_pool_inside_1 = 0;
  done = spc_pool_now();
  spc_pool_finish(pool, &job);
  spc_pool_note(start, offered, done, own, tasks);
}

/* The parallel_cost of contexts. */
static inline int32_t *spc_pool_cost(void) {
  return &spc_pool_cost_1;
}

/* malloc, free and the pool, whatever the program is compiled with. */
static inline spc_context spc_pool_context(void) {
  spc_context context = {SPC_DETAIL_CAST(int64_t, sizeof(spc_context)), NULL, NULL, NULL, NULL, NULL, spc_detail_note};
  if (spc_pool_threads() > 1) {
    context.parallel_for = spc_pool_parallel_for;
    context.parallel_cost = spc_pool_cost();
  }
  return context;
}

#endif
