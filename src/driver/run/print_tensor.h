// Results as text for people.
#pragma once

#include "sema/kernel.h"
#include "tensor/tensor.h"

#include <string>

namespace spc::driver {

/// A small tensor in full: a scalar, a dense vector or matrix as aligned rows, other tensors as a list of entries with
/// coordinates from 1, as in files. A larger tensor as its shape, the number of its entries, their sum and their range.
/// A dense one's `entries` hold every element, the last dimension running fastest. `digits`: of values that are no
/// integers; 0 for 6.
std::string printTensor(const sema::Tensor &tensor, const tensor::Coordinates &entries, int digits);

} // namespace spc::driver
