// The divisions of a kernel by what the command line calls them.
#pragma once

#include "driver/shell/session.h"
#include "sema/kernel.h"

#include <string>

namespace spc::driver {

/// The division by the index variable, or else the extent, that --by names, whether or not the kernel may be divided
/// so. Null with an error where there is none.
const sema::IndexDivision *findDivision(Session &session, const sema::Kernel &kernel, const std::string &by);

} // namespace spc::driver
