#include "runtime/runtime.h"

namespace spc::runtime {
namespace {

/// First, second, second, first, …: what changes from the first rows to the last ones does both the same good.
constexpr uint64_t kOrder = 0b0110'0110'0;

int64_t now() {
#if defined(__x86_64__)
  return static_cast<int64_t>(__builtin_ia32_rdtsc());
#elif defined(__aarch64__)
  int64_t ticks;
  asm volatile("mrs %0, cntvct_el0" : "=r"(ticks));
  return ticks;
#else
  return 0;
#endif
}

void keepLeast(int64_t &least, int64_t ticks) {
  int64_t known = __atomic_load_n(&least, __ATOMIC_RELAXED);
  while (ticks < known &&
         !__atomic_compare_exchange_n(&least, &known, ticks, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
  }
}

} // namespace

extern "C" int64_t spc_rt_trial_begin(Trial *trial, int64_t usual) {
  if (const int64_t choice = __atomic_load_n(&trial->choice, __ATOMIC_RELAXED); choice >= 0)
    return choice;
  if (__atomic_load_n(&trial->begun, __ATOMIC_RELAXED) >= kTrials)
    return usual;
  const int64_t number = __atomic_fetch_add(&trial->begun, 1, __ATOMIC_RELAXED);
  if (number >= kTrials)
    return usual;
  trial->since[number] = now();
  return (number + 1) << 1 | static_cast<int64_t>(kOrder >> number & 1);
}

extern "C" void spc_rt_trial_end(Trial *trial, int64_t piece, int64_t work) {
  const int64_t number = (piece >> 1) - 1, loop = piece & 1;
  if (number <= 0)
    return;
  const int64_t ticks = now() - trial->since[number];
  keepLeast(trial->least[loop], ticks * 1024 / (work > 0 ? work : 1));
  if (__atomic_add_fetch(&trial->ended, 1, __ATOMIC_ACQ_REL) == kTrials - 1)
    __atomic_store_n(&trial->choice, trial->least[1] < trial->least[0] ? 1 : 0, __ATOMIC_RELAXED);
}

} // namespace spc::runtime
