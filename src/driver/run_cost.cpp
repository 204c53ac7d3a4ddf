#include "driver/run_cost.h"

#include "driver/log.h"
#include "sema/cost.h"

#include <algorithm>
#include <cstdio>

namespace spc::driver {

namespace {

constexpr DiagnosticKind kCost{"cost", Severity::Note};
constexpr DiagnosticKind kLongRun{"long-run", Severity::Warning};

constexpr double kStepsPerSecond = 1e9; ///< of one thread, in loops over entries
constexpr double kSecondsPerHour = 3600;
constexpr double kWorthANote = kStepsPerSecond;
constexpr double kLong = kSecondsPerHour * kStepsPerSecond;

std::string shown(double number) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2g", number);
  return text;
}

/// The steps of one statement.
struct StepCost {
  const sema::Statement *statement;
  std::string formula;
  double value;
};

/// Of the statements whose cost the data says.
std::vector<StepCost> costsOf(const sema::Kernel &kernel, const RunInputs &inputs,
                              const std::vector<CallArgument> &arguments) {
  const auto entries = [&](sema::TensorId tensor) -> std::optional<double> {
    const auto place = std::find(kernel.parameters.begin(), kernel.parameters.end(), tensor);
    const bool isKnown = place != kernel.parameters.end() && !kernel.tensors[tensor].isAssembled();
    const auto &packed = arguments[isKnown ? static_cast<size_t>(place - kernel.parameters.begin()) : 0].tensor;
    return isKnown && packed ? std::optional(static_cast<double>(packed->valueCount())) : std::nullopt;
  };
  const sema::CostSizes sizes{[&](sema::ExtentId id) { return static_cast<double>(inputs.extents[id]); }, entries};
  std::vector<StepCost> costs;
  for (const sema::Step &step : kernel.steps) {
    const auto *statement = std::get_if<sema::Statement>(&step);
    if (!statement)
      continue;
    const std::vector<sema::CostProduct> cost = sema::costOf(*statement, kernel);
    if (const std::optional<double> value = sema::evaluate(cost, sizes))
      costs.push_back({statement, sema::describe(cost, kernel), *value});
  }
  return costs;
}

} // namespace

void reportCost(Session &session, const sema::Kernel &kernel, const RunInputs &inputs,
                const std::vector<CallArgument> &arguments) {
  const std::vector<StepCost> costs = costsOf(kernel, inputs, arguments);
  double total = 0;
  for (const StepCost &cost : costs) {
    total += cost.value;
    log("cost of '" + kernel.tensors[cost.statement->target].name + "': " + cost.formula + " = " + shown(cost.value) +
        " steps");
  }
  if (total < kWorthANote)
    return;
  const auto largest = std::max_element(costs.begin(), costs.end(),
                                        [](const StepCost &a, const StepCost &b) { return a.value < b.value; });
  const std::string steps = largest->formula + " = " + shown(largest->value) + " steps";
  if (total < kLong) {
    session.diagnostics().report(kCost, largest->statement->where, "this takes " + steps);
    return;
  }
  session.diagnostics()
      .report(kLongRun, largest->statement->where,
              "this takes " + steps + ", some " + shown(total / kLong) + " hours at " + shown(kStepsPerSecond) +
                  " a second")
      .advise("is an index or a size mistaken? --emit=plan of spc compile shows the loops; -Werror=long-run refuses to "
              "begin");
}

} // namespace spc::driver
