// The threads of this process's kernels, those of spc/pool.h.
#pragma once

namespace spc::driver {

/// As many as a kernel's loops can be divided among.
int mostThreads();

/// As many as the process may use, or as SPC_NUM_THREADS in the environment says; at most mostThreads().
int usualThreads();

/// The spc_context of calls that divide their work among `threads` threads, the calling one included; valid for as long
/// as the process. To be asked for once: the pool's size is settled by its first use.
const void *threadContext(int threads);

} // namespace spc::driver
