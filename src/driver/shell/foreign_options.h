// Options of other compilers, and what stands for them here.
#pragma once

#include "support/diagnostic.h"

#include <string>
#include <vector>

namespace spc::driver {

/// Says what to write for `argument`, an unknown option at `where`, if it is one of a C compiler's: a fix where one of
/// the `known` options is its like, else a sentence. False, with nothing said, for any other option.
bool adviseForeignOption(const std::string &argument, Span where, const std::vector<std::string> &known,
                         Diagnostic &diagnostic);

} // namespace spc::driver
