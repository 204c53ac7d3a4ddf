// The data of a trial, and their parts.
#pragma once

#include "parts/parts.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace spc::testing {

/// The data of a trial; empty where the kernel's formats cannot hold it.
TensorMap dataOf(const AnalyzedKernel &analyzed, const Trial &given);

/// Calls `problemOn` with the data of some trials. Gives the first problem, with its trial, or nothing; counts the
/// trials that are not evaluated.
std::string problemOnTrials(const AnalyzedKernel &analyzed, uint64_t seed, int64_t &unsupported,
                            const std::function<std::string(const TensorMap &, const Trial &)> &problemOn);

/// What so many parts have of the data, cut one of several ways by the seed.
std::vector<PartData> partsOf(const AnalyzedKernel &analyzed, const sema::IndexDivision &division,
                              const TensorMap &data, int64_t count, uint64_t seed);

/// How parts of a result become one.
Joining joiningIn(const AnalyzedKernel &analyzed, const sema::IndexDivision &division, const std::string &name);

} // namespace spc::testing
