// Functions of numbers that are known when a kernel is compiled. Private to this folder.
#pragma once

#include "sema/kernel.h"

#include <vector>

namespace spc::sema {

/// The value of a call, not of a cast; comparisons and logic give 0 or 1.
double fold(Function function, const std::vector<double> &arguments);

/// A number as the nearest one of another type, as a kernel would convert it.
double foldCast(ValueType type, double value);

} // namespace spc::sema
