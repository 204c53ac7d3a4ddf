// Threads for the calls that are measured.
#pragma once

struct spc_context;

namespace spc::tune {

/// A context with a pool of that many threads, the caller's among them, for the whole process: what the first call asks
/// for holds.
const spc_context *threadContext(int threads);

} // namespace spc::tune
