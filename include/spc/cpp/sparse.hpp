/// Sparse operands over the caller's arrays. Part of spc/spc.hpp.
/// SPDX-License-Identifier: Apache-2.0
#ifndef SPC_CPP_SPARSE_HPP
#define SPC_CPP_SPARSE_HPP

#include "error.hpp"
#include "lifetime.hpp"
#include "names.hpp"

#include <cstddef>
#include <cstring>
#include <new>
#include <ranges>
#include <span>

namespace spc {

/// Arrays, vectors, spans: what lies in one piece and outlives the call.
template <typename R>
concept array = std::ranges::contiguous_range<R> && std::ranges::sized_range<R> && std::ranges::borrowed_range<R>;

namespace detail {

/// Elements of an array; const where they may not be written.
template <array R> using element = std::remove_reference_t<std::ranges::range_reference_t<R>>;

/// The contents of an array.
template <array R> using held = std::ranges::range_value_t<R>;

/// The numbers, then the pointers of a struct. Structs have no gaps between them, which their headers assert.
template <size_t Numbers, size_t Arrays> struct fields {
  int64_t numbers[Numbers];
  const void *arrays[Arrays];
};

/// Bytes in which a struct can be read: an array of bytes holds objects of whatever trivial type the program reads from
/// it (C++20, implicit creation), so that the fields need not be written anew for each struct.
template <typename Fields> class image {
public:
  explicit image(const Fields &fields) noexcept { std::memcpy(bytes_, &fields, sizeof fields); }

  template <typename S> [[nodiscard]] S *as() const noexcept {
    static_assert(sizeof(S) == sizeof(Fields), "the struct has other fields than its name says");
    return std::launder(reinterpret_cast<S *>(bytes_));
  }

private:
  alignas(Fields) mutable std::byte bytes_[sizeof(Fields)];
};

/// A level's letter, after which n and u say that coordinates may repeat and stand in any order. Storage that is not
/// said to do so fits such a struct, too.
constexpr bool take_level(std::string_view &name, std::string_view letter) {
  if (!take(name, letter))
    return false;
  while (take(name, "n") || take(name, "u")) {
  }
  return true;
}

/// Levels as views have them: how many numbers and arrays their structs have, and `take`, which takes what names the
/// levels off the front of a struct's name.
struct csr_levels {
  static constexpr size_t numbers = 3, arrays = 3;
  static constexpr bool take(std::string_view &name) {
    return detail::take(name, "csr") || (detail::take(name, "d") && take_level(name, "c"));
  }
};
struct csc_levels {
  static constexpr size_t numbers = 3, arrays = 3;
  static constexpr bool take(std::string_view &name) {
    return detail::take(name, "csc") || (detail::take(name, "d") && take_level(name, "c") && detail::take(name, "_10"));
  }
};
/// Coordinates of `Order` dimensions.
template <int Order> struct coo_levels {
  static constexpr size_t numbers = Order + 1, arrays = Order + 1;
  static constexpr bool take(std::string_view &name) {
    if (Order == 1 ? detail::take(name, "spvec") : detail::take(name, "coo") && take_number(name, Order))
      return true;
    bool isList = take_level(name, "c");
    for (int k = 1; k < Order; ++k)
      isList = isList && take_level(name, "s");
    return isList;
  }
};
template <int Rows, int Columns> struct bsr_levels {
  static constexpr size_t numbers = 3, arrays = 3;
  static constexpr bool take(std::string_view &name) {
    return detail::take(name, "bsr") && take_number(name, Rows) && detail::take(name, "x") &&
           take_number(name, Columns);
  }
};

/// Whether a struct stores such levels, values T and indices I.
template <typename S, typename Levels, typename T, typename P, typename I> consteval bool stores() {
  std::string_view name = name_of<S>();
  return take(name, "spc_") && Levels::take(name) && take_value<T>(name) && take_indices<P, I>(name) && name.empty();
}

} // namespace detail

/// An operand: converts to a pointer or a reference to the const struct of its levels and types. Refers to arrays that
/// have to outlive it; may be used by any number of threads at once.
template <typename Levels, value T, typename P, index I> class sparse_view {
public:
  using fields = detail::fields<Levels::numbers, Levels::arrays>;

  explicit sparse_view(const fields &all) noexcept : image_(all) {}

  template <typename S>
    requires std::is_const_v<S> && (detail::stores<std::remove_const_t<S>, Levels, T, P, I>())
  operator S *() const noexcept SPC_LIFETIMEBOUND {
    return image_.template as<S>();
  }

  template <typename S>
    requires std::is_const_v<S> && (detail::stores<std::remove_const_t<S>, Levels, T, P, I>())
  operator S &() const noexcept SPC_LIFETIMEBOUND {
    return *image_.template as<S>();
  }

private:
  detail::image<fields> image_;
};

template <value T, index P, index I = P> using csr_view = sparse_view<detail::csr_levels, T, P, I>;
template <value T, index P, index I = P> using csc_view = sparse_view<detail::csc_levels, T, P, I>;
template <value T, index I> using coo_view = sparse_view<detail::coo_levels<2>, T, void, I>;
template <value T, index I> using sparse_vector_view = sparse_view<detail::coo_levels<1>, T, void, I>;
template <int Rows, int Columns, value T, index P, index I = P>
using bsr_view = sparse_view<detail::bsr_levels<Rows, Columns>, T, P, I>;

namespace detail {

/// The first element; NULL for no elements, as structs have it.
template <array R> const void *address(R &&elements) {
  return std::ranges::empty(elements) ? nullptr : static_cast<const void *>(std::ranges::data(elements));
}

template <array R> int64_t length(R &&elements) {
  return static_cast<int64_t>(std::ranges::size(elements));
}

/// The end of the last row. Requires that `pointers` delimits as many rows as it must have, which together are all of
/// `indices`; those of a slice of rows begin behind 0, and may end before the last of the indices.
template <array Ps, array Is> int64_t require_segments(int64_t rows, Ps &&pointers, Is &&indices) {
  require(rows >= 0, SPC_ERROR_SHAPE, "an extent is negative");
  require(length(pointers) - 1 == rows, SPC_ERROR_POINTERS,
          "the number of pointers is not that of rows or columns and one");
  const auto first = static_cast<int64_t>(std::ranges::data(pointers)[0]),
             last = static_cast<int64_t>(std::ranges::data(pointers)[rows]);
  require(first == 0 ? last == length(indices) : first > 0 && first <= last && last <= length(indices),
          SPC_ERROR_POINTERS, "pointers do not lead from 0 to the number of indices, nor from row to row of a slice");
  return last;
}

/// Values may be missing, for a symbolic phase, which reads none.
template <array Vs> void require_values(int64_t entries, Vs &&values) {
  require(length(values) == entries || length(values) == 0, SPC_ERROR_COUNT, "there are not as many values as entries");
}

template <typename View, array Ps, array Is, array Vs>
View compressed(int64_t nrows, int64_t ncols, int64_t nnz, Ps &&pointers, Is &&indices, Vs &&values) {
  return View({{nrows, ncols, nnz}, {address(pointers), address(indices), address(values)}});
}

} // namespace detail

/// A CSR matrix over arrays, whose lengths are checked; what they hold is not (TYPE_validate does that). Of a slice of
/// rows these are the slice's pointers, and the whole matrix' indices and values.
template <array Ps, array Is, array Vs>
[[nodiscard]] auto csr(int64_t nrows, int64_t ncols, Ps &&row_ptr, Is &&col_ind, Vs &&values) {
  const int64_t nnz = detail::require_segments(nrows, row_ptr, col_ind);
  detail::require(ncols >= 0, SPC_ERROR_SHAPE, "an extent is negative");
  detail::require_values(detail::length(col_ind), values);
  using View = csr_view<detail::held<Vs>, detail::held<Ps>, detail::held<Is>>;
  return detail::compressed<View>(nrows, ncols, nnz, row_ptr, col_ind, values);
}

/// A CSC matrix likewise.
template <array Ps, array Is, array Vs>
[[nodiscard]] auto csc(int64_t nrows, int64_t ncols, Ps &&col_ptr, Is &&row_ind, Vs &&values) {
  const int64_t nnz = detail::require_segments(ncols, col_ptr, row_ind);
  detail::require(nrows >= 0, SPC_ERROR_SHAPE, "an extent is negative");
  detail::require_values(detail::length(row_ind), values);
  using View = csc_view<detail::held<Vs>, detail::held<Ps>, detail::held<Is>>;
  return detail::compressed<View>(nrows, ncols, nnz, col_ptr, row_ind, values);
}

/// A BSR matrix of blocks of Rows x Columns, each stored by rows, likewise; values hold whole blocks.
template <int Rows, int Columns, array Ps, array Is, array Vs>
[[nodiscard]] auto bsr(int64_t nrows, int64_t ncols, Ps &&row_ptr, Is &&col_ind, Vs &&values) {
  detail::require(nrows >= 0 && ncols >= 0, SPC_ERROR_SHAPE, "an extent is negative");
  const int64_t blocks = detail::require_segments(spc_detail_blocks(nrows, Rows), row_ptr, col_ind);
  detail::require_values(detail::length(col_ind) * Rows * Columns, values);
  using View = bsr_view<Rows, Columns, detail::held<Vs>, detail::held<Ps>, detail::held<Is>>;
  return detail::compressed<View>(nrows, ncols, blocks * Rows * Columns, row_ptr, col_ind, values);
}

/// A COO matrix likewise.
template <array Rs, array Is, array Vs>
[[nodiscard]] auto coo(int64_t nrows, int64_t ncols, Rs &&row_ind, Is &&col_ind, Vs &&values) {
  static_assert(sizeof(detail::held<Rs>) == sizeof(detail::held<Is>), "row and column indices are of one type");
  detail::require(nrows >= 0 && ncols >= 0, SPC_ERROR_SHAPE, "an extent is negative");
  detail::require(detail::length(row_ind) == detail::length(col_ind), SPC_ERROR_COUNT,
                  "there are not as many row indices as column indices");
  detail::require_values(detail::length(col_ind), values);
  using View = coo_view<detail::held<Vs>, detail::held<Is>>;
  return detail::compressed<View>(nrows, ncols, detail::length(col_ind), row_ind, col_ind, values);
}

/// A sparse vector likewise.
template <array Is, array Vs> [[nodiscard]] auto sparse_vector(int64_t size, Is &&indices, Vs &&values) {
  detail::require(size >= 0, SPC_ERROR_SHAPE, "the extent is negative");
  detail::require_values(detail::length(indices), values);
  using View = sparse_vector_view<detail::held<Vs>, detail::held<Is>>;
  return View({{size, detail::length(indices)}, {detail::address(indices), detail::address(values)}});
}

} // namespace spc

#endif
