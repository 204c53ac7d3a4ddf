// Which names in indices are index variables, and which are numbers that a call knows.
#pragma once

#include "support/source.h"
#include "syntax/ast.h"
#include "syntax/syntax_errors.h"

#include <set>
#include <string>

namespace spc::syntax {

using KnownNumbers = std::set<std::string, std::less<>>;

/// The names of numbers that a file declares, or gives a value: extents and scalars.
KnownNumbers knownNumbersOf(const SourceFile &file);

/// Sorts the names in a statement's indices, which come as they are written: `i*n` has one variable where n is a known
/// number and indexes nothing alone. Reports products of variables.
void settleIndices(Statement &statement, const KnownNumbers &numbers, SyntaxErrors &errors);

} // namespace spc::syntax
