// Binsparse's descriptors as formats (https://graphblas.org/binsparse-specification).
#pragma once

#include "format/json_text.h"
#include "format/rule.h"

#include <optional>
#include <string>

namespace spc::format {

/// Reads {"binsparse": {"format": "CSR", "data_types": …}}, whose format is a name or a custom one of dense and sparse
/// levels. Shapes, counts and the values' type are a file's matter and left alone. Reports and gives nullopt for
/// formats that it does not know, and for index types and structures that spc has none of.
std::optional<FormatRule> readBinsparse(const JsonNode &root, const std::string &name, Diagnostics &diagnostics);

} // namespace spc::format
