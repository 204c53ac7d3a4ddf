// This machine's memory, and this process's.
#pragma once

namespace spc {

/// Bytes of physical memory.
double physicalMemory();

/// Grows the heap at once, on large pages where there are any: a compilation allocates some 10 MiB in small pieces, and
/// is slowed down by a fault for each 4 KiB and by giving memory back in between.
void growHeap();

} // namespace spc
