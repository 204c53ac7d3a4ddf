// Tensors stored as the sum of parts in different formats.
#pragma once

#include "format/format.h"
#include "tensor/tensor.h"

#include <vector>

namespace spc::tensor {

/// Splits entries of `type`, repeats summed, between formats: a part whose level has a fixed width takes as many
/// entries under each parent as that is wide, in order, the next part those that are left; a part without such a level
/// takes all. Whether the last part can store what it gets shows when it is packed.
std::vector<Coordinates> splitIntoParts(Coordinates entries, const std::vector<format::Format> &formats,
                                        sema::ValueType type = sema::ValueType::F64);

} // namespace spc::tensor
