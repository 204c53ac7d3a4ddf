#include "problem.h"

#include "harness.h"

#include <algorithm>

namespace values {
namespace {

template <class T> Elements<T> randomMatrix(int64_t rows, int64_t columns, uint64_t seed) {
  const std::vector<double> drawn = randomValues(size_t(rows * columns), seed);
  return {drawn.begin(), drawn.end()};
}

/// Rows of the two dense operands, each `width` wide or, of Gcn's first one, kFeatures; 0: there is no such operand.
struct OperandRows {
  int64_t left, right;
};

template <class T> OperandRows operandRows(Kernel kernel, const Storage<T> &storage) {
  switch (kernel) {
  case Kernel::Spmv:
  case Kernel::Spmm:
  case Kernel::BsrSpmv:
  case Kernel::BsrSpmm:
    return {0, storage.sparse->columns};
  case Kernel::Sddmm:
    return {storage.sparse->rows, storage.sparse->columns};
  case Kernel::Mttkrp:
    return {storage.tensor->shape[1], storage.tensor->shape[2]};
  case Kernel::Ttv:
  case Kernel::Ttm:
    return {0, storage.tensor->shape[2]};
  case Kernel::Gcn:
    return {storage.sparse->columns, kFeatures};
  }
  return {0, 0};
}

template <class T> int64_t resultSize(Kernel kernel, const Storage<T> &storage, int64_t width) {
  switch (kernel) {
  case Kernel::Sddmm:
    return storage.sparse->entries();
  case Kernel::Mttkrp:
    return storage.tensor->shape[0] * width;
  case Kernel::Ttv:
  case Kernel::Ttm:
    return storage.tensor->shape[0] * storage.tensor->shape[1] * width;
  default:
    return storage.sparse->rows * width;
  }
}

template <class... Arrays> double bytesOf(const Arrays &...arrays) {
  return (0.0 + ... + double(arrays.size() * sizeof(arrays[0])));
}

} // namespace

const char *spelling(Kernel kernel) {
  switch (kernel) {
  case Kernel::Spmv:
    return "spmv";
  case Kernel::Spmm:
    return "spmm";
  case Kernel::Sddmm:
    return "sddmm";
  case Kernel::BsrSpmv:
    return "bsr-spmv";
  case Kernel::BsrSpmm:
    return "bsr-spmm";
  case Kernel::Mttkrp:
    return "mttkrp";
  case Kernel::Ttv:
    return "ttv";
  case Kernel::Ttm:
    return "ttm";
  case Kernel::Gcn:
    return "gcn";
  }
  return "";
}

std::vector<int64_t> defaultWidths(Kernel kernel) {
  switch (kernel) {
  case Kernel::Spmv:
  case Kernel::BsrSpmv:
  case Kernel::Ttv:
    return {1};
  case Kernel::Spmm:
    return {1, 8, 32, 100, 128, 512};
  case Kernel::Sddmm:
    return {16, 64, 100};
  case Kernel::BsrSpmm:
  case Kernel::Mttkrp:
  case Kernel::Ttm:
  case Kernel::Gcn:
    return {32};
  }
  return {};
}

std::string caseOf(Kernel kernel, int64_t width) {
  if (defaultWidths(kernel) == std::vector<int64_t>{1})
    return "";
  const bool rank = kernel == Kernel::Mttkrp || kernel == Kernel::Ttm;
  return (rank ? "R=" : "K=") + std::to_string(width);
}

template <class T> bool fits(Kernel kernel, const Storage<T> &storage, int64_t width) {
  constexpr int64_t mostBytes = int64_t(1) << 29;
  switch (kernel) {
  case Kernel::BsrSpmv:
  case Kernel::BsrSpmm:
    if (!storage.blocks)
      return false;
    break;
  case Kernel::Mttkrp:
  case Kernel::Ttv:
  case Kernel::Ttm:
    if (!storage.tensor || storage.tensor->values.empty())
      return false;
    break;
  default:
    if (!storage.sparse || (kernel == Kernel::Gcn && storage.sparse->rows != storage.sparse->columns))
      return false;
  }
  const OperandRows rows = operandRows(kernel, storage);
  const int64_t largest = std::max({rows.left * width, rows.right * width, resultSize(kernel, storage, width)});
  return largest <= mostBytes / int64_t(sizeof(T));
}

template <class T> Problem<T> makeProblem(Kernel kernel, const Storage<T> &storage, int64_t width) {
  Problem<T> problem{kernel, storage.sparse, storage.blocks, storage.tensor, width, {}, {}, {}, {}};
  const OperandRows rows = operandRows(kernel, storage);
  problem.left = randomMatrix<T>(rows.left, kernel == Kernel::Gcn ? kFeatures : width, 3);
  problem.right = randomMatrix<T>(rows.right, width, 2);
  problem.result.resize(size_t(resultSize(kernel, storage, width)));
  if (kernel == Kernel::Gcn)
    problem.scratch.resize(size_t(rows.left * width));
  return problem;
}

template <class T> Cost costOf(const Problem<T> &problem) {
  const auto width = double(problem.width);
  const double dense = bytesOf(problem.left, problem.right, problem.result);
  if (problem.tensor) {
    const Csf<T> &t = *problem.tensor;
    const double sparse = bytesOf(t.slices, t.fiberPointers, t.fibers, t.entryPointers, t.entries, t.values);
    const double fibers = problem.kernel == Kernel::Mttkrp ? double(t.fibers.size()) : 0;
    return {2 * width * (double(t.values.size()) + fibers), sparse + dense};
  }
  if (problem.kernel == Kernel::BsrSpmv || problem.kernel == Kernel::BsrSpmm) {
    const Bsr<T> &a = *problem.blocks;
    return {2 * width * double(a.values.size()), bytesOf(a.pointers, a.indices, a.values) + dense};
  }
  const Csr<T> &a = *problem.sparse;
  double flops = 2 * width * double(a.entries());
  if (problem.kernel == Kernel::Sddmm)
    flops += double(a.entries());
  if (problem.kernel == Kernel::Gcn)
    flops += 2 * width * double(problem.left.size());
  return {flops, bytesOf(a.pointers, a.indices, a.values) + dense};
}

template bool fits(Kernel, const Storage<double> &, int64_t);
template bool fits(Kernel, const Storage<float> &, int64_t);
template Problem<double> makeProblem(Kernel, const Storage<double> &, int64_t);
template Problem<float> makeProblem(Kernel, const Storage<float> &, int64_t);
template Cost costOf(const Problem<double> &);
template Cost costOf(const Problem<float> &);

} // namespace values
