// The last line of defence: whatever goes wrong inside spc or LLVM ends with a message and exit code 70.
#pragma once

namespace spc::driver {

/// Makes fatal signals, handled on a stack of their own, and LLVM's fatal errors be reported as internal errors.
void installCrashGuard();

/// Says on standard error that spc has a bug, and how to report it.
void reportInternalError(const char *what);

} // namespace spc::driver
