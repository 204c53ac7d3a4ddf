// The text of a kernel that is tested: its declarations, and what it says of types.
#pragma once

#include "format/format_file.h"
#include "harness/kernel_spec.h"

namespace spc::testing {

/// The type of a tensor that is declared.
sema::ValueType typeOf(const KernelSpec &spec, const std::string &tensor);

/// The statements with the type in place of its parameter.
std::string literalStatements(const KernelSpec &spec);

/// Declarations with one extent name a class, then the statements.
std::string kernelText(const KernelSpec &spec, const ExtentClasses &classes);

/// What --type says beside that text.
std::vector<format::GivenType> givenTypes(const KernelSpec &spec, const ExtentClasses &classes, SourceManager &sources,
                                          Diagnostics &diagnostics);

} // namespace spc::testing
