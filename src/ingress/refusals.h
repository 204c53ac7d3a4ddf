// The kinds of what is refused of a module.
#pragma once

#include "support/diagnostic.h"

namespace spc::ingress {

constexpr DiagnosticKind kModuleOperation{"mlir-operation", Severity::Error};
constexpr DiagnosticKind kModuleType{"mlir-type", Severity::Error};
constexpr DiagnosticKind kModuleEncoding{"mlir-encoding", Severity::Error};
constexpr DiagnosticKind kModuleSize{"mlir-size", Severity::Error};
constexpr DiagnosticKind kModuleReduction{"mlir-reduction", Severity::Error};
constexpr DiagnosticKind kModuleConstant{"mlir-constant", Severity::Error};
constexpr DiagnosticKind kUnreadArgument{"unused", Severity::Warning};
constexpr DiagnosticKind kModuleArrays{"mlir-arrays", Severity::Warning};
constexpr DiagnosticKind kModuleUndefined{"mlir-undefined", Severity::Error};

} // namespace spc::ingress
