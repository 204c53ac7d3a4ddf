// The keys of a format beside its dimensions and levels.
#pragma once

#include "format/json_object.h"
#include "format/rule.h"

namespace spc::format {

// Each reads one member of `object`, where it is given, into `rule`; false after reporting what is wrong with it.

/// "index": the types of pointers and indices.
bool readIndex(ObjectReader &object, FormatRule &rule, Diagnostics &diagnostics);

/// "layout"; the rule has its levels.
bool readLayout(ObjectReader &object, FormatRule &rule, Diagnostics &diagnostics);

/// "symmetric" and "symmetry"; the rule has its levels.
bool readSymmetry(ObjectReader &object, FormatRule &rule, Diagnostics &diagnostics);

/// "duplicates".
bool readDuplicates(ObjectReader &object, FormatRule &rule, Diagnostics &diagnostics);

} // namespace spc::format
