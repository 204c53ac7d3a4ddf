// The words that random kernels are made of.
#pragma once

#include <array>
#include <string>
#include <vector>

namespace spc::testing {

inline constexpr std::array<const char *, 3> kFunctionsOfAll = {"abs", "sign", "relu"};
inline constexpr std::array<const char *, 25> kFunctionsOfFloats = {
    "floor", "ceil", "round", "trunc", "roundeven", "sqrt", "cbrt", "exp",   "exp2",  "expm1", "log1p", "sin",    "cos",
    "tan",   "sinh", "cosh",  "tanh",  "asin",      "acos", "atan", "asinh", "atanh", "erf",   "gelu",  "sigmoid"};
inline constexpr std::array<const char *, 6> kFunctionsOfComplex = {"conj(", "conj(", "real(", "imag(", "abs(", "arg("};
/// … of two.
inline constexpr std::array<const char *, 6> kFunctionsOfIntegers = {"div(",    "shl(",   "shr(",
                                                                     "bitand(", "bitor(", "bitxor("};
inline constexpr std::array<const char *, 6> kComparisons = {" < ", " <= ", " > ", " >= ", " == ", " != "};

/// Reductions other than sums; the last two are no divisors.
inline constexpr std::array<const char *, 7> kReductions = {"max", "min", "any", "prod", "all", "argmin", "argmax"};
inline constexpr std::array<const char *, 6> kLiterals = {"2", "0.5", "1.25e1", "3.", "1e-2", "-1.5"};
/// Formats that do not store each entry by itself.
inline constexpr std::array<const char *, 4> kPartialFormats = {"sym-csr", "sym-packed", "sym-dia", "ell1+coo"};

/// By order: half of the time one of the common formats, else any that there is.
inline const std::vector<std::vector<std::string>> kCommon = {
    {},
    {"sv", "coo"},
    {"csr", "csc", "dcsr", "dcsc", "coo", "coo:1,0", "csf:1,0"},
    {"csf", "coo", "csf:2,1,0", "csf:1,0,2", "coo:0,2,1", "ddc", "dcc", "cdc"},
    {"csf", "coo", "csf:3,1,0,2", "ddcc"},
};

} // namespace spc::testing
