// Which level of x86-64 a processor is of (x86-64-v1 to -v4 of the psABI), as far as the system lets programs use it.
// Freestanding.
#pragma once

#include <stdint.h>

namespace spc::runtime {

/// The answers of cpuid and xgetbv; 0 where there is no such leaf or register.
struct CpuRegisters {
  uint32_t ecx1;        ///< ecx of leaf 1
  uint32_t ebx7;        ///< ebx of leaf 7, subleaf 0
  uint32_t ecxExtended; ///< ecx of leaf 0x80000001
  uint64_t saved;       ///< XCR0: the registers that the system saves and restores
};

/// 1 to 4. A level without what it takes of the one below does not count.
int32_t levelOf(const CpuRegisters &registers);

} // namespace spc::runtime
