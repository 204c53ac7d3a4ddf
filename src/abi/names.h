// Which names a generated header must not give to functions and parameters.
#pragma once

#include <span>
#include <string_view>

namespace spc::abi {

/// Whether `name` cannot be a C or C++ function or parameter name in a generated header whatever is included: a keyword
/// of either language, a reserved identifier (`_X`, `a__b`), `main`, or a name of our own (`ctx`, `spc_…`).
bool isReservedName(std::string_view name);

/// Whether `name` is one that the standard headers of C or C++ take, or OpenMP's: a macro, a type, a function.
bool isLibraryName(std::string_view name);

/// All names of the standard headers, sorted (tests/abi/library_names.py writes the list).
std::span<const std::string_view> libraryNames();

} // namespace spc::abi
