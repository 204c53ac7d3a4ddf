// Compiled kernels and the evaluator of `spc run --check`, with its own bounds.
#pragma once

#include "harness/kernel_under_test.h"

namespace spc::testing {

/// Calls a kernel on a trial's data, and compares its outputs with what --check expects of them. Returns the empty
/// string, also of what --check does not evaluate, or the first difference. Requires: a compiled kernel that can store
/// the trial.
std::string compareCompiled(const KernelUnderTest &kernel, const Trial &trial);

} // namespace spc::testing
