// Temporaries that their only reader's target holds until it is computed.
#pragma once

#include "sema/kernel.h"

namespace spc::sema {

/// Makes statements that are to set elements of a dense temporary set those of the output or temporary that is computed
/// of them, element by element, and that nothing uses before: `let T(i,l) = A(j,i) * C(j,l)` and `Y(i,l) = T(i,l) *
/// D(l)` take memory for Y alone, and come to that once less. What a sweep holds is in memory for a piece of rows, and
/// stays.
void computeInPlace(Kernel &kernel);

} // namespace spc::sema
