// Random kernels of the language, formats included: mostly valid ones, since invalid ones test only the front end.
#pragma once

#include "harness/data.h"
#include "harness/kernel_spec.h"

namespace spc::testing {

/// A kernel of one to three statements; the same for the same seed, on every machine.
KernelSpec generateKernel(uint64_t seed);
KernelSpec generateKernel(Random random);

/// Has the types given from outside, by way of a type parameter, and conversions to `f32` be to that.
void giveTypes(KernelSpec &spec);

/// Has an operand be a constant of random shape and numbers, if there is one whose size no window depends on.
void takeConstant(KernelSpec &spec, uint64_t seed);

/// A shape and data for a kernel with that many independent extents.
Trial generateTrial(int extentClasses, uint64_t seed);

/// `text` with a few bytes or tokens deleted, doubled, swapped or replaced.
std::string mutate(const std::string &text, Random &random);

} // namespace spc::testing
