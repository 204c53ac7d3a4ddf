// `spc run --memory`: a call for each block of an index.
#pragma once

#include "driver/run/options.h"
#include "driver/run/outputs.h"
#include "driver/shell/front_end.h"
#include "driver/shell/session.h"
#include "sema/kernel.h"

namespace spc::driver {

/// What options say of calls and of texts.
struct BlockCounts {
  int threads = 1;
  int digits = 0; ///< of values that are written; 0: as usual
};

/// Reads the inputs of a kernel in blocks, calls it with each, and writes and prints the results. Errors are reported.
void runInBlocks(Session &session, const RunCommandOptions &options, const sema::Kernel &kernel,
                 const syntax::Kernel &tree, const OutputFiles &files, const BlockCounts &counts, PhaseTimer &timer);

} // namespace spc::driver
