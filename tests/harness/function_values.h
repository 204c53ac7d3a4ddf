// What the language's functions give, in double precision: the evaluator's own, apart from the compiler's.
#pragma once

#include "sema/value_type.h"
#include "syntax/ast.h"

#include <complex>
#include <vector>

namespace spc::testing {

/// The value of a call for real arguments; comparisons and logic give 0 or 1. A cast to an
/// integer cuts off fractions, and gives the nearest integer for what does not fit, 0 for NaN.
double valueOf(const syntax::Call &call, const std::vector<double> &arguments);

/// A number, and a bound for its error.
struct Measured {
  std::complex<double> value;
  double error;
};

/// `conj`, `real`, `imag`, `arg` or `abs` of a complex number that is off by `error`.
Measured valueOfComplex(language::Function function, std::complex<double> z, double error, double epsilon);

/// Whether a function is of integers alone, and its value.
bool isOfBits(language::Function function);
double valueOfBits(language::Function function, sema::ValueType type, double a, double b);

/// `minplus` or `maxplus` of two integers of a type.
double absorbingSum(language::Function function, sema::ValueType type, double a, double b);

/// A bound for what the value may be off by where argument k is off by `errors[k]`, and a call by a relative `epsilon`;
/// infinite where the value jumps within these errors.
double errorOf(const syntax::Call &call, const std::vector<double> &arguments, const std::vector<double> &errors,
               double epsilon);

} // namespace spc::testing
