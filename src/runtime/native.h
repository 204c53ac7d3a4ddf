// The runtime's functions as this process has them: for kernels that run in it and need no code of their own for them.
#pragma once

#include <vector>

namespace spc::runtime {

struct NativeFunction {
  const char *symbol; ///< in a kernel
  void *address;      ///< valid as long as the process
};

/// All functions of contract.def.
const std::vector<NativeFunction> &nativeFunctions();

} // namespace spc::runtime
