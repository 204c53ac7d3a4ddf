/* The tasks of a loop, shared out to threads. C11 and C++17, gcc and clang. Every generated header carries this text
 * ahead of that of spc/spc.h. SPDX-License-Identifier: Apache-2.0 */
#ifndef SPC_SHARES_H
#define SPC_SHARES_H

#include <stdint.h>

#define SPC_DETAIL_MOST_SHARES 128

/* A run of tasks for each thread, which others help with when they are done with theirs. A thread that has the same
 * share in every call finds in its caches what it read and wrote in the last one. */
typedef struct spc_detail_shares {
  int64_t tasks;
  int64_t count; /* of shares */
  struct {
    int64_t next;     /* atomic: the first task of the share that nobody has claimed */
    int64_t apart[7]; /* each counter has a cache line */
  } of[SPC_DETAIL_MOST_SHARES];
} spc_detail_shares;

/* The first task of a share; of the one after the last, the number of tasks. */
static inline int64_t spc_detail_share_begin(const spc_detail_shares *shares, int64_t share) {
  const int64_t each = shares->tasks / shares->count, more = shares->tasks % shares->count;
  return each * share + (share < more ? share : more);
}

/* Sets shares up for `threads`, 1 or more: no more than there are tasks. */
static inline void spc_detail_share_out(spc_detail_shares *shares, int64_t tasks, int64_t threads) {
  int64_t share, count = threads < tasks ? threads : tasks;
  count = count > SPC_DETAIL_MOST_SHARES ? SPC_DETAIL_MOST_SHARES : count;
  shares->tasks = tasks;
  shares->count = count < 1 ? 1 : count;
  for (share = 0; share < shares->count; ++share)
    shares->of[share].next = spc_detail_share_begin(shares, share);
}

/* Whether some task is unclaimed. */
static inline int spc_detail_has_tasks(const spc_detail_shares *shares) {
  int64_t share;
  for (share = 0; share < shares->count; ++share)
    if (__atomic_load_n(&shares->of[share].next, __ATOMIC_RELAXED) < spc_detail_share_begin(shares, share + 1))
      return 1;
  return 0;
}

/* Runs tasks that nobody has claimed until there are none, those of the thread's own share first; returns how many. */
static inline int64_t spc_detail_run_shares(spc_detail_shares *shares, int64_t thread,
                                            void (*task)(void *closure, int64_t index), void *closure) {
  int64_t ran = 0, visited;
  for (visited = 0; visited < shares->count; ++visited) {
    const int64_t share = (thread + visited) % shares->count, end = spc_detail_share_begin(shares, share + 1);
    int64_t *const next = &shares->of[share].next;
    int64_t index = __atomic_load_n(next, __ATOMIC_RELAXED);
    while (index < end && (index = __atomic_fetch_add(next, 1, __ATOMIC_RELAXED)) < end) {
      task(closure, index);
      ++ran;
    }
  }
  return ran;
}

#endif
