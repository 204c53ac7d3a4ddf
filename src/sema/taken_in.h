// What statements make of what comes to an element, other than by adding it up.
#pragma once

#include "language/function.h"
#include "language/operators.h"

#include <optional>

namespace spc::sema {

/// The reduction by which `min=`, `max=` and `or=` take values in; nullopt of `=` and `+=`.
std::optional<language::Reduction> takenInBy(language::AssignOp op);

} // namespace spc::sema
