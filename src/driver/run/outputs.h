// Results of `spc run`: files where -o names them, else text on standard output.
#pragma once

#include "driver/run/options.h"
#include "driver/shell/session.h"
#include "host/kernel_call.h"
#include "support/output_file.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace spc::driver {

/// The file that an output goes to, if any, by position in Kernel::parameters.
using OutputFiles = std::vector<std::optional<std::string>>;

/// Reads -o arguments. nullopt with errors reported: unknown tensors, tensors that are no outputs, file types that
/// cannot hold them.
std::optional<OutputFiles> readOutputFiles(Session &session, const sema::Kernel &kernel,
                                           const RunCommandOptions &options);

/// Writes and prints every output; where there is a `report`, that is printed in place of outputs that no file is named
/// for. `digits`: of values in texts, 0 as usual. `grown` has, by position, the outputs that are in their files. False
/// with an error reported; then no file is written.
bool deliverOutputs(Session &session, const host::KernelCall &call, const OutputFiles &files,
                    const std::optional<std::string> &report, int digits,
                    std::vector<std::unique_ptr<GrowingFile>> grown = {});

} // namespace spc::driver
