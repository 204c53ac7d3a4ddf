// Eigen's sparse matrices: products with dense ones, which use OpenMP's threads where rows are stored.
#include "task.h"

#include <Eigen/SparseCore>

namespace values {
namespace {

template <class T> using Dense = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
template <class T> using Vector = Eigen::Matrix<T, Eigen::Dynamic, 1>;

template <class T> auto viewOf(const Csr<T> &a) {
  return Eigen::Map<const Eigen::SparseMatrix<T, Eigen::RowMajor, int32_t>>(
      a.rows, a.columns, a.entries(), a.pointers.data(), a.indices.data(), a.values.data());
}

} // namespace

template <class T> void addEigen(Contenders<T> &contenders, const Problem<T> &problem, int threads) {
  if (!problem.sparse)
    return;
  const auto a = viewOf(*problem.sparse);
  const T *right = problem.right.data();
  T *result = problem.result.data();
  if (problem.kernel == Kernel::Spmv)
    contenders.push_back({"eigen", "", [=] {
                            Eigen::setNbThreads(threads);
                            Eigen::Map<const Vector<T>> x(right, a.cols());
                            Eigen::Map<Vector<T>>(result, a.rows()).noalias() = a * x;
                          }});
  if (problem.kernel == Kernel::Spmm)
    contenders.push_back({"eigen", "", [=, k = problem.width] {
                            Eigen::setNbThreads(threads);
                            Eigen::Map<const Dense<T>> b(right, a.cols(), k);
                            Eigen::Map<Dense<T>>(result, a.rows(), k).noalias() = a * b;
                          }});
  if (problem.kernel == Kernel::Gcn)
    contenders.push_back({"eigen", "", [=, left = problem.left.data(), y = problem.scratch.data(), k = problem.width] {
                            Eigen::setNbThreads(threads);
                            Eigen::Map<const Dense<T>> x(left, a.cols(), kFeatures), w(right, kFeatures, k);
                            Eigen::Map<Dense<T>> inner(y, a.cols(), k);
                            inner.noalias() = x * w;
                            Eigen::Map<Dense<T>>(result, a.rows(), k).noalias() = a * inner;
                          }});
}

template void addEigen(Contenders<double> &, const Problem<double> &, int);
template void addEigen(Contenders<float> &, const Problem<float> &, int);

} // namespace values
