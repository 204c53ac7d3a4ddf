// Which level of x86-64 a processor is of (x86-64-v1 to -v4 of the psABI), as far as the system lets programs use it,
// and whether it gathers fast. Freestanding.
#pragma once

#include <stdint.h>

namespace spc::runtime {

/// The answers of cpuid and xgetbv; 0 where there is no such leaf or register.
struct CpuRegisters {
  uint32_t ecx1;        ///< ecx of leaf 1
  uint32_t ebx7;        ///< ebx of leaf 7, subleaf 0
  uint32_t ecxExtended; ///< ecx of leaf 0x80000001
  uint64_t saved;       ///< XCR0: the registers that the system saves and restores
  uint32_t edx7;        ///< edx of leaf 7, subleaf 0
  uint32_t maker;       ///< ebx of leaf 0: the first letters of the maker's name
};

/// 1 to 4, and 5 for processors of level 4 that gather as fast as they load: Intel's with AVX512-FP16. Those before
/// have AVX-512 with gathers that are slowed down against data sampling, those of others slow ones. A level without
/// what it takes of the one below does not count.
int32_t levelOf(const CpuRegisters &registers);

} // namespace spc::runtime
