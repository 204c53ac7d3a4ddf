// Inputs made from a matrix's entries, and what the operations must give.
#pragma once

#include "task.h"

#include "tensor/tensor.h"

namespace assembly {

/// "A*A"
const char *spelling(Operation operation);

/// "spgemm": what the operation is one case of.
const char *kernelOf(Operation operation);

/// Whether the operation is defined for a matrix of this shape.
bool isDefined(Operation operation, int64_t rows, int64_t columns);

/// What the operation reads. `entries` are sorted and distinct. For FromShuffled every fourth one is there twice, with
/// values of its own.
template <class T> Input<T> makeInput(Operation operation, const spc::tensor::Coordinates &entries);

/// The result, computed in the simplest way there is: each row's terms are listed, sorted and summed in double.
template <class T> Csr<double> expectedResult(Operation operation, const Input<T> &input);

/// Arithmetic operations, and bytes of operands and result, each counted once.
struct Cost {
  double flops, bytes;
};
template <class T> Cost costOf(Operation operation, const Input<T> &input, const Csr<double> &result);

/// Whether shapes and structures agree and values do to within rounding.
template <class T> bool agrees(const Csr<T> &result, const Csr<double> &expected);

} // namespace assembly
