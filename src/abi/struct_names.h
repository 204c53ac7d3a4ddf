// Names of the C structs. Private to this folder.
#pragma once

#include "format/format.h"

#include <string>

namespace spc::abi {

/// The names that follow from the levels of a format.
struct Structure {
  /// The levels' part of a struct's name: "csr", "ell16", "bsr4x8", "d0_c1q8_…".
  std::string name;
  /// A well-known matrix, whose fields are named by rows and columns: it has one array of pointers or lengths at most,
  /// and one of indices a dimension.
  bool isMatrix = false;
};

/// Follows from levels, layout and symmetry alone, and the name differs where these do. Requires: no sum.
Structure structureOf(const format::Format &format);

} // namespace spc::abi
