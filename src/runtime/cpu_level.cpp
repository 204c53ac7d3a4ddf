#include "runtime/cpu_level.h"

#include "runtime/runtime.h"

namespace spc::runtime {
namespace {

constexpr uint64_t bits(auto... places) {
  return (uint64_t{0} | ... | (uint64_t{1} << places));
}

/// What a level takes beyond the one below.
constexpr CpuRegisters kLevels[] = {
    // SSE3, SSSE3, CMPXCHG16B, SSE4.1, SSE4.2, POPCNT; LAHF
    {bits(0, 9, 13, 19, 20, 23), 0, bits(0), 0, 0, 0},
    // FMA, MOVBE, OSXSAVE, AVX, F16C; BMI1, AVX2, BMI2; LZCNT; XMM and YMM
    {bits(12, 22, 27, 28, 29), bits(3, 5, 8), bits(5), bits(1, 2), 0, 0},
    // AVX512F, DQ, CD, BW, VL; mask registers, upper halves of ZMM0 to 15, ZMM16 to 31
    {0, bits(16, 17, 28, 30, 31), 0, bits(5, 6, 7), 0, 0},
};
constexpr int32_t kHighest = 4;

constexpr uint32_t kIntel = 0x756e6547;         ///< "Genu"
constexpr uint32_t kHalves = uint32_t{1} << 23; ///< AVX512-FP16

bool hasAll(const CpuRegisters &registers, const CpuRegisters &needed) {
  return (registers.ecx1 & needed.ecx1) == needed.ecx1 && (registers.ebx7 & needed.ebx7) == needed.ebx7 &&
         (registers.ecxExtended & needed.ecxExtended) == needed.ecxExtended &&
         (registers.saved & needed.saved) == needed.saved;
}

} // namespace

int32_t levelOf(const CpuRegisters &registers) {
  int32_t level = 1;
  for (const CpuRegisters &needed : kLevels) {
    if (!hasAll(registers, needed))
      break;
    ++level;
  }
  return level == kHighest && registers.maker == kIntel && (registers.edx7 & kHalves) ? level + 1 : level;
}

#if defined(__x86_64__)
namespace {

struct Leaf {
  uint32_t eax, ebx, ecx, edx;
};

Leaf cpuid(uint32_t leaf) {
  Leaf found;
  asm volatile("cpuid" : "=a"(found.eax), "=b"(found.ebx), "=c"(found.ecx), "=d"(found.edx) : "0"(leaf), "2"(0));
  return found;
}

/// Leaf 1 has to say first that there is this register.
uint64_t readXcr0() {
  uint32_t low, high;
  asm volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return uint64_t{high} << 32 | low;
}

} // namespace

extern "C" int32_t spc_rt_cpu_level() {
  constexpr uint32_t kExtended = 0x80000000;
  CpuRegisters registers{};
  registers.ecx1 = cpuid(1).ecx;
  const Leaf first = cpuid(0);
  registers.maker = first.ebx;
  if (first.eax >= 7) {
    const Leaf seventh = cpuid(7);
    registers.ebx7 = seventh.ebx;
    registers.edx7 = seventh.edx;
  }
  if (cpuid(kExtended).eax > kExtended)
    registers.ecxExtended = cpuid(kExtended + 1).ecx;
  if (registers.ecx1 & bits(27))
    registers.saved = readXcr0();
  return levelOf(registers);
}
#else
extern "C" int32_t spc_rt_cpu_level() {
  return 1;
}
#endif

} // namespace spc::runtime
