// Results of `spc tune`'s candidates, to be compared.
#pragma once

#include "driver/tune/data.h"
#include "tune/choice.h"

#include <map>
#include <optional>
#include <string>

namespace spc::driver {

/// The sums of each output, by its name in the kernel.
using TuneResults = std::map<std::string, tune::ResultSums>;

/// Keeps what calls would change, before the first one.
void saveOperands(const TuneCode &candidate, TuneArguments &arguments);

/// Calls once more, on what operands were before the first call, and looks at all outputs, scalars among them. nullopt
/// where the call fails.
std::optional<TuneResults> resultsOf(const TuneCode &candidate, TuneArguments &arguments, const spc_context *context);

/// Whether no more than rounding tells them apart, where numbers are rounded by so much of themselves.
bool agree(const TuneResults &results, const TuneResults &expected, double epsilon);

} // namespace spc::driver
