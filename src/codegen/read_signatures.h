// Signatures back out of machine code.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace spc::codegen {

/// The texts at the symbols `spc_signature_<kernel>` (docs/abi.md) of an object, an archive of objects or a shared
/// library of any platform, or of a universal file with several of these, in the order of their names; of WebAssembly
/// all such texts. nullopt, with the reason in `error`, where `bytes` are none of these or broken; a text that does not
/// end within its section is left out.
std::optional<std::vector<std::string>> readSignatures(std::string_view bytes, std::string &error);

} // namespace spc::codegen
