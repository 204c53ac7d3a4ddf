// Entries and values compared, and what to say of a difference.
#pragma once

#include "harness/dense_evaluator.h"
#include "tensor/tensor.h"

#include <complex>
#include <cstdint>
#include <string>

namespace spc::testing {

/// Same entries in the same order, bit for bit.
bool isSame(const tensor::Coordinates &a, const tensor::Coordinates &b);

/// `A(1,2)`.
std::string elementText(const std::string &name, const int64_t *coordinates, size_t order);

/// The empty string, or how element `at` (row-major) differs from what is expected of it: "is 1, expected 2 up to 0".
std::string compareElement(std::complex<double> actual, const DenseTensor &expected, size_t at);

/// Each of the entries against its element; the empty string or the first difference. Elements without an entry are
/// not looked at.
std::string compareValues(const std::string &name, const tensor::Coordinates &actual, const DenseTensor &expected);

} // namespace spc::testing
