// What planning changes of a program before anything else. Private to sema's rooms.
#pragma once

#include "sema/program.h"

namespace spc::sema {

/// Takes out conversions of numbers and of elements that change nothing.
void dropConversions(Program &program);

/// Writes choices by negated conditions as choices by these conditions (sema/plain_choice.h), and makes numbers that
/// scale `select(c, a, 0)` scale a.
void orderChoices(Program &program);

/// Makes temporaries of what is read of a temporary at constants and where indices are equal, if the rest of it may be
/// wanted at few places, or nowhere. Requires: there are no ties.
void pickApart(Program &program);

/// Makes temporaries of their own of what several statements scatter to one, at held indices, if products alone read
/// it. Requires: there are no ties.
void scatterApart(Program &program);

/// Makes temporaries of what products compute for the entries of a sparse operand by functions that take long, where
/// several do, or one does so for each element of a further dimension. Requires: there are no ties.
void computeFunctionsApart(Program &program);

/// Puts operands in place of equations between index variables, so that loops run over their solutions alone: a
/// comparison `i == j` that is no factor of a sparse operand with both, and the indices of sparse operands that are no
/// plain variables, A(i, i), A(2*i + 3, 5). Each becomes a Tie, a tensor of the program.
void tieIndices(Program &program);

/// Puts what dense temporaries are made of in place of gathers of these, where they are larger than all that and read
/// at fewer places. Requires: ties are there.
void placeGathered(Program &program);

/// Takes gathers in functions for sums around these, so that elements are read where they are. Requires: ties are
/// there.
void liftGathers(Program &program);

/// Makes assignments of statements that take values into sparse targets, as `C(i,j) min= A(i,j)` does: what such a
/// target holds is read. Sums stay that are added to zeros.
void readSparseTargets(Program &program);

} // namespace spc::sema
