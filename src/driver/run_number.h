// Numbers on the command line.
#pragma once

#include "tensor/numbers.h"

#include <optional>
#include <string>

namespace spc::driver {

/// A number, or `1+2i` where the scalar is complex; nullopt of other text.
std::optional<tensor::Number> readNumber(const std::string &text, bool mayBeComplex);

} // namespace spc::driver
