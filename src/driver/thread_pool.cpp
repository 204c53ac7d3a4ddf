#include "spc/pool.h" // ahead of all headers that include spc/spc.h

#include "driver/thread_pool.h"

namespace spc::driver {

int mostThreads() {
  return SPC_POOL_MOST_THREADS;
}

int usualThreads() {
  return spc_pool_count();
}

const void *threadContext(int threads) {
  __atomic_store_n(&spc_pool_shared_1.threads, threads, __ATOMIC_RELAXED);
  static const spc_context context = spc_pool_context();
  return &context;
}

} // namespace spc::driver
