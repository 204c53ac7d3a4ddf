// A format shown by example.
#pragma once

#include "format/format.h"

#include <string>
#include <vector>

namespace spc::driver {

/// The C struct that tensors of the format become, one member a line. Requires: no sum.
std::string drawStruct(const format::Format &format);

/// A small tensor that the format can store, drawn in text where it is a matrix, and the contents of its arrays.
/// Requires: no sum.
std::string drawExample(const format::Format &format);

/// The same for each part of a sum: what it holds of one tensor. Empty where a part cannot hold what is left for it.
std::vector<std::string> drawParts(const format::Format &sum);

} // namespace spc::driver
