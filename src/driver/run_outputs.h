// What `spc run` does with results: files where -o names them, else text on standard output.
#pragma once

#include "driver/kernel_call.h"

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

/// What a call has left in the output at position `parameter` of Kernel::parameters, all parts of a sum together; of
/// order 0 one entry.
tensor::Coordinates resultOf(const KernelCall &call, size_t parameter);

/// Writes and prints every output; where there is a `report`, that is printed in place of outputs that no file is named
/// for. `digits`: of values in texts, 0 as usual. False with an error reported; then no file is written.
bool deliverOutputs(Session &session, const KernelCall &call, const OutputFiles &files,
                    const std::optional<std::string> &report, int digits);

} // namespace spc::driver
