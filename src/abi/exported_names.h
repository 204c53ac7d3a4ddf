// The names that the object of a kernel exports.
#pragma once

#include <string>
#include <string_view>

namespace spc::abi {

/// Names follow from the function's, from the version of the convention and from a hash. Those of hidden kernels, which
/// are linked into a program or a library and seen by nothing else, hold what is computed, so that kernels that differ
/// never meet; those of visible ones hold the convention alone, so that a kernel may be compiled anew under programs
/// that call it. A `phase` is "", "_symbolic", "_numeric" or "_free".
struct ExportedNames {
  std::string function; ///< what users call it
  /// A hash of the convention's version and of the arguments in their order, with their roles, storage, types and
  /// fills: 16 hexadecimal digits. Names, what is computed and options are not in it.
  std::string fingerprint;
  std::string contents; ///< of hidden kernels: the same of what is computed, and how; else empty

  bool isHidden() const { return !contents.empty(); }
  const std::string &hash() const { return isHidden() ? contents : fingerprint; }

  /// The function that the header calls.
  std::string symbol(std::string_view phase = {}) const;
  /// The function that takes any arguments.
  std::string argvSymbol(std::string_view phase = {}) const;
  /// The signature as text, see signature_json.h.
  std::string dataSymbol() const;
  /// The names of the same kernel where it is visible.
  ExportedNames visible() const { return {function, fingerprint, {}}; }
};

/// A hash of 64 bits as 16 hexadecimal digits (FNV-1a; Fowler, Noll, Vo).
std::string hashOf(std::string_view text);

} // namespace spc::abi
