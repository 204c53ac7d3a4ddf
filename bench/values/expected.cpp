#include "problem.h"

namespace values {
namespace {

/// Calls visit(i, p) for each entry p, in row i.
template <class T, class Visit> void forEachEntry(const Csr<T> &a, Visit visit) {
  for (int64_t i = 0; i < a.rows; ++i)
    for (int32_t p = a.pointers[i]; p < a.pointers[i + 1]; ++p)
      visit(i, p);
}

/// Calls visit(i, j, p) for each entry p, in fiber (i, j).
template <class T, class Visit> void forEachEntry(const Csf<T> &t, Visit visit) {
  for (size_t s = 0; s < t.slices.size(); ++s)
    for (int32_t f = t.fiberPointers[s]; f < t.fiberPointers[s + 1]; ++f)
      for (int32_t p = t.entryPointers[f]; p < t.entryPointers[f + 1]; ++p)
        visit(int64_t(t.slices[s]), int64_t(t.fibers[f]), p);
}

/// A times the matrix `right` of `width` columns.
template <class T, class Dense> std::vector<double> product(const Csr<T> &a, const Dense &right, int64_t width) {
  std::vector<double> result(size_t(a.rows * width), 0);
  forEachEntry(a, [&](int64_t i, int32_t p) {
    for (int64_t l = 0; l < width; ++l)
      result[i * width + l] += double(a.values[p]) * double(right[a.indices[p] * width + l]);
  });
  return result;
}

template <class T> std::vector<double> sampled(const Problem<T> &problem) {
  const Csr<T> &s = *problem.sparse;
  const int64_t k = problem.width;
  std::vector<double> result(s.values.size(), 0);
  forEachEntry(s, [&](int64_t i, int32_t p) {
    for (int64_t l = 0; l < k; ++l)
      result[p] += double(s.values[p]) * double(problem.left[i * k + l]) * double(problem.right[s.indices[p] * k + l]);
  });
  return result;
}

template <class T> std::vector<double> contracted(const Problem<T> &problem) {
  const Csf<T> &t = *problem.tensor;
  const int64_t width = problem.width;
  std::vector<double> result(problem.result.size(), 0);
  forEachEntry(t, [&](int64_t i, int64_t j, int32_t p) {
    const T *right = &problem.right[t.entries[p] * width];
    for (int64_t r = 0; r < width; ++r)
      if (problem.kernel == Kernel::Mttkrp)
        result[i * width + r] += double(t.values[p]) * double(problem.left[j * width + r]) * double(right[r]);
      else
        result[(i * t.shape[1] + j) * width + r] += double(t.values[p]) * double(right[r]);
  });
  return result;
}

} // namespace

template <class T> std::vector<double> expectedResult(const Problem<T> &problem) {
  const int64_t width = problem.width;
  switch (problem.kernel) {
  case Kernel::Spmv:
  case Kernel::Spmm:
  case Kernel::BsrSpmv:
  case Kernel::BsrSpmm:
    return product(*problem.sparse, problem.right, width);
  case Kernel::Sddmm:
    return sampled(problem);
  case Kernel::Mttkrp:
  case Kernel::Ttv:
  case Kernel::Ttm:
    return contracted(problem);
  case Kernel::Gcn: {
    std::vector<double> inner(problem.scratch.size(), 0);
    for (size_t x = 0; x < problem.left.size(); ++x)
      for (int64_t l = 0; l < width; ++l)
        inner[x / kFeatures * width + l] += double(problem.left[x]) * double(problem.right[x % kFeatures * width + l]);
    return product(*problem.sparse, inner, width);
  }
  }
  return {};
}

template std::vector<double> expectedResult(const Problem<double> &);
template std::vector<double> expectedResult(const Problem<float> &);

} // namespace values
