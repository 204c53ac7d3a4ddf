// The statuses of kernels that spc run calls.
#pragma once

#include "driver/run_inputs.h"
#include "spc/message.h"

namespace spc::driver {

/// Reports a status other than SPC_OK, with the arguments that it is about, as far as the sizes and the formats of the
/// call tell.
void reportStatus(Session &session, const sema::Kernel &kernel, const RunInputs &inputs, spc_status status);

} // namespace spc::driver
