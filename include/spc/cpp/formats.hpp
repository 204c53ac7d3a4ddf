/// Sparse operands in other storage than rows and columns of a matrix: coordinates and fibers of any order, diagonals,
/// rows of one width. Part of spc/spc.hpp. SPDX-License-Identifier: Apache-2.0
#ifndef SPC_CPP_FORMATS_HPP
#define SPC_CPP_FORMATS_HPP

#include "dense.hpp"

#include <tuple>
#include <utility>

namespace spc {
namespace detail {

/// Compressed levels only, each below the one before.
template <int Order> struct csf_levels {
  static constexpr size_t numbers = 2 * Order, arrays = 2 * Order;
  static constexpr bool take(std::string_view &name) {
    return Order == 2 ? detail::take(name, "dcsr") : detail::take(name, "csf") && take_number(name, Order);
  }
};
/// Width 0: known at run time.
template <int Width> struct ell_levels {
  static constexpr size_t numbers = Width == 0 ? 3 : 2, arrays = 2;
  static constexpr bool take(std::string_view &name) {
    return detail::take(name, "ell") && (Width == 0 || take_number(name, Width));
  }
};
template <order Inside> struct dia_levels {
  static constexpr size_t numbers = 4, arrays = 2;
  static constexpr bool take(std::string_view &name) {
    return detail::take(name, Inside == order::rows ? "dia" : "dia_cols");
  }
};

/// Whether arrays have elements of one size.
template <typename First, typename... Rest> constexpr bool of_one_size = ((sizeof(First) == sizeof(Rest)) && ...);

template <size_t K, typename... Arrays> using nth_held = held<std::tuple_element_t<K, std::tuple<Arrays...>>>;

/// The extents of a struct, at the beginning of its numbers.
template <size_t N, size_t Size> void set_extents(int64_t (&numbers)[Size], const int64_t (&shape)[N]) {
  for (size_t d = 0; d < N; ++d) {
    require(shape[d] >= 0, SPC_ERROR_SHAPE, "an extent is negative");
    numbers[d] = shape[d];
  }
}

template <size_t N, size_t... Levels, typename... Arrays>
auto coordinates(const int64_t (&shape)[N], std::index_sequence<Levels...>, const std::tuple<Arrays...> &arrays) {
  static_assert(of_one_size<nth_held<Levels, Arrays...>...>, "the indices of all dimensions are of one type");
  const auto &values = std::get<N>(arrays);
  const int64_t entries = length(std::get<0>(arrays));
  require(((length(std::get<Levels>(arrays)) == entries) && ...), SPC_ERROR_COUNT,
          "there are not as many indices of each dimension");
  require_values(entries, values);
  using View = sparse_view<coo_levels<N>, nth_held<N, Arrays...>, void, nth_held<0, Arrays...>>;
  typename View::fields fields = {{}, {address(std::get<Levels>(arrays))..., address(values)}};
  set_extents(fields.numbers, shape);
  fields.numbers[N] = entries;
  return View(fields);
}

template <size_t N, size_t... Inner, typename... Arrays>
auto fibers(const int64_t (&shape)[N], std::index_sequence<Inner...>, const std::tuple<Arrays...> &arrays) {
  static_assert(of_one_size<nth_held<0, Arrays...>, nth_held<2 * Inner + 2, Arrays...>...> &&
                    of_one_size<nth_held<2 * Inner + 1, Arrays...>...>,
                "the indices of all levels are of one type, and so are the pointers");
  (require_segments(length(std::get<2 * Inner>(arrays)), std::get<2 * Inner + 1>(arrays),
                    std::get<2 * Inner + 2>(arrays)),
   ...);
  const auto &values = std::get<2 * N - 1>(arrays);
  const int64_t entries = length(std::get<2 * N - 2>(arrays));
  require_values(entries, values);
  using View =
      sparse_view<csf_levels<N>, nth_held<2 * N - 1, Arrays...>, nth_held<1, Arrays...>, nth_held<0, Arrays...>>;
  typename View::fields fields = {};
  size_t next = 0;
  std::apply([&](const auto &...array) { ((fields.arrays[next++] = address(array)), ...); }, arrays);
  set_extents(fields.numbers, shape);
  fields.numbers[N] = entries;
  ((fields.numbers[N + 1 + Inner] = length(std::get<2 * Inner>(arrays))), ...);
  return View(fields);
}

template <order Inside, array Is, array Vs> auto diagonals(int64_t nrows, int64_t ncols, Is &&indices, Vs &&values) {
  int64_t entries = 0;
  require(nrows >= 0 && ncols >= 0 &&
              spc_detail_multiply(length(indices), Inside == order::rows ? nrows : ncols, &entries),
          SPC_ERROR_SHAPE, "an extent is negative or too large");
  require_values(entries, values);
  using View = sparse_view<dia_levels<Inside>, held<Vs>, void, held<Is>>;
  return View({{nrows, ncols, entries, length(indices)}, {address(indices), address(values)}});
}

} // namespace detail

/// A tensor of any order by coordinates, over one array of indices for each dimension, and values:
/// `coo({2, 3, 4}, i, j, k, values)`.
template <size_t N, array... Arrays>
  requires(sizeof...(Arrays) == N + 1)
[[nodiscard]] auto coo(const int64_t (&shape)[N], Arrays &&...arrays) {
  return detail::coordinates(shape, std::make_index_sequence<N>(), std::tuple<const Arrays &...>(arrays...));
}

/// A tensor of compressed levels (CSF; DCSR of a matrix), in the order of its struct:
/// `csf({2, 3, 4}, indices_0, pointers_to_1, indices_1, pointers_to_2, indices_2, values)`.
template <size_t N, array... Arrays>
  requires(N > 1 && sizeof...(Arrays) == 2 * N)
[[nodiscard]] auto csf(const int64_t (&shape)[N], Arrays &&...arrays) {
  return detail::fibers(shape, std::make_index_sequence<N - 1>(), std::tuple<const Arrays &...>(arrays...));
}

/// A matrix by rows of `width` entries each, padding included.
template <array Is, array Vs>
[[nodiscard]] auto ell(int64_t nrows, int64_t ncols, int64_t width, Is &&col_ind, Vs &&values) {
  int64_t entries = 0;
  detail::require(nrows >= 0 && ncols >= 0 && width >= 0 && spc_detail_multiply(nrows, width, &entries),
                  SPC_ERROR_SHAPE, "an extent is negative or too large");
  detail::require(detail::length(col_ind) == entries, SPC_ERROR_COUNT, "there are not as many indices as slots");
  detail::require_values(entries, values);
  using View = sparse_view<detail::ell_levels<0>, detail::held<Vs>, void, detail::held<Is>>;
  return View({{nrows, ncols, width}, {detail::address(col_ind), detail::address(values)}});
}

/// The same of a format that says the width.
template <int Width, array Is, array Vs>
[[nodiscard]] auto ell(int64_t nrows, int64_t ncols, Is &&col_ind, Vs &&values) {
  (void)ell(nrows, ncols, Width, col_ind, values); // for the checks
  using View = sparse_view<detail::ell_levels<Width>, detail::held<Vs>, void, detail::held<Is>>;
  return View({{nrows, ncols}, {detail::address(col_ind), detail::address(values)}});
}

/// A matrix by diagonals: `indices` has column - row of each, `values` a number for each diagonal and row.
template <array Is, array Vs> [[nodiscard]] auto dia(int64_t nrows, int64_t ncols, Is &&indices, Vs &&values) {
  return detail::diagonals<order::rows>(nrows, ncols, indices, values);
}

/// The same with a number for each diagonal and column, as SciPy has it.
template <array Is, array Vs>
[[nodiscard]] auto dia_by_columns(int64_t nrows, int64_t ncols, Is &&indices, Vs &&values) {
  return detail::diagonals<order::columns>(nrows, ncols, indices, values);
}

} // namespace spc

#endif
