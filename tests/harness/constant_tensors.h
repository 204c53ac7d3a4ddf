// The constants of kernels under test, read apart from sema.
#pragma once

#include "harness/dense_evaluator.h"
#include "harness/extent_classes.h"
#include "sema/kernel.h"

namespace spc::testing {

/// The constants that a kernel reads as the language sees them, by what their texts say: elements that are what missing
/// ones would be are none, but in runs that a format stores whole.
TensorMap constantTensors(const sema::Kernel &kernel, const ExtentClasses &classes);

} // namespace spc::testing
