// What may be wrong with the contents of arguments.
#pragma once

#include "corruption/guarded_call.h"
#include "harness/data.h"

#include <string>

namespace spc::testing {

/// What was done to a call, and what may be expected of it.
struct Corruption {
  std::string kind;          ///< "index below 0", for counting
  std::string text;          ///< the same with the tensor, the field and the place
  bool hasOddValues = false; ///< values that the evaluator treats otherwise: results need not be compared
};

/// Changes one thing about an argument of the call. An empty kind where the choice came to nothing.
Corruption corrupt(GuardedCall &call, Random &random);

} // namespace spc::testing
