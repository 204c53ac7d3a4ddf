// Statements beside a reduction that say which of its values matter. Private to this folder.
#pragma once

#include "grad/program.h"

namespace spc::grad {

/// The statements that belong behind one whose right side is a minimum, a maximum or a product over one variable. Their
/// tensors are noted in the statement, and the program has them.
std::vector<Statement> companionsOf(Program &program, Statement &statement);

} // namespace spc::grad
