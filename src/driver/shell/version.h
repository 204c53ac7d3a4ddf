// The name and version of spc.
#pragma once

#include <string>

namespace spc::driver {

/// "spc 0.1.0 (LLVM 22.1.1)"
inline std::string versionText() {
  return "spc " SPC_VERSION " (LLVM " SPC_LLVM_VERSION ")";
}

} // namespace spc::driver
