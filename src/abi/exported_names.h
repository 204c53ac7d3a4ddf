// What the object of a kernel exports.
#pragma once

#include <string>
#include <string_view>

namespace spc::abi {

/// Names follow from the function's and from the signature's fingerprint. A `phase` is "", "_symbolic", "_numeric" or
/// "_free".
struct ExportedNames {
  std::string function; ///< what users call it
  /// Of the convention's version and of the arguments: names in their order, roles, storage, types, fills. 16
  /// hexadecimal digits. Not of what is computed, nor of options.
  std::string fingerprint;

  /// What the header calls.
  std::string symbol(std::string_view phase = {}) const {
    return function + std::string(phase) + "_spc_" + fingerprint;
  }
  /// What takes any arguments.
  std::string argvSymbol(std::string_view phase = {}) const { return function + std::string(phase) + "_argv"; }
  /// The signature as text, see signature_json.h.
  std::string dataSymbol() const { return "spc_signature_" + function; }
};

} // namespace spc::abi
