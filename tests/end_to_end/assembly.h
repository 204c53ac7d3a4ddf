// Table-driven checks of kernels whose sparse outputs are assembled.
#pragma once

#include "end_to_end/expressions.h"

namespace spc::testing {

/// Kernels that are compiled and found right, and data sets that they ran on.
struct Tally {
  int64_t kernels = 0;
  int64_t dataSets = 0;
};

/// Data for assembling kernels with that many independent extents: what
/// trialsFor() has, operands of different fills, sizes that several chunks
/// share, chunks in other orders and on threads.
std::vector<Trial> assemblyTrials(int extentClasses);

/// Compiles `statements` under the assignments, the types of values and indices
/// taking turns, and checks each kernel on assemblyTrials(): that none is
/// refused or wrong. `first` is the number of the first assignment. Of every
/// `stride` numbers it takes one, with little optimisation; all of them, with
/// more, where the environment variable SPC_TEST_ALL is set.
Tally checkAssembly(const std::string &statements, const std::vector<Formats> &assignments, size_t stride = 1,
                    size_t first = 0);

} // namespace spc::testing
