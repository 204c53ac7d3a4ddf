// Extents by their names.
#pragma once

#include "harness/dense_evaluator.h"

namespace spc::testing {

/// The scalars that names of declared extents stand for where they are no variables.
TensorMap sizesIn(const syntax::Kernel &kernel, const TensorMap &tensors);

} // namespace spc::testing
