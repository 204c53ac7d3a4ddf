// Operations on numbers that are known when a kernel is compiled, as the kernel would do them. Private to this folder.
//
// Nothing is given where that is not certain: an element where it matters is then computed when the kernel runs.
#pragma once

#include "sema/kernel.h"

#include <optional>
#include <vector>

namespace spc::sema {

/// A result as its type holds it: integers wrap around, floats are rounded, anything but 0 is true.
std::optional<double> rounded(ValueType type, double value);

/// The unrounded result.
double fold(BinaryOp op, double left, double right);

/// The value of a call, neither of a cast nor of logic or `select`, whose arguments are of `type`; comparisons and
/// `not` give 0 or 1.
std::optional<double> fold(Function function, ValueType type, const std::vector<double> &arguments);

/// A number of one type as one of another.
std::optional<double> foldCast(ValueType to, ValueType from, double value);

} // namespace spc::sema
