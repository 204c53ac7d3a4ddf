// Operations on numbers that are known when a kernel is compiled, as the kernel would do them. Private to this folder.
//
// Nothing is given where that is not certain: an element where it matters is then computed when the kernel runs. The
// greatest and the least number of an integer type, which no double may be, are infinities; 0 is 0 in every type.
#pragma once

#include "sema/kernel.h"

#include <optional>
#include <vector>

namespace spc::sema {

/// The number of a type that an infinity stands for: of integers the greatest and the least, of bools 1 and 0.
double infinityOf(ValueType type, bool isNegative);

/// The identity of a reduction in a type: the value that changes nothing when it is taken in.
double identityOf(Reduction reduction, ValueType type);

/// A sum, difference, product or quotient in a type: integers wrap around, floats are rounded.
std::optional<double> fold(BinaryOp op, ValueType type, double left, double right);

/// The negative of a number, likewise.
std::optional<double> foldNegate(ValueType type, double value);

/// The value of a call, neither of a cast nor of logic or `select`, whose arguments are of `type`; comparisons and
/// `not` give 0 or 1.
std::optional<double> fold(Function function, ValueType type, const std::vector<double> &arguments);

/// A number of one type as one of another.
std::optional<double> foldCast(ValueType to, ValueType from, double value);

} // namespace spc::sema
