/// The fields of structs of sparse tensors. Part of spc/spc.hpp. SPDX-License-Identifier: Apache-2.0
#ifndef SPC_CPP_STRUCT_FIELDS_HPP
#define SPC_CPP_STRUCT_FIELDS_HPP

#include "names.hpp"

#include <cstddef>

namespace spc::detail {

/// The fields that structs of sparse tensors have, as docs/abi.md names them: f(tensor.NAME) of each that S has.
#define SPC_CPP_FIELD(name)                                                                                            \
  if constexpr (requires { tensor.name; })                                                                             \
    f(tensor.name);
#define SPC_CPP_ARRAYS_OF(k) SPC_CPP_FIELD(pointers_to_##k) SPC_CPP_FIELD(lengths_##k) SPC_CPP_FIELD(indices_##k)
#define SPC_CPP_COUNT_OF(k) SPC_CPP_FIELD(count_##k)
#define SPC_CPP_WIDTH_OF(k) SPC_CPP_FIELD(width_##k)
#define SPC_CPP_BOTH(one, other)                                                                                       \
  if constexpr (requires {                                                                                             \
                  tensor.one;                                                                                          \
                  tensor.other;                                                                                        \
                })                                                                                                     \
    f(tensor.one, tensor.other);
#define SPC_CPP_ENTRIES_OF(k) SPC_CPP_BOTH(count_##k, indices_##k)
#define SPC_CPP_SEGMENTS_OF(k) SPC_CPP_BOTH(pointers_to_##k, indices_##k)
#define SPC_CPP_LEVELS(macro)                                                                                          \
  macro(0) macro(1) macro(2) macro(3) macro(4) macro(5) macro(6) macro(7) macro(8) macro(9) macro(10) macro(11)        \
      macro(12) macro(13) macro(14) macro(15)

template <sparse_struct S, typename F> constexpr void for_each_array(S &tensor, const F &f) {
  SPC_CPP_FIELD(row_ptr)
  SPC_CPP_FIELD(col_ptr)
  SPC_CPP_FIELD(row_len)
  SPC_CPP_FIELD(col_len)
  SPC_CPP_FIELD(row_ind)
  SPC_CPP_FIELD(col_ind)
  SPC_CPP_FIELD(entries)
  SPC_CPP_FIELD(values)
  SPC_CPP_LEVELS(SPC_CPP_ARRAYS_OF)
}

template <sparse_struct S, typename F> constexpr void for_each_count(S &tensor, const F &f) {
  SPC_CPP_FIELD(nnz)
  SPC_CPP_LEVELS(SPC_CPP_COUNT_OF)
}

template <sparse_struct S, typename F> constexpr void for_each_extent(S &tensor, const F &f) {
  SPC_CPP_FIELD(size)
  SPC_CPP_FIELD(nrows)
  SPC_CPP_FIELD(ncols)
  SPC_CPP_FIELD(shape)
}

template <sparse_struct S, typename F> constexpr void for_each_width(S &tensor, const F &f) {
  SPC_CPP_FIELD(width)
  SPC_CPP_LEVELS(SPC_CPP_WIDTH_OF)
}

/// f(count, indices) of each level that has both.
template <sparse_struct S, typename F> constexpr void for_each_list(S &tensor, const F &f) {
  SPC_CPP_LEVELS(SPC_CPP_ENTRIES_OF)
}

/// f(pointers, indices) of each level that has both.
template <sparse_struct S, typename F> constexpr void for_each_segments(S &tensor, const F &f) {
  SPC_CPP_BOTH(row_ptr, col_ind)
  SPC_CPP_BOTH(col_ptr, row_ind)
  SPC_CPP_LEVELS(SPC_CPP_SEGMENTS_OF)
}
#undef SPC_CPP_LEVELS
#undef SPC_CPP_SEGMENTS_OF
#undef SPC_CPP_ENTRIES_OF
#undef SPC_CPP_BOTH
#undef SPC_CPP_WIDTH_OF
#undef SPC_CPP_COUNT_OF
#undef SPC_CPP_ARRAYS_OF
#undef SPC_CPP_FIELD

/// How many fields of each kind a struct has, one for each number of an array. They stand in this order.
struct field_counts {
  size_t extents, counts, widths, arrays;
  [[nodiscard]] constexpr size_t numbers() const { return extents + counts + widths; }
  [[nodiscard]] constexpr size_t size() const { return numbers() * sizeof(int64_t) + arrays * sizeof(void *); }
};

/// The numbers of the fields above: they are all of S where they have its size.
template <sparse_struct S> consteval field_counts fields_of() {
  S tensor = {};
  field_counts number = {};
  for_each_extent(tensor, [&](auto &field) { number.extents += sizeof field / sizeof(int64_t); });
  for_each_count(tensor, [&](auto &) { ++number.counts; });
  for_each_width(tensor, [&](auto &) { ++number.widths; });
  for_each_array(tensor, [&](auto &) { ++number.arrays; });
  return number;
}

/// Whether arrays say all that a struct counts: of each level that is counted it has the coordinates.
template <sparse_struct S> consteval bool counts_follow() {
  S tensor = {};
  size_t lists = requires { tensor.nnz; } ? 1 : 0;
  for_each_list(tensor, [&](auto &, auto &) { ++lists; });
  return lists == fields_of<S>().counts;
}

} // namespace spc::detail

#endif
