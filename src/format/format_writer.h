// A format as a format file says it.
#pragma once

#include "format/format.h"

#include <nlohmann/json_fwd.hpp>

namespace spc::format {

/// The keys `dims`, `levels`, `layout`, `symmetric` and `index` of a format file, which read back give the same
/// storage; dimensions are named i, j, k, …. Requires: no sum, order 1 or more.
nlohmann::ordered_json toJson(const Format &format);

} // namespace spc::format
