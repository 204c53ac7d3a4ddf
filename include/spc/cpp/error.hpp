/// Statuses that kernels return, as exceptions or as std::expected. Part of spc/spc.hpp. SPDX-License-Identifier:
/// Apache-2.0
#ifndef SPC_CPP_ERROR_HPP
#define SPC_CPP_ERROR_HPP

#include "../message.h"
#include "lifetime.hpp"

#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <version>
#ifdef __cpp_lib_expected
#include <expected>
#endif

namespace spc {

namespace detail {

/// spc_status_message, after `about` and a colon where that is more than the kernel's name.
inline std::string message(spc_status status, const std::string &about, const spc_problem &problem) {
  std::string text(static_cast<size_t>(spc_status_message(nullptr, 0, status, &problem)), ' ');
  spc_status_message(text.data(), static_cast<int64_t>(text.size()) + 1, status, &problem);
  return about.empty() || text.starts_with(about + ": ") ? text : about + ": " + text;
}

/// Takes what the thread's last call has found wrong, if that is what returned the status.
inline spc_problem take_problem(spc_status status) noexcept {
  const spc_problem problem = *spc_detail_last_problem();
  *spc_detail_last_problem() = {};
  return problem.status == status ? problem : spc_problem{};
}

} // namespace detail

/// The problem that a kernel, or one of this library's functions, found.
class error : public std::runtime_error {
public:
  /// what() is the status's sentence, or that of what the call found wrong, after `about` and a colon where something
  /// is given.
  explicit error(spc_status status, const std::string &about = "", const spc_problem &problem = {})
      : std::runtime_error(detail::message(status, about, problem)), status_(status), problem_(problem) {}

  [[nodiscard]] spc_status status() const noexcept { return status_; }
  /// Its details: all 0 and NULL where nothing is known. Texts are the kernel's.
  [[nodiscard]] const spc_problem &problem() const noexcept SPC_LIFETIMEBOUND { return problem_; }

private:
  spc_status status_;
  spc_problem problem_;
};

namespace detail {

/// Throws; in a program without exceptions, says what is wrong and ends it.
[[noreturn]] inline void fail(const error &what) {
#ifdef __cpp_exceptions
  throw what;
#else
  std::fprintf(stderr, "spc: %s\n", what.what());
  std::abort();
#endif
}

inline void require(bool holds, spc_status status, const char *about) {
  if (!holds)
    fail(error(status, about));
}

} // namespace detail

/// Throws spc::error unless a call went well: `spc::check(spmm(...), "spmm")`. The problem is the thread's last one,
/// that of calls with contexts whose `note` is spc.h's.
inline void check(spc_status status, const char *about = "") {
  if (status != SPC_OK)
    detail::fail(error(status, about, detail::take_problem(status)));
}

#ifdef __cpp_lib_expected
/// A call's status as std::expected: `spc::expected(spmm(...))`.
[[nodiscard]] inline std::expected<void, error> expected(spc_status status, const std::string &about = "") {
  if (status == SPC_OK)
    return {};
  return std::unexpected(error(status, about, detail::take_problem(status)));
}

#ifdef __cpp_exceptions
/// The result of a function, or the spc::error that it throws. A status that it returns is one or the other, too.
template <typename F> [[nodiscard]] auto attempt(F &&function) {
  using Result = std::invoke_result_t<F>;
  using Value = std::conditional_t<std::is_same_v<Result, spc_status>, void, Result>;
  try {
    if constexpr (std::is_same_v<Result, spc_status>) {
      return expected(std::forward<F>(function)());
    } else if constexpr (std::is_void_v<Result>) {
      std::forward<F>(function)();
      return std::expected<Value, error>();
    } else {
      return std::expected<Value, error>(std::forward<F>(function)());
    }
  } catch (const error &caught) {
    return std::expected<Value, error>(std::unexpect, caught);
  }
}
#endif
#endif

} // namespace spc

#endif
