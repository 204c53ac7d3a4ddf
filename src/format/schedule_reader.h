// The "schedule" of a format file.
#pragma once

#include "format/json_object.h"
#include "format/schedule.h"

#include <optional>

namespace spc::format {

/// Reads the member "schedule" of a file's object; an empty schedule where there is none. Reports all that is wrong and
/// gives nullopt then.
std::optional<Schedule> readSchedule(ObjectReader &object, Diagnostics &diagnostics);

} // namespace spc::format
