// Steps that run together, piece by piece of rows.
//
// A sweep runs its steps for some rows, then for the next ones, where they stand one after the other in the plan and
// each would run for all rows before the next one does. That gives the same results, to the bit, where
//
// 1. each step is divided by the rows that own what it writes, the same rows in all of them: a body then computes a row
//    from what it reads, whichever rows are computed beside it (sema/division.h);
// 2. whatever one of the steps writes, each of them accesses at the row's own coordinate alone, in one dimension: a
// step
//    reads of an earlier one what that has written for the same row, and of a later one what was there before, in
//    either order;
// 3. nothing else is written in between: copies, conversions and results that are assembled end a sweep.
//
// A temporary that the steps of the sweep alone use is then needed for the rows of one piece, and is *held* so: its
// elements of these rows have to lie next to each other, which they do by a dense outermost level of the rows.
//
// A sweep reads at most one tensor otherwise than by its rows, at coordinates that entries list. Measured: listed rows
// of one operand stay in the cache from one row to the next, and those of two drive each other out of it. Attention
// with one sweep over both products took up to 1.3 times the time (docs/notes.md). What each row reads as a whole, as
// the product of dense matrices does, is better read for many rows at once.
#pragma once

#include "sema/kernel.h"

namespace spc::sema {

/// The longest sweeps of a planned kernel, from its last step backwards; each holds a temporary of two dimensions or
/// more. None where a schedule says how loops are divided, or where calls choose among steps.
std::vector<Sweep> findSweeps(const Kernel &kernel);

} // namespace spc::sema
