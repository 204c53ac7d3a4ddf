// An error and a warning to report in tests.
#pragma once

#include "support/diagnostic.h"

namespace spc {

constexpr DiagnosticKind kBroken{"broken", Severity::Error};
constexpr DiagnosticKind kReorder{"reorder", Severity::Warning};

} // namespace spc
