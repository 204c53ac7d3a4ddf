// `spc run --check`: results against the kernel's text, evaluated once more without the compiler.
#pragma once

#include "driver/shell/session.h"
#include "host/inputs.h"
#include "host/kernel_call.h"
#include "reference/reference.h"

namespace spc::driver {

/// The outputs that a program, planned as `kernel`, has to have, from inputs that are not packed yet. nullopt with an
/// error reported where the reference does not evaluate such a kernel, or so much, or where sums were multiplied out
/// that may cancel.
std::optional<reference::Tensors> referenceResults(Session &session, const sema::Kernel &kernel,
                                                   const sema::Program &program, const host::Inputs &inputs,
                                                   bool distributes);

/// Compares what a call has left behind, and notes by how much it differs. False where that is more than rounding
/// explains, which is reported as a bug of spc.
bool checkResults(Session &session, const host::KernelCall &call, const reference::Tensors &expected);

} // namespace spc::driver
