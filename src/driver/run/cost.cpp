#include "driver/run/cost.h"

#include "explain/data.h"
#include "host/log.h"
#include "host/measure.h"
#include "sema/alternatives.h"
#include "sema/cost.h"
#include "support/quantities.h"
#include "tensor/pack/constants.h"

#include <algorithm>

namespace spc::driver {

namespace {

constexpr DiagnosticKind kCost{"cost", Severity::Note};
constexpr DiagnosticKind kLongRun{"long-run", Severity::Warning};

constexpr double kStepsPerSecond = 1e9; ///< of one thread, in loops over entries
constexpr double kWorthANote = kStepsPerSecond;
constexpr double kLongSeconds = 100;

/// In words: "3.1 minutes".
std::string duration(double seconds) {
  constexpr double kMinute = 60, kHour = 3600;
  return seconds < kHour ? roughText(seconds / kMinute) + " minutes" : roughText(seconds / kHour) + " hours";
}

/// The steps of one statement.
struct StepCost {
  const sema::Statement *statement;
  std::string formula;
  double value;
};

/// What is known before the call.
sema::CostSizes sizesOf(const sema::Kernel &kernel, const host::Inputs &inputs,
                        const std::vector<host::CallArgument> &arguments) {
  const auto constants = std::make_shared<tensor::ConstantPacker>(kernel);
  const auto entries = [&kernel, &arguments, constants](sema::TensorId tensor) -> std::optional<double> {
    std::string error;
    if (sema::isConstant(kernel, tensor))
      return static_cast<double>(constants->packed(tensor, error)->valueCount());
    const auto place = std::find(kernel.parameters.begin(), kernel.parameters.end(), tensor);
    const bool isKnown = place != kernel.parameters.end() && !kernel.tensors[tensor].isAssembled();
    const auto &packed = arguments[isKnown ? static_cast<size_t>(place - kernel.parameters.begin()) : 0].tensor;
    return isKnown && packed ? std::optional(static_cast<double>(packed->valueCount())) : std::nullopt;
  };
  return {[&inputs](sema::ExtentId id) { return static_cast<double>(inputs.extents[id]); }, entries};
}

/// The statements that the call runs.
std::vector<const sema::Statement *> statementsOf(const sema::Kernel &kernel, const sema::CostSizes &sizes) {
  const size_t alternative = sema::alternativeFor(kernel, sizes);
  std::vector<const sema::Statement *> statements;
  for (size_t k = 0; k < kernel.steps.size(); ++k)
    if (const auto *statement = std::get_if<sema::Statement>(&kernel.steps[k]);
        statement && sema::runs(kernel, k, alternative))
      statements.push_back(statement);
  return statements;
}

/// Of the statements whose cost the data says.
std::vector<StepCost> costsOf(const sema::Kernel &kernel, const host::Inputs &inputs,
                              const std::vector<host::CallArgument> &arguments) {
  const sema::CostSizes sizes = sizesOf(kernel, inputs, arguments);
  std::vector<StepCost> costs;
  for (const sema::Statement *statement : statementsOf(kernel, sizes)) {
    const std::vector<sema::CostProduct> cost = sema::costOf(*statement, kernel);
    if (const std::optional<double> value = sema::evaluate(cost, sizes))
      costs.push_back({statement, sema::describe(cost, kernel), *value});
  }
  return costs;
}

/// The operations of one statement; nullopt where they depend on entries that the call works out.
std::optional<double> operationsOf(const sema::Statement &statement, const sema::Kernel &kernel,
                                   const sema::CostSizes &sizes) {
  double total = 0;
  for (size_t term = 0; term < statement.terms.size(); ++term) {
    const std::optional<double> steps = sema::evaluate(sema::costOf(statement, statement.terms[term], kernel), sizes);
    if (!steps)
      return std::nullopt;
    total += *steps * sema::operationsPerStep(statement, term, kernel);
  }
  return total;
}

/// Of the arrays of an argument; of a structure that is another's its values alone.
double bytesOf(const sema::Tensor &tensor, const tensor::PackedTensor &packed) {
  const format::Footprint footprint = packed.footprint();
  return tensor.shared() ? footprint.values * sema::bytesOf(tensor.type) : footprint.bytes;
}

} // namespace

Work workOf(const sema::Kernel &kernel, const host::Inputs &inputs, const std::vector<host::CallArgument> &arguments) {
  Work work;
  work.operations = 0;
  const sema::CostSizes sizes = sizesOf(kernel, inputs, arguments);
  double most = -1;
  for (const sema::Statement *statement : statementsOf(kernel, sizes)) {
    const std::optional<double> operations = operationsOf(*statement, kernel, sizes);
    work.operations = work.operations && operations ? std::optional(*work.operations + *operations) : std::nullopt;
    if (operations.value_or(0) <= most)
      continue;
    most = operations.value_or(0);
    const sema::ValueType type = sema::arithmeticType(statement->computeType);
    work.isFloat = sema::isFloat(type) || sema::isComplex(type);
    work.isSingle = type == sema::ValueType::F32 || type == sema::ValueType::CF32;
  }
  for (size_t k = 0; k < arguments.size(); ++k)
    if (arguments[k].tensor)
      work.bytes += bytesOf(kernel.tensors[kernel.parameters[k]], *arguments[k].tensor);
  tensor::ConstantPacker constants(kernel);
  std::string error;
  for (sema::TensorId id : kernel.tensors.ids())
    if (kernel.tensors[id].is<sema::Constant>() && kernel.tensors[id].order() > 0)
      work.bytes += bytesOf(kernel.tensors[id], *constants.packed(id, error));
  return work;
}

bool reportCost(Session &session, const sema::Kernel &kernel, const host::Inputs &inputs,
                const std::vector<host::CallArgument> &arguments, int rounds, bool mayBegin) {
  const std::vector<StepCost> costs = costsOf(kernel, inputs, arguments);
  double total = 0;
  for (const StepCost &cost : costs) {
    total += cost.value;
    host::log("cost of '" + kernel.tensors[cost.statement->target].name + "': " + cost.formula + " = " +
              roughText(cost.value) + " steps");
  }
  const double call = total / kStepsPerSecond;
  const double seconds = rounds > 0 ? rounds * std::max(call, host::kRoundSeconds) : call;
  if (costs.empty() || (total < kWorthANote && seconds < kLongSeconds))
    return true;
  const auto largest = std::max_element(costs.begin(), costs.end(),
                                        [](const StepCost &a, const StepCost &b) { return a.value < b.value; });
  const std::string steps = largest->formula + " = " + roughText(largest->value) + " steps";
  if (seconds < kLongSeconds) {
    session.diagnostics().report(kCost, largest->statement->where, "this takes " + steps);
    return true;
  }
  const size_t before = session.diagnostics().all().size();
  session.diagnostics()
      .report(kLongRun, largest->statement->where,
              "this takes " + steps + (rounds > 0 ? ", " + std::to_string(rounds) + " rounds of 5 ms or more" : "") +
                  ", some " + duration(seconds) + " at " + roughText(kStepsPerSecond) +
                  " a second on each processor, and reads and writes " +
                  roughText(workOf(kernel, inputs, arguments).bytes) + " bytes")
      .advise(std::string("is an index or a size mistaken?") + (rounds > 0 ? " are the rounds of --repeat?" : "") +
              " --emit=plan of spc compile shows the loops; -Werror=long-run refuses to begin");
  const bool isWarned = session.diagnostics().all().size() > before;
  return mayBegin || !isWarned || session.failed() || mayBeginByTerminal(session);
}

} // namespace spc::driver
