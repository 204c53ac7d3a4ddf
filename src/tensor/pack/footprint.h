// What formats would store of entries that are not packed.
#pragma once

#include "format/footprint.h"
#include "tensor/tensor.h"

#include <vector>

namespace spc::tensor {

/// By level of a format, what format::footprintOf wants to know of entries, all of which the format is to store. They
/// lie within their shape; repeats count once.
std::vector<double> levelCounts(const Coordinates &entries, const format::Format &format);

} // namespace spc::tensor
