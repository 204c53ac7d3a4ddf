// The statuses that kernels return, in words.
#pragma once

#include "host/inputs.h"
#include "spc/message.h"

namespace spc::host {

/// Reports a status other than SPC_OK, with the arguments that it is about, as far as the sizes and the formats of the
/// call tell.
void reportStatus(Session &session, const sema::Kernel &kernel, const Inputs &inputs, spc_status status);

} // namespace spc::host
