// The threads of this process's kernels, those of spc/pool.h.
#pragma once

#include "support/work_count.h"

#include <memory>

namespace spc::host {

/// The most threads that a kernel's loops can be divided among.
int mostThreads();

/// The threads that the process may use, or as many as SPC_NUM_THREADS in the environment says; at most mostThreads().
int usualThreads();

/// The spc_context of calls that divide their work among `threads` threads, the calling one included; valid for as long
/// as the process. To be asked for once: the pool's size is settled by its first use.
const void *threadContext(int threads);

/// A context whose loops over tasks count those that have finished, each loop being a part of the work.
class CountingContext {
public:
  /// `context`: that of threadContext(), which allocates with malloc; `count`: null to count nothing. Both outlive
  /// this.
  CountingContext(const void *context, WorkCount *count);
  ~CountingContext();

  /// Valid as long as this lives.
  const void *context() const;

private:
  struct Hooks;
  const void *given_;
  std::unique_ptr<Hooks> hooks_;
};

} // namespace spc::host
