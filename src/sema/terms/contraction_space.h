// What a product says of arrays that parts of it may be. Private to this folder.
#pragma once

#include "sema/terms/contraction.h"

namespace spc::sema {

/// Notes which functions a dense factor calls, and of what.
void noteCalls(const Node &node, const Scope &scope, ContractionFactor &factor);

/// Whether some factor, but for one of them, has memory for each coordinate of a variable.
bool hasMemoryBeside(const ContractionSpace &space, const ContractionFactor *own, VariableId variable);

/// Whether a factor may be put in an array first: it has lists, and something else has memory for as many elements.
bool mayBeFilled(const ContractionSpace &space, size_t number);

/// Whether a dense operand, or the target, has as many dimensions. Estimates of extents do not tell an array of order
/// 3 or more that fits from one that does not.
bool hasOrder(const ContractionSpace &space, size_t order);

} // namespace spc::sema
