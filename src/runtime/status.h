// The statuses of include/spc/spc.h that generated code and the runtime return. A test compares the numbers.
#pragma once

#include <stdint.h>

namespace spc::runtime {

enum class Status : int32_t {
  Ok = 0,
  Null = 1,
  Shape = 2,
  Stride = 3,
  Pattern = 4,
  Count = 5,
  Memory = 6,
  Context = 7,
  Pointers = 8,
  IndexRange = 9,
  Duplicate = 11,
  IndexType = 12,
  Overlap = 13,
};

} // namespace spc::runtime
