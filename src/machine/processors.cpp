#include "machine/processors.h"

#include <algorithm>
#include <fstream>
#include <sched.h>
#include <string>
#include <thread>

namespace spc::machine {

int processorCount() {
  cpu_set_t mask;
  CPU_ZERO(&mask);
  if (sched_getaffinity(0, sizeof mask, &mask) == 0)
    return std::max(1, CPU_COUNT(&mask));
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency())); // more than a mask of that size holds
}

std::string processorName() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (const size_t colon = line.find(": "); line.starts_with("model name") && colon != std::string::npos)
      return line.substr(colon + 2);
  return "unknown processor";
}

int64_t cacheBytes(int level) {
  for (int index = 0;; ++index) {
    const std::string folder = "/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(index);
    std::ifstream levels(folder + "/level"), kinds(folder + "/type"), sizes(folder + "/size");
    int found = 0;
    std::string kind;
    int64_t kibibytes = 0;
    if (!(levels >> found && kinds >> kind && sizes >> kibibytes))
      return 0;
    if (found == level && kind != "Instruction")
      return kibibytes * 1024;
  }
}

int64_t lastLevelCacheBytes() {
  int level = 1;
  while (cacheBytes(level + 1) > 0)
    ++level;
  return cacheBytes(level);
}

} // namespace spc::machine
