// Derivatives that are compiled and called.
#pragma once

#include "grad/gradient_check.h"

namespace spc::testing {

/// Compiles a derivative and compares what it computes with the evaluator. Returns the empty string, also where the
/// compiler refuses it with an error, or what is wrong. `isCompiled` says whether it was called.
std::string checkCompiled(const WrittenDerivative &derivative, const GradientCase &given, uint64_t seed,
                          bool &isCompiled);

} // namespace spc::testing
