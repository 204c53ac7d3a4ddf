// The costs of a kernel's operands in the other formats that have names.
#pragma once

#include "driver/shell/front_end.h"
#include "driver/shell/options.h"
#include "driver/shell/session.h"
#include "explain/explanation.h"
#include "host/inputs.h"

#include <string>
#include <vector>

namespace spc::driver {

/// The sparse operands that are given, each in every format that is found by name and has its order; the one that it
/// has now first. `own`: what the kernel costs as it is. Formats in which the kernel cannot be compiled, or the operand
/// not be stored, are there with the reason. Reports what verification finds, where it is wanted, and nothing else.
std::vector<explain::Alternative> otherFormats(Session &session, const KernelInput &input, const sema::Kernel &kernel,
                                               const SharedOptions &options, const host::Inputs &inputs,
                                               const explain::CallCost &own);

} // namespace spc::driver
