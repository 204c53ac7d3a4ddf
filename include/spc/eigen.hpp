/// Eigen's matrices as operands and outputs of kernels, and results as Eigen's matrices.
/// SPDX-License-Identifier: Apache-2.0
#ifndef SPC_EIGEN_HPP
#define SPC_EIGEN_HPP

#include "spc.hpp"

#include <Eigen/Core>
#include <Eigen/SparseCore>

#if __cplusplus >= 202002L // spc.hpp says what is missing

namespace spc {

template <> inline constexpr std::string_view value_name<Eigen::half> = "f16";
template <> inline constexpr std::string_view value_name<Eigen::bfloat16> = "bf16";

namespace detail {

template <typename D> void dense_base(const Eigen::DenseBase<D> &);
template <typename D> void sparse_base(const Eigen::SparseCompressedBase<D> &);

/// Eigen's dense objects whose elements lie in memory: matrices, arrays, maps, refs, blocks, their transposes.
template <typename M>
concept eigen_dense = requires(const M &m) { dense_base(m); } && (int(M::Flags) & Eigen::DirectAccessBit) != 0;

/// Eigen's sparse objects in compressed storage or one that can be compressed.
template <typename M>
concept eigen_sparse = requires(const M &m) { sparse_base(m); };

/// Whether an argument is an object that would be gone after the statement, with the elements.
template <typename M>
concept eigen_temporary = !std::is_reference_v<M> && std::is_same_v<std::remove_cv_t<M>, typename M::PlainObject>;

/// The place where the entries of a part of a sparse matrix begin in the arrays, which are those of the whole one.
template <typename M> int64_t first_entry(const M &m) {
  return m.outerIndexPtr() != nullptr ? int64_t(m.outerIndexPtr()[0]) : 0;
}

} // namespace detail

/// A dense matrix by rows (`spc_dense2_f64`) or by columns (`spc_dense2_10_f64`), or a vector; const ones as operands
/// alone.
template <typename M>
  requires detail::eigen_dense<std::remove_cvref_t<M>>
[[nodiscard]] auto view(M &&m) {
  static_assert(!detail::eigen_temporary<M>, "the view would outlive the matrix");
  using Matrix = std::remove_cvref_t<M>;
  using T = std::remove_pointer_t<decltype(m.data())>;
  const int64_t inner = m.innerStride(), outer = m.outerStride();
  if constexpr (Matrix::IsVectorAtCompileTime)
    return dense_view<T, 1, order::rows>(m.data(), {m.size()}, {inner});
  else if constexpr (Matrix::IsRowMajor)
    return dense_view<T, 2, order::rows>(m.data(), {m.rows(), m.cols()}, {outer, inner});
  else
    return dense_view<T, 2, order::columns>(m.data(), {m.rows(), m.cols()}, {inner, outer});
}

/// A sparse matrix by rows (CSR) or by columns (CSC), or a sparse vector, as an operand. Throws where it is not
/// compressed.
template <typename M>
  requires detail::eigen_sparse<std::remove_cvref_t<M>>
[[nodiscard]] auto view(M &&m) {
  static_assert(!detail::eigen_temporary<M>, "the view would outlive the matrix");
  using Matrix = std::remove_cvref_t<M>;
  using T = typename Matrix::Scalar;
  using I = typename Matrix::StorageIndex;
  const int64_t entries = m.nonZeros();
  if constexpr (Matrix::IsVectorAtCompileTime) {
    const int64_t first = detail::first_entry(m); // of a matrix's row or column
    return sparse_vector_view<T, I>({{m.size(), entries}, {m.innerIndexPtr() + first, m.valuePtr() + first}});
  } else {
    detail::require(m.isCompressed() && m.outerIndexPtr() != nullptr, SPC_ERROR_POINTERS,
                    "the Eigen matrix is not compressed, which makeCompressed() changes");
    detail::require(detail::first_entry(m) == 0, SPC_ERROR_POINTERS, "a part of an Eigen matrix does not start at 0");
    using View = std::conditional_t<bool(Matrix::IsRowMajor), csr_view<T, I>, csc_view<T, I>>;
    return View({{m.rows(), m.cols(), entries}, {m.outerIndexPtr(), m.innerIndexPtr(), m.valuePtr()}});
  }
}

/// The values of a compressed sparse matrix that has the pattern of an operand, as an output that shares it.
template <typename M>
  requires detail::eigen_sparse<std::remove_cvref_t<M>>
[[nodiscard]] auto values(M &&m) {
  static_assert(!detail::eigen_temporary<M>, "the view would outlive the matrix");
  detail::require(m.isCompressed(), SPC_ERROR_POINTERS,
                  "the Eigen matrix is not compressed, which makeCompressed() changes");
  return values_view<typename std::remove_cvref_t<M>::Scalar>(m.valuePtr() + detail::first_entry(m), m.nonZeros());
}

namespace detail {

/// Eigen's type for a struct's values.
template <sparse_struct S> auto eigen_value() {
  using T = value_of<S>;
  if constexpr (std::is_same_v<T, spc_cf32>)
    return std::complex<float>();
  else if constexpr (std::is_same_v<T, spc_cf64>)
    return std::complex<double>();
  else if constexpr (std::is_same_v<T, spc_bf16>)
    return Eigen::bfloat16();
  else if constexpr (std::is_same_v<T, spc_f16>)
    return Eigen::half();
  else
    return T();
}

template <sparse_struct S, typename Levels, int Order, typename P, typename I>
auto eigen_map(const S &tensor, const P *pointers, const I *indices) {
  using T = decltype(eigen_value<S>());
  static_assert(std::is_same_v<P, I>, "Eigen has one type for pointers and indices");
  static_assert(stores<S, Levels, T, P, I>(), "Eigen has no such storage");
  static constexpr I kNone[2] = {0, 0}; // Eigen reads the pointers of no rows
  require(pointers != nullptr || (Order == Eigen::RowMajor ? tensor.nrows : tensor.ncols) == 0, SPC_ERROR_NULL,
          "the tensor has no pointers: nothing has been assembled");
  require(tensor.values != nullptr || tensor.nnz == 0, SPC_ERROR_NULL,
          "the tensor has no values: those of a symbolic phase are yet to be computed");
  using Matrix = Eigen::SparseMatrix<T, Order, I>;
  return Eigen::Map<const Matrix>(tensor.nrows, tensor.ncols, tensor.nnz, pointers != nullptr ? pointers : kNone,
                                  indices != nullptr ? indices : kNone, reinterpret_cast<const T *>(tensor.values));
}

} // namespace detail

/// A CSR or CSC tensor as an Eigen matrix, without a copy: a view of the tensor's arrays.
template <sparse_struct S> [[nodiscard]] auto as_eigen(const S &tensor) {
  if constexpr (requires { tensor.row_ptr; })
    return detail::eigen_map<S, detail::csr_levels, Eigen::RowMajor>(tensor, tensor.row_ptr, tensor.col_ind);
  else
    return detail::eigen_map<S, detail::csc_levels, Eigen::ColMajor>(tensor, tensor.col_ptr, tensor.row_ind);
}
template <sparse_struct S> [[nodiscard]] auto as_eigen(const owner<S> &tensor) {
  return as_eigen(*tensor);
}
template <sparse_struct S> void as_eigen(owner<S> &&tensor) = delete; // the map would outlive the arrays

/// The same as an Eigen matrix of its own.
template <sparse_struct S> [[nodiscard]] auto to_eigen(const S &tensor) {
  const auto map = as_eigen(tensor);
  using Map = std::remove_const_t<decltype(map)>;
  return Eigen::SparseMatrix<typename Map::Scalar, Map::IsRowMajor ? Eigen::RowMajor : Eigen::ColMajor,
                             typename Map::StorageIndex>(map);
}
template <sparse_struct S> [[nodiscard]] auto to_eigen(const owner<S> &tensor) {
  return to_eigen(*tensor);
}

} // namespace spc

#endif
#endif
