// The language's meaning, element by element on dense arrays: what every compiled kernel is compared with. It reads the
// syntax tree alone and shares no reading of the language with sema, where a wrong one then shows as a mismatch.
#pragma once

#include "sema/value_type.h"
#include "syntax/ast.h"

#include <complex>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace spc::testing {

/// A tensor as the language sees it: every element, row-major, and which of them are stored.
struct DenseTensor {
  std::vector<int64_t> shape;
  std::vector<std::complex<double>> values;
  bool sparse = false;
  std::vector<uint8_t> stored; ///< of a sparse tensor, by element: whether the entry is there
  std::vector<double> errors;  ///< what a correct kernel's value may be off by, by element; empty: exact
  sema::ValueType type = sema::ValueType::F64;
  double fill = 0;        ///< what missing entries are
  bool assembled = false; ///< sparse, and what is assigned to it decides what it stores

  int64_t size() const;
};

using TensorMap = std::map<std::string, DenseTensor>;

/// Runs the statements in order on `tensors`, which holds every tensor of the kernel by name, outputs included.
///
/// Each value carries a bound of the rounding error that any order of evaluation makes (a running error analysis after
/// Higham, "Accuracy and Stability of Numerical Algorithms", section 3.3, on sums of absolute values), so that results
/// are compared with what the arithmetic allows rather than with a constant.
///
/// A sparse target is evaluated where its mask says that it stores; a value anywhere else is an error, since it would
/// be lost, unless the target is assembled: then it is stored where it has a value. Returns the empty string, or what
/// is wrong with the kernel.
std::string evaluate(const syntax::Kernel &kernel, TensorMap &tensors);

/// Whether a kernel's `actual` is `expected`, give or take `error`. A value that is not finite matches any such value:
/// reassociation may turn an infinity into a NaN, but never either into a number.
bool matches(std::complex<double> actual, std::complex<double> expected, double error);

} // namespace spc::testing
