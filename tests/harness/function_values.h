// What the language's functions give, in double precision: the evaluator's own, apart from the compiler's.
#pragma once

#include "sema/value_type.h"
#include "syntax/ast.h"

#include <vector>

namespace spc::testing {

/// The value of a call for real arguments; comparisons and logic give 0 or 1. A cast to an
/// integer cuts off fractions, and gives the nearest integer for what does not fit, 0 for NaN.
double valueOf(const syntax::Call &call, const std::vector<double> &arguments);

/// `minplus` or `maxplus` of two integers of a type.
double absorbingSum(language::Function function, sema::ValueType type, double a, double b);

/// A bound for what the value may be off by where argument k is off by `errors[k]`, and a call by a relative `epsilon`;
/// infinite where the value jumps within these errors.
double errorOf(const syntax::Call &call, const std::vector<double> &arguments, const std::vector<double> &errors,
               double epsilon);

} // namespace spc::testing
