// The runtime's bitcode, embedded in spc.
#pragma once

#include <string_view>

namespace spc::runtime {

/// LLVM bitcode of every runtime function for an architecture as llvm::Triple spells it ("x86_64", "aarch64",
/// "riscv64", "wasm32"); empty for any other. Aligned to 4 bytes, lives as long as the program.
std::string_view bitcodeFor(std::string_view architecture);

} // namespace spc::runtime
