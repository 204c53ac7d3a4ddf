// Whether what a subcommand writes leaves alone what it reads.
#pragma once

#include "driver/shell/session.h"

#include <string>
#include <vector>

namespace spc::driver {

/// Whether two paths lead to one file, which need not exist.
bool sameFile(const std::string &first, const std::string &second);

/// False with a usage error when an output would overwrite a file that was read. An output may be empty, or "-".
bool checkNotInputs(Session &session, const std::vector<std::string> &outputs, const std::vector<std::string> &inputs);

} // namespace spc::driver
