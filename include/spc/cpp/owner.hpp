/// Owners of what kernels assemble. Part of spc/spc.hpp.
/// SPDX-License-Identifier: Apache-2.0
#ifndef SPC_CPP_OWNER_HPP
#define SPC_CPP_OWNER_HPP

#include "error.hpp"
#include "names.hpp"

#include <cstdlib>
#include <span>

namespace spc {
namespace detail {

/// The fields that structs of sparse tensors have, as docs/abi.md names them: f(tensor.NAME) of each that S has.
#define SPC_CPP_FIELD(name)                                                                                            \
  if constexpr (requires { tensor.name; })                                                                             \
    f(tensor.name);
#define SPC_CPP_ARRAYS_OF(k) SPC_CPP_FIELD(pointers_to_##k) SPC_CPP_FIELD(lengths_##k) SPC_CPP_FIELD(indices_##k)
#define SPC_CPP_COUNT_OF(k) SPC_CPP_FIELD(count_##k)
#define SPC_CPP_WIDTH_OF(k) SPC_CPP_FIELD(width_##k)
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

template <sparse_struct S, typename F> constexpr void for_each_size(S &tensor, const F &f) {
  SPC_CPP_FIELD(size)
  SPC_CPP_FIELD(nrows)
  SPC_CPP_FIELD(ncols)
  SPC_CPP_FIELD(shape)
  SPC_CPP_FIELD(width)
  SPC_CPP_LEVELS(SPC_CPP_WIDTH_OF)
}
#undef SPC_CPP_LEVELS
#undef SPC_CPP_WIDTH_OF
#undef SPC_CPP_COUNT_OF
#undef SPC_CPP_ARRAYS_OF
#undef SPC_CPP_FIELD

/// The size of the fields above: that of S, where they are all.
template <sparse_struct S> consteval size_t size_of_fields() {
  S tensor = {};
  size_t bytes = 0;
  const auto add = [&](auto &field) { bytes += sizeof field; };
  for_each_size(tensor, add);
  for_each_count(tensor, add);
  for_each_array(tensor, add);
  return bytes;
}

/// A struct as an argument, pointer or reference.
template <typename S> class argument {
public:
  explicit argument(S &tensor) noexcept : tensor_(&tensor) {}
  operator S *() const noexcept { return tensor_; }
  operator S &() const noexcept { return *tensor_; }

private:
  S *tensor_;
};

} // namespace detail

/// A sparse tensor whose arrays a kernel allocated, or will; releases them as the context says that the kernel was
/// called with. Moves, and does not copy.
///
///     spc::owner<spc_csr_f64_i32> C;
///     spc::check(spgemm(spc::view(A), spc::view(B), C.out()));
template <sparse_struct S> class owner {
  static_assert(sizeof(void *) != 8 || detail::size_of_fields<S>() == sizeof(S),
                "the struct has fields that are not known");

public:
  /// Of what plain functions assemble.
  owner() noexcept : context_(spc_default_context()) {}

  /// Of what functions assemble that are called with `context`, whose hooks and what they use have to outlive the
  /// owner. NULL: malloc and free.
  explicit owner(const spc_context *context) noexcept : context_(context != nullptr ? *context : c_library()) {}

  /// Takes over arrays that come from the context's allocate.
  owner(const S &tensor, const spc_context *context) noexcept : owner(context) { tensor_ = tensor; }

  owner(owner &&other) noexcept : tensor_(other.release()), context_(other.context_) {}
  owner &operator=(owner &&other) noexcept {
    if (this != &other) {
      reset();
      context_ = other.context_;
      tensor_ = other.release();
    }
    return *this;
  }
  ~owner() { reset(); }

  /// For a call that assembles the tensor: releases what is there. Sizes that no operand has are set before, by `->`.
  [[nodiscard]] detail::argument<S> out() noexcept {
    reset();
    return detail::argument<S>(tensor_);
  }

  /// For a call that reads what is there, and may replace it: `+=`, and NAME_numeric after NAME_symbolic.
  [[nodiscard]] detail::argument<S> inout() noexcept { return detail::argument<S>(tensor_); }

  /// As an operand.
  operator const S *() const noexcept { return &tensor_; }
  operator const S &() const noexcept { return tensor_; }

  const S *operator->() const noexcept { return &tensor_; }
  S *operator->() noexcept { return &tensor_; }
  const S &operator*() const noexcept { return tensor_; }

  /// The context that the tensor comes from; as long-lived as the owner.
  [[nodiscard]] const spc_context *context() const noexcept { return &context_; }

  /// The stored values, of formats whose structs count them.
  [[nodiscard]] auto values() noexcept
    requires requires(S s) { s.nnz; }
  {
    return std::span(tensor_.values, static_cast<size_t>(tensor_.nnz));
  }
  [[nodiscard]] auto values() const noexcept
    requires requires(S s) { s.nnz; }
  {
    return std::span(const_cast<const std::remove_pointer_t<decltype(S::values)> *>(tensor_.values),
                     static_cast<size_t>(tensor_.nnz));
  }

  /// Hands the arrays to the caller.
  [[nodiscard]] S release() noexcept {
    const S released = tensor_;
    forget();
    return released;
  }

  /// Releases the arrays; the tensor keeps its sizes and has no entries.
  void reset() noexcept {
    detail::for_each_array(tensor_, [&](auto *array) {
      if (array == nullptr)
        return;
      if (context_.deallocate != nullptr)
        context_.deallocate(context_.user, array);
      else
        std::free(array);
    });
    forget();
  }

private:
  static spc_context c_library() noexcept {
    return {static_cast<int64_t>(sizeof(spc_context)), nullptr, nullptr, nullptr, nullptr};
  }

  void forget() noexcept {
    detail::for_each_array(tensor_, [](auto *&array) { array = nullptr; });
    detail::for_each_count(tensor_, [](int64_t &count) { count = 0; });
  }

  S tensor_ = {};
  spc_context context_;
};

} // namespace spc

#endif
