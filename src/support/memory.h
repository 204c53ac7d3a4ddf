// What this machine has of memory.
#pragma once

namespace spc {

/// Bytes of physical memory.
double physicalMemory();

} // namespace spc
