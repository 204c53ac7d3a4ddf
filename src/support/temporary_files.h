// Files that must not outlive the process half-written.
#pragma once

#include <string>

namespace spc {

/// Remembers that the file `path` is removed should a signal end the process (SIGINT, SIGTERM, SIGHUP), until it is
/// forgotten. False where too many are remembered already: then the caller goes on without.
bool removeOnSignal(const std::string &path);

/// The file has been removed, or is to stay.
void keepOnSignal(const std::string &path);

} // namespace spc
