#include "problem.h"

#include "harness.h"

namespace values {
namespace {

template <class T> std::vector<T> randomMatrix(int64_t rows, int64_t columns, uint64_t seed) {
  const std::vector<double> drawn = randomValues(size_t(rows * columns), seed);
  return {drawn.begin(), drawn.end()};
}

/// Calls visit(i, p) for each entry p, in row i.
template <class T, class Visit> void forEachEntry(const Csr<T> &a, Visit visit) {
  for (int64_t i = 0; i < a.rows; ++i)
    for (int32_t p = a.pointers[i]; p < a.pointers[i + 1]; ++p)
      visit(i, p);
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
  }
  return "";
}

std::vector<int64_t> defaultWidths(Kernel kernel) {
  switch (kernel) {
  case Kernel::Spmv:
    return {1};
  case Kernel::Spmm:
    return {1, 8, 32, 100, 128, 512};
  case Kernel::Sddmm:
    return {16, 64, 100};
  }
  return {};
}

template <class T> Problem<T> makeProblem(Kernel kernel, std::shared_ptr<const Csr<T>> sparse, int64_t width) {
  const Csr<T> &a = *sparse;
  Problem<T> problem{kernel, sparse, width, {}, randomMatrix<T>(a.columns, width, 2), {}};
  if (kernel == Kernel::Sddmm) {
    problem.left = randomMatrix<T>(a.rows, width, 3);
    problem.result.resize(a.values.size());
  } else {
    problem.result.resize(size_t(a.rows * width));
  }
  return problem;
}

template <class T> std::vector<double> expectedResult(const Problem<T> &problem) {
  const Csr<T> &a = *problem.sparse;
  const int64_t k = problem.width;
  std::vector<double> result(problem.result.size(), 0);
  forEachEntry(a, [&](int64_t i, int32_t p) {
    const T *right = problem.right.data() + int64_t(a.indices[p]) * k;
    const double value = a.values[p];
    if (problem.kernel == Kernel::Sddmm) {
      for (int64_t l = 0; l < k; ++l)
        result[p] += value * double(problem.left[i * k + l]) * double(right[l]);
    } else {
      for (int64_t l = 0; l < k; ++l)
        result[i * k + l] += value * double(right[l]);
    }
  });
  return result;
}

template <class T> Cost costOf(const Problem<T> &problem) {
  const Csr<T> &a = *problem.sparse;
  const double structure = double(a.pointers.size() + a.indices.size()) * sizeof(int32_t);
  const double elements =
      double(a.values.size() + problem.left.size() + problem.right.size() + problem.result.size()) * sizeof(T);
  const double perEntry = problem.kernel == Kernel::Sddmm ? 2 * double(problem.width) + 1 : 2 * double(problem.width);
  return {perEntry * double(a.entries()), structure + elements};
}

template Problem<double> makeProblem(Kernel, std::shared_ptr<const Csr<double>>, int64_t);
template Problem<float> makeProblem(Kernel, std::shared_ptr<const Csr<float>>, int64_t);
template std::vector<double> expectedResult(const Problem<double> &);
template std::vector<double> expectedResult(const Problem<float> &);
template Cost costOf(const Problem<double> &);
template Cost costOf(const Problem<float> &);

} // namespace values
