// The footprint that entries which are not packed would have in a format.
#pragma once

#include "format/footprint.h"
#include "tensor/tensor.h"

#include <vector>

namespace spc::tensor {

/// The counts that format::footprintOf wants to know of entries, by level of a format that is to store all of them.
/// They lie within their shape; repeats count once.
std::vector<double> levelCounts(const Coordinates &entries, const format::Format &format);

} // namespace spc::tensor
