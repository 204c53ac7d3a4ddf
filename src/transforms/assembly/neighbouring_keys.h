// Loops that accumulate entries in a dense workspace: several at once where their keys follow one another.
#pragma once

#include "dialect/dialect.h"

namespace spc::transforms {

/// Gives the innermost loops of an open run's dense nest, each of which accumulates one value an iteration under a key
/// that it loads, a second form for segments that have keys in a row, as those of matrices of blocks do. There, four
/// entries whose keys are neighbours are one vector. The same operations are done for each entry, in the same order.
void accumulateNeighbours(dialect::OpenRunOp run);

} // namespace spc::transforms
