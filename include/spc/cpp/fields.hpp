/// Structs by their fields: any format's operands over const arrays, and outputs that share a pattern. Part of
/// spc/spc.hpp. SPDX-License-Identifier: Apache-2.0
#ifndef SPC_CPP_FIELDS_HPP
#define SPC_CPP_FIELDS_HPP

#include "sparse.hpp"
#include "struct_fields.hpp"

#include <cstdlib>
#include <tuple>
#include <utility>

namespace spc {
namespace detail {

/// The value that a field of a struct is given as.
template <typename Field> auto field(const Field &given) {
  if constexpr (std::is_pointer_v<Field> || std::is_null_pointer_v<Field>)
    return given;
  else if constexpr (std::integral<Field>)
    return static_cast<int64_t>(given);
  else
    return std::ranges::empty(given) ? nullptr : std::ranges::data(given);
}

/// Whether a struct's values are of type T.
template <tensor_struct S, value T> consteval bool holds() {
  return value_name<value_of<S>> == value_name<T>;
}

/// A struct of the fields that are no counts: those are how many elements the arrays have.
template <sparse_struct S> class counted {
public:
  static constexpr field_counts kFields = fields_of<S>();
  static constexpr size_t kSizes = kFields.extents + kFields.widths;

  template <typename... Fields> static S of(const Fields &...fields) {
    const std::tuple<const Fields &...> given(fields...);
    return of(given, std::make_index_sequence<kFields.numbers()>(), std::make_index_sequence<kFields.arrays>());
  }

private:
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmissing-braces"
  template <typename Given, size_t... Numbers, size_t... Arrays>
  static S of(const Given &given, std::index_sequence<Numbers...>, std::index_sequence<Arrays...>) {
    S tensor = {number<Numbers>(given)..., field(std::get<kSizes + Arrays>(given))...};
    const int64_t lengths[] = {length(std::get<kSizes + Arrays>(given))...};
    const auto lengthOf = [&](const auto &array) {
      const auto place = reinterpret_cast<const std::byte *>(&array) - reinterpret_cast<const std::byte *>(&tensor);
      return lengths[(size_t(place) - kFields.numbers() * sizeof(int64_t)) / sizeof(void *)];
    };
    if constexpr (requires { tensor.nnz; })
      tensor.nnz = lengthOf(tensor.values);
    for_each_list(tensor, [&](int64_t &count, const auto &indices) { count = lengthOf(indices); });
    for_each_segments(tensor, [&](const auto *const &pointers, const auto *const &indices) {
      const int64_t last = lengthOf(pointers) > 0 ? static_cast<int64_t>(pointers[lengthOf(pointers) - 1]) : 0;
      require(last == lengthOf(indices), SPC_ERROR_POINTERS, "pointers do not lead to the number of indices");
    });
    return tensor;
  }
#pragma GCC diagnostic pop

  template <size_t K, typename Given> static int64_t number(const Given &given) {
    if constexpr (K < kFields.extents)
      return field(std::get<K>(given));
    else if constexpr (K < kFields.extents + kFields.counts)
      return 0;
    else
      return field(std::get<K - kFields.counts>(given));
  }
};

} // namespace detail

/// An operand of any format, of the fields of its struct in order: numbers (of arrays such as `shape` each one), and
/// pointers or arrays, which may be const and are not copied. Either all of them, or all but the counts, `nnz` and
/// `count_k`, which then are how many elements the arrays have: `operand<spc_dcsr_f64_i32>(rows, columns, …)`.
template <tensor_struct S> class operand {
public:
  template <typename... Fields> explicit operand(const Fields &...fields) : tensor_(of(fields...)) {}

  operator const S *() const noexcept SPC_LIFETIMEBOUND { return &tensor_; }
  operator const S &() const noexcept SPC_LIFETIMEBOUND { return tensor_; }
  const S *operator->() const noexcept { return &tensor_; }

private:
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmissing-braces"
  template <typename... Fields> static S of(const Fields &...fields) {
    constexpr size_t kGiven = sizeof...(Fields);
    if constexpr (sparse_struct<S>) {
      constexpr detail::field_counts kFields = detail::fields_of<S>();
      constexpr size_t kAll = kFields.numbers() + kFields.arrays;
      static_assert(kGiven == kAll || (kGiven == kAll - kFields.counts && detail::counts_follow<S>()),
                    "one value for each field of the struct, or for each but the counts");
      if constexpr (kGiven == kAll)
        return S{detail::field(fields)...};
      else if constexpr (kGiven == kAll - kFields.counts)
        return detail::counted<S>::of(fields...);
    } else {
      static_assert(sizeof(void *) != 8 || sizeof(S) == 8 * kGiven, "one value for each field of the struct");
      return S{detail::field(fields)...};
    }
  }
#pragma GCC diagnostic pop

  const S tensor_;
};

/// The values of a sparse output that shares the pattern of an operand: the kernel fills in the rest. Converts to a
/// pointer or a reference to the output's struct, once.
template <value T> class values_view {
public:
  values_view(T *values, int64_t count) noexcept : values_(values), count_(count) {}
  values_view(const values_view &) = delete;
  values_view &operator=(const values_view &) = delete;

  /// A kernel that allocated an output, instead of writing the values, was called wrongly: what it allocated would be
  /// lost.
  ~values_view() {
    if (lost_ == nullptr || !lost_(*this))
      return;
    std::fputs("spc: spc::values() was passed for an output that the kernel allocates: use spc::owner\n", stderr);
    std::abort();
  }

  template <sparse_struct S>
    requires(!std::is_const_v<S> && detail::holds<S, T>())
  operator S *() SPC_LIFETIMEBOUND {
    return &static_cast<S &>(*this);
  }

  template <sparse_struct S>
    requires(!std::is_const_v<S> && detail::holds<S, T>())
  operator S &() SPC_LIFETIMEBOUND {
    static_assert(
        requires { &S::nnz; }, "the struct does not count its values, so that nothing would compare how many "
                               "there are: fill in the struct's fields");
    static_assert(sizeof(S) <= sizeof bytes_);
    S &tensor = *::new (static_cast<void *>(bytes_)) S{};
    tensor.values = reinterpret_cast<decltype(tensor.values)>(values_);
    tensor.nnz = count_;
    lost_ = [](const values_view &view) {
      return static_cast<const void *>(std::launder(reinterpret_cast<const S *>(view.bytes_))->values) != view.values_;
    };
    return tensor;
  }

private:
  T *values_;
  int64_t count_;
  bool (*lost_)(const values_view &) = nullptr;
  alignas(std::max_align_t) std::byte bytes_[512];
};

/// The values of a sparse output, as an array with as many elements as the operand stores whose pattern it shares.
template <array R> [[nodiscard]] auto values(R &&elements) {
  return values_view<detail::element<R>>(std::ranges::data(elements), detail::length(elements));
}

} // namespace spc

#endif
