// What a term makes of padding, a 0 that is stored. Private to this folder.
#pragma once

#include "sema/tree.h"

namespace spc::sema {

/// Whether a tree without sum() nodes, computed in `type`, is 0 where an operand stores a 0, whatever other operands
/// hold. Padding is a factor 0, which makes its product 0 unless another factor is known to be none or infinite.
bool isZeroOfStoredZero(const Node &node, AccessId operand, ValueType type, const Scope &scope, const Kernel &kernel);

} // namespace spc::sema
