// Kernels written for this bench, as the compiler SPC_HAND compiles them.
#pragma once

#include "task.h"

namespace values::SPC_HAND {

/// Each appends a contender for each variant of the problem's kernel, where it has that kernel.
template <class T> void addMatrixKernels(Contenders<T> &, const Problem<T> &, int threads);
template <class T> void addBlockKernels(Contenders<T> &, const Problem<T> &, int threads);
template <class T> void addTensorKernels(Contenders<T> &, const Problem<T> &, int threads);
template <class T> void addTacoLoops(Contenders<T> &, const Problem<T> &, int threads);

} // namespace values::SPC_HAND
