// What a call has left in its outputs.
#pragma once

#include "host/kernel_call.h"

namespace spc::host {

/// What a call has left in the output at position `parameter` of Kernel::parameters, all parts of a sum together; of
/// order 0 one entry, without coordinates or, `toMatrix`, as that of a 1 x 1 matrix.
tensor::Coordinates resultOf(const KernelCall &call, size_t parameter, bool toMatrix = false);

} // namespace spc::host
