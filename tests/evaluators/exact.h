// Kernels of + - * /, sums, means and patterns, evaluated in 113 bits on dense arrays: what their results would be if
// nothing were rounded.
#pragma once

#include "harness/dense_evaluator.h"
#include "syntax/ast.h"

#include <map>
#include <string>
#include <vector>

namespace spc::testing {

#ifdef __SIZEOF_FLOAT128__
__extension__ typedef __float128 Quad;
#else
using Quad = long double;
#endif

/// An element, and the same expression over absolute values, every difference read as a sum.
struct ExactValue {
  Quad value = 0;
  Quad magnitude = 0;
};

/// A tensor's elements, row-major.
struct ExactTensor {
  std::vector<int64_t> shape;
  std::vector<ExactValue> values;
  std::vector<uint8_t> stored; ///< of a sparse operand
};
using ExactMap = std::map<std::string, ExactTensor>;

/// Runs the statements in order; missing entries are 0, and all elements finite. Gives all tensors as they are then.
/// Throws std::runtime_error of anything else.
ExactMap evaluateExactly(const syntax::Kernel &kernel, const TensorMap &tensors);

} // namespace spc::testing
