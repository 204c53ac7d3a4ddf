/// Owners of what kernels assemble. Part of spc/spc.hpp.
/// SPDX-License-Identifier: Apache-2.0
#ifndef SPC_CPP_OWNER_HPP
#define SPC_CPP_OWNER_HPP

#include "error.hpp"
#include "lifetime.hpp"
#include "sources.hpp"
#include "struct_fields.hpp"

#include <cassert>
#include <cstdlib>
#include <span>

namespace spc {
namespace detail {

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
/// called with: where that was another one, an assertion fails if spc::context or spc::memory_pool is one of the two.
/// Moves, and does not copy.
///
///     spc::owner<spc_csr_f64_i32> C;
///     spc::check(spgemm(spc::view(A), spc::view(B), C.out()));
template <sparse_struct S> class owner {
  static_assert(sizeof(void *) != 8 || detail::fields_of<S>().size() == sizeof(S),
                "the struct has fields that are not known");

public:
  /// Owns what plain functions assemble.
  owner() noexcept : context_(spc_default_context()) {}

  /// Owns what functions assemble that are called with `context`, whose hooks and what they use have to outlive the
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
  [[nodiscard]] detail::argument<S> out() noexcept SPC_LIFETIMEBOUND {
    reset();
    return detail::argument<S>(tensor_);
  }

  /// For a call that reads what is there, and may replace it: `+=`, and NAME_numeric after NAME_symbolic.
  [[nodiscard]] detail::argument<S> inout() noexcept SPC_LIFETIMEBOUND { return detail::argument<S>(tensor_); }

  /// The tensor as an operand.
  operator const S *() const noexcept SPC_LIFETIMEBOUND { return &tensor_; }
  operator const S &() const noexcept SPC_LIFETIMEBOUND { return tensor_; }

  const S *operator->() const noexcept { return &tensor_; }
  S *operator->() noexcept { return &tensor_; }
  const S &operator*() const noexcept SPC_LIFETIMEBOUND { return tensor_; }

  /// The context that the tensor comes from; as long-lived as the owner.
  [[nodiscard]] const spc_context *context() const noexcept SPC_LIFETIMEBOUND { return &context_; }

  /// The stored values, of formats whose structs count them; none where they are yet to be computed.
  [[nodiscard]] auto values() noexcept SPC_LIFETIMEBOUND
    requires requires(S s) { s.nnz; }
  {
    return std::span(const_cast<value *>(tensor_.values), stored());
  }
  [[nodiscard]] auto values() const noexcept SPC_LIFETIMEBOUND
    requires requires(S s) { s.nnz; }
  {
    return std::span(tensor_.values, stored());
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
      assert(detail::memory_source::may_release(context_, array) &&
             "the array was assembled with another context than the owner's");
      if (context_.deallocate != nullptr)
        context_.deallocate(context_.user, const_cast<void *>(static_cast<const void *>(array)));
      else
        std::free(const_cast<void *>(static_cast<const void *>(array)));
    });
    forget();
  }

private:
  using value = detail::value_of<S>;

  static spc_context c_library() noexcept {
    return {static_cast<int64_t>(sizeof(spc_context)), nullptr, nullptr, nullptr, nullptr, nullptr, spc_detail_note};
  }

  size_t stored() const noexcept
    requires requires(S s) { s.nnz; }
  {
    return tensor_.values != nullptr ? static_cast<size_t>(tensor_.nnz) : 0;
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
