// What a run will cost, said before it begins.
#pragma once

#include "driver/kernel_call.h"

namespace spc::driver {

/// Notes the steps that the kernel takes on this data where they are many, and warns where they take hours; -v logs
/// them in any case. Steps over entries that the call works out are left out.
void reportCost(Session &session, const sema::Kernel &kernel, const RunInputs &inputs,
                const std::vector<CallArgument> &arguments);

} // namespace spc::driver
