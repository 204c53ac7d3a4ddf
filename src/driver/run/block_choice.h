// The index by whose blocks `spc run --memory` reads, calls and writes.
#pragma once

#include "driver/run/options.h"
#include "driver/shell/session.h"
#include "host/inputs.h"
#include "sema/kernel.h"

#include <optional>

namespace spc::driver {

/// An index that is divided.
struct BlockChoice {
  const sema::IndexDivision *division; ///< of the kernel
  host::InputBlocks blocks;
};

/// The index that --by names, or else the one by which most bytes of files are read in blocks. nullopt with an error
/// reported, which says of each index why it is none.
std::optional<BlockChoice> chooseBlocks(Session &session, const sema::Kernel &kernel, const RunCommandOptions &options);

} // namespace spc::driver
