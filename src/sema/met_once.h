// Whether assembling statements add up what they collect.
#pragma once

#include "sema/kernel.h"

namespace spc::sema {

/// Whether a place of an assembled target tells which entry of each operand comes there, by the ties of the statement
/// and of the temporaries that it reads: then each comes once, unless an operand lists a place twice.
bool meetsKeysOnce(const Kernel &kernel, const Statement &statement);

} // namespace spc::sema
