// The types of tensor elements.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace spc::sema {

/// The type of a tensor's elements. F16 and BF16 are storage types: arithmetic on them is done in F32.
enum class ValueType { F16, BF16, F32, F64, I8, I16, I32, I64, U8, U16, U32, U64, Bool, CF32, CF64 };

/// Up to here every whole number is a double that no other one is rounded to. Literals are read as doubles, and values
/// pass through them.
inline constexpr double kMaxExactInteger = 0x1p53 - 1;

inline constexpr ValueType kValueTypes[] = {ValueType::F16,  ValueType::BF16, ValueType::F32, ValueType::F64,
                                            ValueType::I8,   ValueType::I16,  ValueType::I32, ValueType::I64,
                                            ValueType::U8,   ValueType::U16,  ValueType::U32, ValueType::U64,
                                            ValueType::Bool, ValueType::CF32, ValueType::CF64};

/// The type as in declarations and in the names of C structs: "f16", "bf16", "f32", "f64", "i8" … "u64", "bool",
/// "cf32", "cf64".
const char *spelling(ValueType type);

/// The type so spelled; nullopt for anything else.
std::optional<ValueType> valueTypeNamed(std::string_view name);

/// Bytes of one element; a complex number is its real and its imaginary part one after the other, a bool is one byte
/// that holds 0 or 1.
int bytesOf(ValueType type);

/// F16, BF16, F32, F64.
bool isFloat(ValueType type);
/// F16, BF16: what is stored in two bytes and computed with in F32.
bool isHalf(ValueType type);
/// I8 … I64, U8 … U64.
bool isInteger(ValueType type);
/// U8 … U64.
bool isUnsigned(ValueType type);
/// CF32, CF64.
bool isComplex(ValueType type);

/// F32 or F64: the type of the parts of a complex one; any other is its own.
ValueType partOf(ValueType type);
/// The complex type of such parts: CF64 of F64, else CF32. A complex one is its own.
ValueType complexOf(ValueType type);

/// The least type that both convert to without a change of kind: bool < integers < floats < complex. It is the wider
/// one of two integers, signed where either is; where an unsigned type would not fit the signed one of its width, it is
/// the next wider signed one, if there is any. F16 with BF16 is F32. Complex takes the wider component.
ValueType widest(ValueType a, ValueType b);

/// The type in which `type` is computed: F32 for F16 and BF16, else itself.
ValueType arithmeticType(ValueType type);

/// A number that is known when a kernel is compiled, as the language writes it in `type`: "0.5", "inf", "true". An
/// infinity of an integer type is its greatest or its least number, which is written in digits.
std::string textOf(ValueType type, double number);

} // namespace spc::sema
