// The log of -v, on standard error.
#pragma once

#include <string_view>

namespace spc::host {

/// Turns the log on; without this, `log` does nothing.
void enableLog();

/// One message; each line of it becomes a line of the log.
void log(std::string_view message);

} // namespace spc::host
