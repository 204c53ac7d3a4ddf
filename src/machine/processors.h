// Processors and caches as the operating system describes them.
#pragma once

#include <cstdint>
#include <string>

namespace spc::machine {

/// How many processors this process may use (its affinity mask); at least 1.
int processorCount();

/// The first processor's name; else "unknown processor".
std::string processorName();

/// Bytes of the first processor's data cache of `level`, 1 the closest; 0 where there is none or it is unknown.
int64_t cacheBytes(int level);

/// Bytes of the first processor's last data cache, which it may share with others; 0 where it is unknown. Virtual
/// machines may be told of more than they get.
int64_t lastLevelCacheBytes();

} // namespace spc::machine
