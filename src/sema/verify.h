// A check of what later stages take for granted of a planned kernel.
#pragma once

#include "sema/kernel.h"
#include "support/diagnostic.h"

#include <optional>
#include <string>

namespace spc::sema {

/// The first broken invariant of a planned kernel and where it is broken, in words: "step 1, term 2, operand 1 (A): …".
/// nullopt where all hold. Takes any kernel whose ids, expressions and domains may be wrong, too.
std::optional<std::string> brokenInvariant(const Kernel &kernel);

/// Reports a broken invariant as an internal error.
void verifyPlan(const Kernel &kernel, Diagnostics &diagnostics);

} // namespace spc::sema
