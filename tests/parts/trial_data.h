// The data of a trial, and their parts.
#pragma once

#include "parts/parts.h"

#include <cstdint>
#include <vector>

namespace spc::testing {

/// The data of a trial; empty where the kernel's formats cannot hold it.
TensorMap dataOf(const AnalyzedKernel &analyzed, const Trial &given);

/// What so many parts have of the data, cut one of several ways by the seed.
std::vector<PartData> partsOf(const AnalyzedKernel &analyzed, const sema::IndexDivision &division,
                              const TensorMap &data, int64_t count, uint64_t seed);

/// How parts of a result become one.
Joining joiningIn(const AnalyzedKernel &analyzed, const sema::IndexDivision &division, const std::string &name);

} // namespace spc::testing
