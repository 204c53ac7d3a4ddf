/// Which struct a view may stand for: docs/abi.md names each struct after its levels, value and index types, so that
/// its name says what its fields mean. Part of spc/spc.hpp. SPDX-License-Identifier: Apache-2.0
#ifndef SPC_CPP_NAMES_HPP
#define SPC_CPP_NAMES_HPP

#include "../spc.h"

#include <complex>
#include <concepts>
#include <cstdint>
#include <string_view>
#include <type_traits>

namespace spc {
namespace detail {

/// Built-in numbers of 2 bytes that are no integers: _Float16, __bf16, std::float16_t, std::bfloat16_t, by whatever
/// names the compiler has for them.
template <typename T>
concept builtin_half = sizeof(T) == 2 && !std::is_integral_v<T> && !std::is_enum_v<T> && !std::is_class_v<T> &&
                       !std::is_union_v<T> && requires(T number) {
                         static_cast<float>(number);
                         static_cast<T>(1.0f);
                       };

template <typename T> consteval std::string_view builtin_name() {
  using V = std::remove_cv_t<T>;
  if constexpr (std::is_same_v<V, bool>)
    return "bool";
  else if constexpr (std::is_same_v<V, float>)
    return "f32";
  else if constexpr (std::is_same_v<V, double>)
    return "f64";
  else if constexpr (std::is_same_v<V, std::complex<float>> || std::is_same_v<V, spc_cf32>)
    return "cf32";
  else if constexpr (std::is_same_v<V, std::complex<double>> || std::is_same_v<V, spc_cf64>)
    return "cf64";
  else if constexpr (std::is_same_v<V, spc_f16>)
    return "f16";
  else if constexpr (std::is_same_v<V, spc_bf16>)
    return "bf16";
  else if constexpr (builtin_half<V>)
    // Next to 1 an f16 has a number 2^-10 away, a bf16 none nearer than 2^-7.
    return static_cast<float>(static_cast<V>(1.0009765625f)) > 1.0f ? "f16" : "bf16";
  else if constexpr (std::is_integral_v<V> && std::is_signed_v<V>)
    return sizeof(V) == 1 ? "i8" : sizeof(V) == 2 ? "i16" : sizeof(V) == 4 ? "i32" : "i64";
  else if constexpr (std::is_integral_v<V>)
    return sizeof(V) == 1 ? "u8" : sizeof(V) == 2 ? "u16" : sizeof(V) == 4 ? "u32" : "u64";
  else
    return "";
}

} // namespace detail

/// How struct names spell a value type; "" for what is none. Specialise it for types of your own that are laid out like
/// one of spc's.
template <typename T> inline constexpr std::string_view value_name = detail::builtin_name<T>();

/// Types of stored values.
template <typename T>
concept value = !value_name<std::remove_cv_t<T>>.empty();

/// Types of pointers and indices: as wide as those of a format. Types of 4 and 8 bytes may be unsigned, too: their
/// numbers then have to fit the signed type.
template <typename I>
concept index =
    std::integral<I> && !std::same_as<std::remove_cv_t<I>, bool> && (sizeof(I) > 2 || std::unsigned_integral<I>);

namespace detail {

/// "spc_csr_f64_i32", of a struct. gcc and clang end the name with a semicolon or a bracket.
template <typename S> consteval std::string_view name_of() {
  const std::string_view text = __PRETTY_FUNCTION__;
  const size_t begin = text.find("S = ") + 4;
  return text.substr(begin, text.find_first_of(";]", begin) - begin);
}

/// Takes `word` off the front of a name.
constexpr bool take(std::string_view &name, std::string_view word) {
  if (!name.starts_with(word))
    return false;
  name.remove_prefix(word.size());
  return true;
}

/// The same with a number, in digits.
constexpr bool take_number(std::string_view &name, int number) {
  if (number >= 10 && !take_number(name, number / 10))
    return false;
  if (name.empty() || name.front() != static_cast<char>('0' + number % 10))
    return false;
  name.remove_prefix(1);
  return true;
}

/// "_f64".
template <value T> constexpr bool take_value(std::string_view &name) {
  return take(name, "_") && take(name, value_name<std::remove_cv_t<T>>);
}

template <index I> constexpr std::string_view index_name() {
  return sizeof(I) == 1 ? "u8" : sizeof(I) == 2 ? "u16" : sizeof(I) == 4 ? "i32" : "i64";
}

/// "_i32", or "_p64_i32" where pointers differ. P is void where a struct has no pointers.
template <typename P, index I> constexpr bool take_indices(std::string_view &name) {
  if constexpr (!std::is_void_v<P>) {
    if (index_name<P>() != index_name<I>()) {
      if (!take(name, "_p") || !take_number(name, int(8 * sizeof(P))))
        return false;
    }
  }
  return take(name, "_") && take(name, index_name<I>());
}

/// Whether a type is a struct of a generated header: one of C's, with that name.
template <typename S> consteval bool is_struct() {
  if constexpr (std::is_class_v<S> && std::is_aggregate_v<S> && std::is_trivially_copyable_v<S>)
    return requires(S s) { s.values; } && name_of<S>().starts_with("spc_");
  else
    return false;
}

} // namespace detail

/// Structs of tensors in generated headers.
template <typename S>
concept tensor_struct = detail::is_struct<std::remove_const_t<S>>();

/// Those that are sparse.
template <typename S>
concept sparse_struct = tensor_struct<S> && !detail::name_of<std::remove_const_t<S>>().starts_with("spc_dense");

namespace detail {

/// The type of a struct's values.
template <tensor_struct S> using value_of = std::remove_const_t<std::remove_pointer_t<decltype(S::values)>>;

} // namespace detail

} // namespace spc

#endif
