// Random kernels of sums, products and quotients of numbers that are near each other.
#pragma once

#include "harness/kernel_spec.h"

#include <string>

namespace spc::testing {

/// A kernel whose results cancel, and what it is one of: "squares", "variance", "products of sums", … The same for the
/// same seed, on every machine.
struct CancellingKernel {
  std::string kind;
  KernelSpec spec;
};
CancellingKernel generateCancelling(uint64_t seed);

/// Data for it, which differ by little for their type.
Trial cancellingTrial(const CancellingKernel &kernel, int extentClasses, uint64_t seed);

} // namespace spc::testing
