/// Dense operands and outputs over the caller's memory. Part of spc/spc.hpp.
/// SPDX-License-Identifier: Apache-2.0
#ifndef SPC_CPP_DENSE_HPP
#define SPC_CPP_DENSE_HPP

#include "sparse.hpp"

#include <array>
#include <limits>

namespace spc {

/// How the elements of a dense view lie: known when it is compiled, or told by its strides.
enum class order { rows, columns, strides };

namespace detail {

template <size_t N> using dense_fields = fields<2 * N, 1>;

/// The dimension whose stride has to be 1 in a struct of dense tensors of order N; -1 where the struct is another one.
template <typename S, value T, size_t N> consteval int innermost(order known) {
  std::string_view name = name_of<S>();
  if (!take(name, "spc_dense") || !take_number(name, N))
    return -1;
  int inner = int(N) - 1;
  bool ascends = true, descends = true;
  if (N > 1 && name.size() > N && name[0] == '_' && name[1] >= '0' && name[1] <= '9') {
    for (size_t level = 0; level < N; ++level) {
      inner = name[1 + level] - '0';
      ascends &= inner == int(level);
      descends &= inner == int(N - 1 - level);
    }
    name.remove_prefix(1 + N);
  } else {
    descends = N == 1;
  }
  const bool agrees = known == order::strides || (known == order::rows ? ascends : descends);
  return take_value<T>(name) && name.empty() && agrees ? inner : -1;
}

template <typename S, typename T, size_t N, order Known>
concept dense_target = (std::is_const_v<S> || !std::is_const_v<T>) &&
                       (innermost<std::remove_const_t<S>, std::remove_const_t<T>, N>(Known) >= 0);

} // namespace detail

/// A dense tensor: converts to a pointer or a reference to the struct of its order and type, that of an operand (const)
/// or, where the elements may be written, of an output. Refers to elements that have to outlive it.
template <typename T, size_t N, order Known>
  requires value<std::remove_const_t<T>>
class dense_view {
public:
  using extents = std::array<int64_t, N>;

  /// Strides in elements.
  dense_view(T *values, const extents &shape, const extents &strides) : image_(fields_of(values, shape, strides)) {
    for (size_t d = 0; d < N; ++d)
      fits_[d] = shape[d] <= 1 || (N == 1 ? strides[d] != 0 : strides[d] == 1);
  }

  /// Throws where the struct wants another stride to be 1, or a vector's is 0.
  template <detail::dense_target<T, N, Known> S> operator S *() const SPC_LIFETIMEBOUND {
    return &static_cast<S &>(*this);
  }

  template <detail::dense_target<T, N, Known> S> operator S &() const SPC_LIFETIMEBOUND {
    constexpr int inner = detail::innermost<std::remove_const_t<S>, std::remove_const_t<T>, N>(Known);
    detail::require(fits_[size_t(inner)], SPC_ERROR_STRIDE, "elements do not lie in the order of the kernel's format");
    return *image_.template as<S>();
  }

private:
  static detail::dense_fields<N> fields_of(T *values, const extents &shape, const extents &strides) {
    detail::dense_fields<N> all = {};
    for (size_t d = 0; d < N; ++d) {
      detail::require(shape[d] >= 0, SPC_ERROR_SHAPE, "an extent is negative");
      all.numbers[d] = shape[d];
      all.numbers[N + d] = strides[d];
    }
    all.arrays[0] = values;
    return all;
  }

  detail::image<detail::dense_fields<N>> image_;
  bool fits_[N]; ///< by dimension, whether its stride may be the innermost one
};

namespace detail {

/// Strides without gaps, the last dimension inside or the first one.
template <size_t N>
std::array<int64_t, N> packed(const std::array<int64_t, N> &shape, bool firstInside, int64_t &count) {
  std::array<int64_t, N> strides = {};
  count = 1;
  for (size_t k = 0; k < N; ++k) {
    const size_t d = firstInside ? k : N - 1 - k;
    strides[d] = count;
    require(shape[d] >= 0 && spc_detail_multiply(count, shape[d], &count), SPC_ERROR_SHAPE,
            "an extent is negative or too large");
  }
  return strides;
}

template <order Known, array R, size_t N> auto contiguous(R &&elements, const std::array<int64_t, N> &shape) {
  int64_t count = 0;
  const std::array<int64_t, N> strides = packed(shape, Known == order::columns, count);
  require(count == length(elements), SPC_ERROR_SHAPE, "there are not as many elements as the extents say");
  return dense_view<element<R>, N, Known>(std::ranges::data(elements), shape, strides);
}

} // namespace detail

/// A vector over memory of the caller's, neighbours being `stride` elements apart; backwards from `first` where that is
/// negative. Calls copy it, and copy results back (docs/abi.md, "Structs").
template <typename T>
  requires value<std::remove_const_t<T>>
[[nodiscard]] dense_view<T, 1, order::strides> dense_strided(T *first, int64_t size, int64_t stride) {
  return {first, {size}, {stride}};
}

/// A vector over an array.
template <array R> [[nodiscard]] auto dense(R &&elements) {
  return detail::contiguous<order::rows>(elements, std::array<int64_t, 1>{detail::length(elements)});
}

/// A tensor over an array of as many elements, the last dimension inside: `dense(values, rows, columns)`.
template <array R, std::convertible_to<int64_t>... Extents>
  requires(sizeof...(Extents) > 0 && !(std::floating_point<Extents> || ...))
[[nodiscard]] auto dense(R &&elements, Extents... shape) {
  return detail::contiguous<order::rows>(elements, std::array{static_cast<int64_t>(shape)...});
}

/// The same with the first dimension inside: a matrix by columns.
template <array R, std::convertible_to<int64_t>... Extents>
  requires(sizeof...(Extents) > 1 && !(std::floating_point<Extents> || ...))
[[nodiscard]] auto dense_by_columns(R &&elements, Extents... shape) {
  return detail::contiguous<order::columns>(elements, std::array{static_cast<int64_t>(shape)...});
}

/// std::mdspan, Kokkos::mdspan and what looks like one whose elements lie in memory.
template <typename M>
concept mdspan_like = requires(const M &m) {
  typename M::element_type;
  { M::rank() } -> std::convertible_to<size_t>;
  { m.extent(size_t()) } -> std::convertible_to<int64_t>;
  { m.stride(size_t()) } -> std::convertible_to<int64_t>;
  { m.data_handle() } -> std::convertible_to<typename M::element_type *>;
};

/// An mdspan. Which of the structs for its rank it fits, its strides say when it is passed.
template <typename M>
  requires(mdspan_like<std::remove_cvref_t<M>> && std::remove_cvref_t<M>::rank() > 0)
[[nodiscard]] auto view(const M &m) {
  constexpr size_t rank = M::rank();
  std::array<int64_t, rank> shape = {}, strides = {};
  for (size_t d = 0; d < rank; ++d) {
    shape[d] = static_cast<int64_t>(m.extent(d));
    strides[d] = static_cast<int64_t>(m.stride(d));
  }
  return dense_view<typename M::element_type, rank, order::strides>(m.data_handle(), shape, strides);
}

} // namespace spc

#endif
