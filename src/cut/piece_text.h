// Statements of a program as a kernel file of their own.
#pragma once

#include "cut/cut.h"
#include "cut/divided_variables.h"

namespace spc::cut {

/// The statements from `begin` to `end` as the piece of a number, from 1 on. What earlier pieces have made is its
/// operand, what later ones read its output. An operand that is read at the divided variable and at others is two.
Piece pieceOf(const sema::Program &program, const sema::Kernel &plan, const DividedVariables &divided,
              const Request &request, size_t begin, size_t end, size_t number);

} // namespace spc::cut
