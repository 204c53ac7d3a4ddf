/// Plans of calls in two phases. Part of spc/spc.hpp.
/// SPDX-License-Identifier: Apache-2.0
#ifndef SPC_CPP_PLAN_HPP
#define SPC_CPP_PLAN_HPP

#include "lifetime.hpp"
#include "sources.hpp"

#include "../plan.h"

#include <cassert>
#include <utility>

namespace spc {

/// A plan, which NAME_symbolic leaves to NAME_numeric; releases it as the context says that the symbolic phase was
/// called with. Moves, and does not copy. Any number of threads may pass one to NAME_numeric.
///
///     spc::plan plan;
///     spc::check(spgemm_symbolic(A, B, C.out(), plan.out()));
///     spc::check(spgemm_numeric(A, B, C.inout(), plan)); // again whenever values change
class plan {
public:
  /// Owns what plain functions make.
  plan() noexcept : context_(spc_default_context()) {}

  /// Owns what functions make that are called with `context`, whose hooks and what they use have to outlive the plan.
  /// NULL: malloc and free.
  explicit plan(const spc_context *context) noexcept : context_(spc_default_context()) {
    if (context != nullptr)
      context_ = *context;
  }

  plan(plan &&other) noexcept : plan_(std::exchange(other.plan_, {})), context_(other.context_) {}
  plan &operator=(plan &&other) noexcept {
    if (this != &other) {
      reset();
      plan_ = std::exchange(other.plan_, {});
      context_ = other.context_;
    }
    return *this;
  }
  ~plan() { reset(); }

  /// For the symbolic phase: releases what is there.
  [[nodiscard]] spc_plan *out() noexcept SPC_LIFETIMEBOUND {
    reset();
    return &plan_;
  }

  /// For the numeric phase, which without a plan goes without.
  operator const spc_plan *() const noexcept SPC_LIFETIMEBOUND { return &plan_; }

  /// The memory that it takes.
  [[nodiscard]] int64_t bytes() const noexcept { return plan_.bytes; }

  /// Releases it.
  void reset() noexcept {
    assert((plan_.memory == nullptr || detail::memory_source::may_release(context_, plan_.memory)) &&
           "the plan was made with another context than the owner's");
    spc_plan_free_ctx(&context_, &plan_);
  }

private:
  spc_plan plan_ = {};
  spc_context context_;
};

} // namespace spc

#endif
