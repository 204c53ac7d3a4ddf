// A derivative as a kernel file. Private to this folder.
#pragma once

#include "grad/derivative.h"

namespace spc::grad {

/// The file: what it is and what its arguments are, its signature, its declarations, its statements.
std::string writeText(const sema::Program &kernel, const Request &request, const Program &program,
                      const Derivative &derivative);

} // namespace spc::grad
