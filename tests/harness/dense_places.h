// Places of extremes, and what comes at a rank. Private to the harness.
#pragma once

#include "harness/dense_nodes.h"
#include "harness/dense_values.h"

#include <vector>

namespace spc::testing::evaluator {

/// The first place of the extreme; of a NaN where there is one. It is certain only where all values are. `type` is the
/// statement's.
Value firstPlace(const Node &node, const std::vector<Value> &values, sema::ValueType type);

/// The value at a rank, or its place.
Value atRank(const Node &node, const std::vector<Value> &values, int64_t rank, sema::ValueType type);

} // namespace spc::testing::evaluator
