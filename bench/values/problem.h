// Problems made from an input's entries, what they must give, and what they cost at least.
#pragma once

#include "task.h"

#include "tensor/tensor.h"

namespace values {

inline constexpr Kernel kKernels[] = {Kernel::Spmv, Kernel::Spmm, Kernel::Sddmm};

/// "spmv"
const char *spelling(Kernel kernel);

/// The widths of dense operands that a kernel is measured at; {1} where it has none.
std::vector<int64_t> defaultWidths(Kernel kernel);

/// Dense operands are drawn at random.
template <class T> Problem<T> makeProblem(Kernel kernel, std::shared_ptr<const Csr<T>> sparse, int64_t width);

/// The result, computed in the simplest way there is, in double.
template <class T> std::vector<double> expectedResult(const Problem<T> &problem);

/// Operations, and bytes of operands and results, each counted once.
struct Cost {
  double flops, bytes;
};
template <class T> Cost costOf(const Problem<T> &problem);

} // namespace values
