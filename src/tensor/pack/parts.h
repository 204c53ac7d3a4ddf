// Tensors stored as the sum of parts in different formats.
#pragma once

#include "format/format.h"
#include "tensor/tensor.h"

#include <vector>

namespace spc::tensor {

/// Splits entries of `type`, repeats summed, between formats: each part takes what it has room for
/// (runtime::findFitting), the next one those that are left. Whether the last part can store what it gets shows when it
/// is packed. Throws std::bad_alloc.
std::vector<Coordinates> splitIntoParts(Coordinates entries, const std::vector<format::Format> &formats,
                                        sema::ValueType type = sema::ValueType::F64);

} // namespace spc::tensor
