/// Numbers as arguments: half floats, and complex numbers of the C++ library. Part of spc/spc.hpp.
/// SPDX-License-Identifier: Apache-2.0
#ifndef SPC_CPP_SCALARS_HPP
#define SPC_CPP_SCALARS_HPP

#include "lifetime.hpp"
#include "names.hpp"

namespace spc {

/// The nearest half float, to even between two; exact of a half float of another library.
[[nodiscard]] inline spc_f16 f16(float number) noexcept {
  return spc_f16_from_float(number);
}

/// The nearest bfloat16 likewise.
[[nodiscard]] inline spc_bf16 bf16(float number) noexcept {
  return spc_bf16_from_float(number);
}

/// A complex number: converts to a pointer or a reference to the struct of its type, const or, where the number may be
/// written, not. Refers to the number, which has to outlive it.
template <typename T> class complex_view {
public:
  explicit complex_view(T &number) noexcept : number_(&number) {}

  template <typename C>
    requires(value_name<std::remove_const_t<C>> == value_name<std::remove_const_t<T>> &&
             (std::is_const_v<C> || !std::is_const_v<T>))
  operator C *() const noexcept {
    return reinterpret_cast<C *>(number_);
  }

  template <typename C>
    requires(value_name<std::remove_const_t<C>> == value_name<std::remove_const_t<T>> &&
             (std::is_const_v<C> || !std::is_const_v<T>))
  operator C &() const noexcept {
    return *reinterpret_cast<C *>(number_);
  }

private:
  T *number_;
};

/// A complex number as an argument, operand or output.
template <typename T>
[[nodiscard]] complex_view<std::complex<T>> view(std::complex<T> &number SPC_LIFETIMEBOUND) noexcept {
  return complex_view(number);
}
template <typename T>
[[nodiscard]] complex_view<const std::complex<T>> view(const std::complex<T> &number SPC_LIFETIMEBOUND) noexcept {
  return complex_view(number);
}

} // namespace spc

#endif
