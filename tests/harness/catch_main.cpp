#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>

#ifdef __GLIBC__
#include <malloc.h>

/// Memory stays with the process: what tests give back they ask for again, and the system would clear each page of it
/// anew.
[[maybe_unused]] static const bool keepsMemory =
    mallopt(M_MMAP_THRESHOLD, 1 << 30) != 0 && mallopt(M_TRIM_THRESHOLD, 1 << 30) != 0;
#endif
