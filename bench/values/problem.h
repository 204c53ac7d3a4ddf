// Problems made from an input's entries, what they must give, and what they cost at least.
#pragma once

#include "task.h"

#include "tensor/tensor.h"

namespace values {

inline constexpr Kernel kKernels[] = {Kernel::Spmv,   Kernel::Spmm, Kernel::Sddmm, Kernel::BsrSpmv, Kernel::BsrSpmm,
                                      Kernel::Mttkrp, Kernel::Ttv,  Kernel::Ttm,   Kernel::Gcn};

/// "spmv"
const char *spelling(Kernel kernel);

/// The widths of dense operands that a kernel is measured at; {1} where it has none.
std::vector<int64_t> defaultWidths(Kernel kernel);

/// "K=32"; empty where nothing distinguishes the kernel's cases.
std::string caseOf(Kernel kernel, int64_t width);

/// A tensor in the storage of each kind of kernels; null where it does not fit: matrices of other orders, blocks of
/// which more than half would be padding or that reach over the edge.
template <class T> struct Storage {
  std::shared_ptr<const Csr<T>> sparse;
  std::shared_ptr<const Bsr<T>> blocks;
  std::shared_ptr<const Csf<T>> tensor;
};

/// Requires entries that are sorted and distinct.
template <class T> Storage<T> storageOf(const spc::tensor::Coordinates &entries);

/// Whether the kernel can read the tensor, and its operands and result are of a size that makes sense.
template <class T> bool fits(Kernel kernel, const Storage<T> &storage, int64_t width);

/// Dense operands are drawn at random. Requires: it fits.
template <class T> Problem<T> makeProblem(Kernel kernel, const Storage<T> &storage, int64_t width);

/// The result, computed in the simplest way there is, in double.
template <class T> std::vector<double> expectedResult(const Problem<T> &problem);

/// Operations, and bytes of operands and results, each counted once.
struct Cost {
  double flops, bytes;
};
template <class T> Cost costOf(const Problem<T> &problem);

} // namespace values
