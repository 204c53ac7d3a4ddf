// Signatures back from data, as far as libraries of kernels need them.
#pragma once

#include "abi/exported_names.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace spc::abi {

/// A kernel as its object describes it.
struct ReadSignature : ExportedNames {
  int version = 0;                    ///< of the calling convention
  std::vector<std::string> phases;    ///< of its functions: "", "_symbolic", "_numeric", "_free"
  std::vector<std::string> arguments; ///< their C++ types; numbers as the language calls them, `f16`
  std::vector<std::string> assembled; ///< those of what `_free` takes
  std::vector<std::string> passed;    ///< in registers: the types of numbers, empty for pointers
  std::string visibleText;            ///< the signature of the same kernel where it is visible

  /// All that a dynamic linker has to see of the kernel, where it is visible.
  std::vector<std::string> symbols() const;
  /// All names that its header declares at global scope: the kernel's own first.
  std::vector<std::string> declaredNames() const;
};

/// Reads what signatureJson() writes; nullopt where `text` is something else.
std::optional<ReadSignature> readSignature(std::string_view text);

/// The same in words for people, a line for each argument, in printable ASCII; nullopt where `text` has no name or no
/// version.
std::optional<std::string> describeSignature(std::string_view text);

} // namespace spc::abi
