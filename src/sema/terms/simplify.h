// What planning changes of a program before anything else. Private to sema's rooms.
#pragma once

#include "sema/program.h"

namespace spc::sema {

/// Takes out conversions of numbers and of elements that change nothing.
void dropConversions(Program &program);

} // namespace spc::sema
