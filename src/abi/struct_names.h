// Names of the C structs. Private to this folder.
#pragma once

#include "format/format.h"

#include <string>

namespace spc::abi {

/// The levels' part of a struct's name: "csr", "ell16", "bsr4x8", "d0_c1q8_…". Follows from levels, layout and symmetry
/// alone, and differs where these do. Requires: no sum.
std::string structureName(const format::Format &format);

/// A compressed root with nothing but singletons below it: one entry, one value.
bool isCoordinateList(const format::Format &format);

} // namespace spc::abi
