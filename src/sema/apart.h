// Statements that a program gets besides its own, for what is computed apart. Private to sema's rooms.
#pragma once

#include "sema/program.h"

#include <vector>

namespace spc::sema {

/// The statement that computes a value of another one as a temporary, indexed by some of its variables.
ResolvedStatement statementApart(TensorId target, const std::vector<VariableId> &variables,
                                 const ResolvedStatement &statement, NodePtr value);

/// A new temporary for such a value, an array until storage is decided; nothing writes it yet.
TensorId addTemporary(Program &program, Tensor tensor, const std::vector<VariableId> &variables,
                      const ResolvedStatement &statement);

/// Leaves the accesses and derived variables that a statement's value has.
void tidy(ResolvedStatement &statement);

/// A statement, and the number of that of the program which it precedes.
struct Apart {
  size_t before;
  ResolvedStatement statement;
};

/// Puts statements, in the order of the list, in front of a program's own.
void insertApart(Program &program, std::vector<Apart> apart);

} // namespace spc::sema
