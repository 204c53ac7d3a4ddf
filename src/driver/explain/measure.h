// Measurements of `spc explain --measure`, and the sources of an explanation.
#pragma once

#include "driver/shell/session.h"
#include "explain/explanation.h"
#include "host/call_memory.h"
#include "host/inputs.h"

#include <optional>

namespace spc::driver {

/// Calls the kernel on all inputs as `spc run --bench` does, on as many threads. nullopt with an error reported.
std::optional<explain::MeasuredTime> measureCall(Session &session, const sema::Kernel &kernel,
                                                 const host::Inputs &given, int optLevel, host::Pages pages);

/// This version of spc, this machine and this command line.
explain::Provenance provenanceOf(const Session &session);

} // namespace spc::driver
