// How long a struct's arrays are, by the rule of docs/abi.md: its numbers say it, and no other array need be read.
#pragma once

#include "abi/signature.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace spc::testing {

/// The elements of each array of a struct, by field; 0 for numbers. Null where some number of entries is negative, or
/// so large that no memory holds it: callers cannot have such arrays. Requires: a sparse or a dense struct with strides
/// that are not negative.
std::optional<std::vector<int64_t>> arrayLengths(const abi::StructType &type, const std::vector<uint64_t> &fields);

} // namespace spc::testing
