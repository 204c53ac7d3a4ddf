// The arrays of a kernel's constants, as its object has them.
#pragma once

#include "abi/signature.h"
#include "sema/kernel.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace spc::entry {

/// A constant, or a copy of one that is made when the kernel is compiled.
struct StoredConstant {
  struct Array {
    std::string bytes;    ///< in the order of this machine
    int elementBytes = 1; ///< of a number; a complex one is two
  };
  abi::StructType type;          ///< no fields of what is one number, which is the one array
  std::vector<int64_t> numbers;  ///< by field; 0 of arrays
  std::vector<Array> arrays;     ///< by field, and what the lengths of levels add up to
  std::map<int, size_t> addedUp; ///< the numbers of the latter, by level
  int64_t stored = 0;            ///< values
};

using StoredConstants = std::map<sema::TensorId, StoredConstant>;

} // namespace spc::entry
