// Which names a generated header must not give to functions and parameters.
#pragma once

#include <string_view>

namespace spc::abi {

/// Whether `name` cannot be a C or C++ function or parameter name in a generated header: a keyword of either language,
/// a common macro of the standard headers, a reserved identifier (`_X`, `a__b`) or a name of our own (`ctx`, `spc_…`).
bool isReservedName(std::string_view name);

} // namespace spc::abi
