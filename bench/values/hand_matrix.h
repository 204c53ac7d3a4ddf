// Kernels on matrices written by hand, as the compiler SPC_HAND compiles them.
#pragma once

#include "task.h"

namespace values::SPC_HAND {

/// Appends a contender for each variant of the problem's kernel.
template <class T> void addMatrixKernels(Contenders<T> &, const Problem<T> &, int threads);

} // namespace values::SPC_HAND
