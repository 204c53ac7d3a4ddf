// Reductions within a statement as statements of their own, so that parts may exchange between both.
#pragma once

#include "sema/program.h"

#include <optional>

namespace spc::cut {

/// The program where reductions that stand within a statement's value are temporaries before it; nullopt where there
/// are none, and where a temporary would have elements that sparse operands of the statement leave out.
std::optional<sema::Program> hoisted(const sema::Program &program, size_t statement);

} // namespace spc::cut
