// Files of machine code that subcommands read: their bytes, and what is said of files that are not as they should be.
#pragma once

#include "driver/shell/session.h"

#include <optional>
#include <string>

namespace spc::driver {

/// The bytes of an object or a library of up to 1 GiB; nullopt with an error.
std::optional<std::string> readObjectFile(Session &session, const std::string &path);

/// Reports a file that is no machine code, and why.
Diagnostic &reportNoObject(Session &session, const std::string &path, const std::string &why);

/// Reports a file whose kernels are not as a command wants them; `what` begins with a verb.
Diagnostic &reportNoSignature(Session &session, const std::string &path, const std::string &what);

} // namespace spc::driver
