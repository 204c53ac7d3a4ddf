// Descriptions of formats as other compilers take them.
#pragma once

#include "format/json_text.h"

namespace spc::format {

/// Reports an object that is no format of this language but a list of levels' names, as TACO has it, or bindings of
/// tensors without "tensors" around them. False, with nothing reported, for anything else.
bool reportForeignFormat(const JsonNode &node, Diagnostics &diagnostics);

} // namespace spc::format
