// What planning changes of a program before anything else. Private to sema's rooms.
#pragma once

#include "sema/program.h"
#include "support/diagnostic.h"

namespace spc::sema {

/// Takes out conversions of numbers and of elements that change nothing.
void dropConversions(Program &program);

/// Makes plain sums of `minplus` and `maxplus` in types other than integers, where infinities absorb what is added to
/// them anyway; warns of fills that are their type's infinity, and none in the type that they are converted to.
void lowerInfinities(Program &program, Diagnostics &diagnostics);

} // namespace spc::sema
