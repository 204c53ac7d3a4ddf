/// What kernels return, as exceptions or as std::expected. Part of spc/spc.hpp.
/// SPDX-License-Identifier: Apache-2.0
#ifndef SPC_CPP_ERROR_HPP
#define SPC_CPP_ERROR_HPP

#include "../spc.h"

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

/// What a kernel, or one of this library's functions, found wrong.
class error : public std::runtime_error {
public:
  /// what() is the status's sentence, after `about` and a colon where something is given.
  explicit error(spc_status status, const std::string &about = "")
      : std::runtime_error((about.empty() ? "" : about + ": ") + spc_status_string(status)), status_(status) {}

  [[nodiscard]] spc_status status() const noexcept { return status_; }

private:
  spc_status status_;
};

namespace detail {

/// Throws; in a program without exceptions, says what is wrong and ends it.
[[noreturn]] inline void fail(spc_status status, const std::string &about) {
#ifdef __cpp_exceptions
  throw error(status, about);
#else
  std::fprintf(stderr, "spc: %s\n", error(status, about).what());
  std::abort();
#endif
}

inline void require(bool holds, spc_status status, const char *about) {
  if (!holds)
    fail(status, about);
}

} // namespace detail

/// Throws spc::error unless a call went well: `spc::check(spmm(...), "spmm")`.
inline void check(spc_status status, const char *about = "") {
  detail::require(status == SPC_OK, status, about);
}

#ifdef __cpp_lib_expected
/// A call's status as std::expected: `spc::expected(spmm(...))`.
[[nodiscard]] inline std::expected<void, error> expected(spc_status status, const std::string &about = "") {
  if (status == SPC_OK)
    return {};
  return std::unexpected(error(status, about));
}

#ifdef __cpp_exceptions
/// What a function returns, or the spc::error that it throws. A status that it returns is one or the other, too.
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
