// Eigen's sparse matrices. It uses one thread for all of these.
#include "task.h"

#include <Eigen/SparseCore>

#include <memory>

namespace assembly {
namespace {

template <class T> using Rows = Eigen::SparseMatrix<T, Eigen::RowMajor, int32_t>;
template <class T> using Columns = Eigen::SparseMatrix<T, Eigen::ColMajor, int32_t>;
template <class T> using Triplets = std::vector<Eigen::Triplet<T, int32_t>>;

template <class T> auto viewOf(const Csr<T> &a) {
  return Eigen::Map<const Rows<T>>(a.rows, a.columns, Eigen::Index(a.values.size()), a.pointers.data(),
                                   a.indices.data(), a.values.data());
}

/// The arrays of either storage order, whose outer dimension becomes the rows.
template <class Matrix> Csr<typename Matrix::Scalar> copyOf(const Matrix &a) {
  const int64_t count = a.outerIndexPtr()[a.outerSize()];
  return {a.outerSize(),
          a.innerSize(),
          {a.outerIndexPtr(), a.outerIndexPtr() + a.outerSize() + 1},
          {a.innerIndexPtr(), a.innerIndexPtr() + count},
          {a.valuePtr(), a.valuePtr() + count}};
}

/// `compute` fills an empty matrix.
template <class Matrix> Contender<typename Matrix::Scalar> contender(const std::function<void(Matrix &)> &compute) {
  auto result = std::make_shared<Matrix>();
  return {"eigen", [=] { compute(*result); }, [=] { return copyOf(*result); }, [=] { Matrix().swap(*result); }};
}

template <class T> Contender<T> fromTriplets(const Coo<T> &a) {
  auto triplets = std::make_shared<Triplets<T>>();
  for (size_t e = 0; e < a.values.size(); ++e)
    triplets->emplace_back(a.row[e], a.column[e], a.values[e]);
  return contender<Rows<T>>([=, rows = a.rows, columns = a.columns](Rows<T> &result) {
    result.resize(rows, columns);
    result.setFromTriplets(triplets->begin(), triplets->end());
  });
}

} // namespace

template <class T>
std::optional<Contender<T>> eigenContender(Operation operation, const Input<T> &input, int /*threads*/) {
  switch (operation) {
  case Operation::Square:
    return contender<Rows<T>>([a = viewOf(input.csr)](Rows<T> &result) { result = a * a; });
  case Operation::TimesTranspose:
    return contender<Rows<T>>([a = viewOf(input.csr)](Rows<T> &result) { result = a * a.transpose(); });
  case Operation::Plus:
    return contender<Rows<T>>([a = viewOf(input.csr), b = viewOf(input.other)](Rows<T> &result) { result = a + b; });
  case Operation::PlusTranspose: // terms of a sum must have one storage order
    return contender<Rows<T>>([a = viewOf(input.csr)](Rows<T> &result) { result = a + Rows<T>(a.transpose()); });
  case Operation::ToColumns:
    return contender<Columns<T>>([a = viewOf(input.csr)](Columns<T> &result) { result = a; });
  case Operation::FromSorted:
  case Operation::FromShuffled:
    return fromTriplets(input.coo);
  }
  return std::nullopt;
}

template std::optional<Contender<double>> eigenContender(Operation, const Input<double> &, int);
template std::optional<Contender<float>> eigenContender(Operation, const Input<float> &, int);

} // namespace assembly
