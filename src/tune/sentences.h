// The sentences of `spc tune` below its table.
#pragma once

#include "tune/choice.h"

#include <string>
#include <vector>

namespace spc::tune {

/// The candidates that the budget had no time for.
struct LeftOut {
  std::vector<std::string> formats; ///< tried in no order
  std::vector<std::string> orders;  ///< of the default's format
  size_t orderedFormats = 0;        ///< formats that were tried, but not in this order
  size_t schedules = 0;
};

/// "left out for want of time: ..." as a line; empty where nothing was.
std::string leftOutLine(const LeftOut &leftOut);

/// Why the default is kept: what became of the best candidate, `name`, in the comparison in turns. No rounds: nothing
/// was faster before it.
std::string keptDefaultLine(const std::string &name, const Rounds &rounds);

} // namespace spc::tune
