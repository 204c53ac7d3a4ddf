// Pieces of text for the header writer.
#pragma once

#include "sema/kernel.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace spc::abi {

using Substitutions = std::vector<std::pair<std::string_view, std::string>>;

/// `text` with every `@name@` replaced by its value; a name without a value stays as it is.
std::string substitute(std::string_view text, const Substitutions &values);

/// The parts with `separator` between them.
std::string join(const std::vector<std::string> &parts, std::string_view separator);

/// `text` made fit to stand in a C comment: printable ASCII, and nothing that ends, nests or rewrites it.
std::string forComment(std::string_view text);

/// "float" or "double".
const char *cType(sema::ValueType type);
const char *cType(format::IndexType type);

} // namespace spc::abi
