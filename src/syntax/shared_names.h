// Names of functions that tensors of a file have.
#pragma once

#include "support/source.h"

#include <set>
#include <string>

namespace spc::syntax {

using SharedNames = std::set<std::string, std::less<>>;

/// The names of functions that mean tensors wherever they stand in a file: those that it declares, assigns or names in
/// its signature, and, where it declares no tensor, words that are likely names of tensors (`div`) and read at indices
/// alone wherever they are read, as `div(i, j)` is.
SharedNames sharedNamesOf(const SourceFile &file);

} // namespace spc::syntax
