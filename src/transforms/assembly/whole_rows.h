// Runs that append whole rows of operands: all of them at once.
#pragma once

#include "dialect/dialect.h"

namespace spc::transforms {

/// Gives the loop over the rows of an open run, whose terms append all entries of a row of an operand each, a second
/// form for where the runtime only notes how long rows are and no two terms have entries in one row, the later ones
/// behind the earlier: a loop over all entries of each term, whatever row they are of.
void appendWholeRows(dialect::OpenRunOp run);

} // namespace spc::transforms
