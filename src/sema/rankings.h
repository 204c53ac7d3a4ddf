// Rankings in steps: what is ranked is computed by a statement of its own, unless it is there already.
#pragma once

#include "sema/program.h"

namespace spc::sema {

/// The ranking that a statement's value is; null for anything else.
const ReduceNode *rankingOf(const ResolvedStatement &statement);

/// Whether a format lists each place once and in order, its levels being those of these dimensions.
bool listsRowsInOrder(const format::Format &format, const std::vector<int> &dims);

/// Makes each ranking one of a tensor whose elements can be read row by row, and of a type that is the target's:
/// computes temporaries before the statement where that is not so, and converts a temporary to the target behind it. To
/// be called before ties are made.
void rankApart(Program &program);

} // namespace spc::sema
