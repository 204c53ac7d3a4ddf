// The cost of a run, said before it begins.
#pragma once

#include "driver/shell/session.h"
#include "host/inputs.h"
#include "host/kernel_call.h"

#include <optional>
#include <string>
#include <vector>

namespace spc::driver {

/// The work of a call on this data.
struct Work {
  std::optional<double>
      operations;        ///< a multiply-add is two; nullopt where it depends on entries that a call works out
  double bytes = 0;      ///< of operands and results, each once
  bool isFloat = false;  ///< most of the operations, f16 and complex numbers included
  bool isSingle = false; ///< these are in f32
};

/// After a call: results have their sizes.
Work workOf(const sema::Kernel &kernel, const host::Inputs &inputs, const std::vector<host::CallArgument> &arguments);

/// Notes the steps that the kernel takes on this data where they are many, and warns where they take minutes; -v logs
/// them in any case. `rounds`: of measuring, each of which takes kRoundSeconds at least; 0: a call or a few. Steps over
/// entries that the call works out are left out. Where it warns and standard input and error are terminals, it asks
/// whether to begin, unless `mayBegin`. False where the answer is not yes.
bool reportCost(Session &session, const sema::Kernel &kernel, const host::Inputs &inputs,
                const std::vector<host::CallArgument> &arguments, int rounds, bool mayBegin);

} // namespace spc::driver
