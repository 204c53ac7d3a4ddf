#include "explain/explanation.h"

#include "explain/nests.h"
#include "sema/alternatives.h"
#include "sema/analyze.h"
#include "sema/cost.h"
#include "sema/shared_bodies.h"

#include <algorithm>

namespace spc::explain {
namespace {

std::string listOf(const std::vector<std::string> &names) {
  std::string list;
  for (const std::string &name : names)
    list += (list.empty() ? "" : ", ") + name;
  return list;
}

/// "x86-64-v3: 6 of 8 innermost loops on vectors, up to 4 x f64, 12 prefetches"
std::string describe(const pipeline::MachineFacts &machine) {
  std::string text = machine.processor.empty() ? "machine code" : "machine code for " + machine.processor;
  if (machine.innermost == 0)
    return text + ": no loops";
  text += ": " + std::to_string(machine.vectorised) + " of " + std::to_string(machine.innermost) +
          " innermost loops on vectors";
  if (!machine.widest.empty())
    text += " (up to " + machine.widest + ")";
  if (machine.gathers)
    text += ", gathers";
  if (machine.prefetches > 0)
    text += ", " + std::to_string(machine.prefetches) + " prefetches";
  return text;
}

std::string describeChunks(const sema::Kernel &kernel, const pipeline::BodyFacts &body) {
  if (!body.inChunks)
    return "runs on one thread";
  std::string text = "runs in chunks on the threads of the context: " + body.items + " divided";
  text += body.sharers.empty() ? " evenly" : " so that each chunk has as many entries of " + listOf(body.sharers);
  if (kernel.schedule.chunk)
    text += ", " + std::to_string(*kernel.schedule.chunk) + " of work each, as the schedule says";
  if (!body.copies.empty())
    text += "; each chunk but the first adds to a copy of " + body.copies + ", all added up at the end";
  return text;
}

std::string describeAssembly(const sema::Kernel &kernel, const sema::Statement &statement,
                             const pipeline::BodyFacts *body) {
  const sema::Tensor &target = kernel.tensors[statement.target];
  std::string text = target.name + " is assembled ";
  text += statement.collecting->rowOrder == 0 ? "as a whole" : "row by row";
  if (body)
    text += body->usesWorkspace
                ? ": entries of a row are accumulated in a workspace, as they come in no order, and sorted at its end"
                : ": entries come in order and once, and are appended";
  return text;
}

StepLine lineOf(const sema::Kernel &kernel, const sema::Statement &statement, const pipeline::BodyFacts *body) {
  StepLine line;
  const sema::Tensor &target = kernel.tensors[statement.target];
  line.title = target.name + ", computed in " + sema::spelling(statement.computeType);
  line.where = statement.where;
  if (statement.zeroFirst)
    line.notes.push_back(target.name + " is set to " +
                         (statement.reduction == sema::Reduction::Sum ? "zero" : "the identity of the reduction") +
                         " first");
  for (const sema::Term &term : statement.terms)
    line.nests.push_back(nestOf(kernel, statement, term, body));
  if (statement.collecting)
    line.notes.push_back(describeAssembly(kernel, statement, body));
  if (body) {
    line.notes.push_back(describeChunks(kernel, *body));
    if (body->hasTrials)
      line.notes.push_back("large calls measure on their first rows whether prefetches pay");
    for (const pipeline::MachineFacts &machine : body->machines)
      line.notes.push_back(describe(machine));
  }
  line.cost = sema::describe(sema::costOf(statement, kernel), kernel);
  return line;
}

struct StepDescriber {
  const sema::Kernel &kernel;
  const pipeline::BodyFacts *body;

  const std::string &nameOf(sema::TensorId id) const { return kernel.tensors[id].name; }
  StepLine operator()(const sema::Statement &statement) const { return lineOf(kernel, statement, body); }
  StepLine operator()(const sema::Copy &copy) const {
    return {nameOf(copy.to) + " is a copy of " + nameOf(copy.from) + ", which its statement reads at other elements"};
  }
  StepLine operator()(const sema::Conversion &conversion) const {
    return {nameOf(conversion.to) + " is sorted from the entries of " + nameOf(conversion.from), conversion.where};
  }
  StepLine operator()(const sema::RefreshCopy &refresh) const {
    return {nameOf(refresh.copy) + " is made of what its source holds now"};
  }
  StepLine operator()(const sema::Distribution &distribution) const {
    std::vector<std::string> parts;
    for (sema::TensorId part : distribution.parts)
      parts.push_back(nameOf(part));
    return {"the entries of " + nameOf(distribution.from) + " are given to " + listOf(parts)};
  }
  StepLine operator()(const sema::Ranking &ranking) const {
    return {nameOf(ranking.to) + " gets the " + (language::ranksPlaces(ranking.kind) ? "places of the " : "") +
                (language::ranksLeast(ranking.kind) ? "least" : "greatest") + " elements of each row of " +
                nameOf(ranking.from),
            ranking.where};
  }
  StepLine operator()(const sema::Placement &placement) const {
    return {"the entries of " + nameOf(placement.from) + (placement.adds ? " are added to " : " are put into ") +
                nameOf(placement.to) + ", each at its place there",
            placement.where};
  }
};

std::string roleOf(const sema::Kernel &kernel, const sema::Tensor &tensor) {
  const auto nameOf = [&](sema::TensorId id) { return kernel.tensors[id].name; };
  if (tensor.is<sema::Tie>())
    return "where indices agree, made once a call";
  if (tensor.is<sema::Constant>())
    return "constant";
  const bool isConstant = sema::isConstant(kernel, sema::TensorId(&tensor - kernel.tensors.data()));
  if (const auto *copy = tensor.as<sema::Converted>())
    return "copy of " + nameOf(copy->source) +
           (isConstant                 ? ", constant"
            : tensor.isOfRecomputation ? ", made where results are computed once more"
            : tensor.alternative       ? ", made by calls that run plan " + std::to_string(*tensor.alternative + 1)
                                       : ", made once a call");
  if (const auto *fused = tensor.as<sema::Fused>())
    return "computed where " + nameOf(fused->reader) + " reads it";
  if (const auto *held = tensor.as<sema::Held>())
    return "temporary, in the memory of " + nameOf(held->holder);
  if (const auto *view = tensor.as<sema::View>())
    return "elements of " + nameOf(view->source);
  std::string role = tensor.is<sema::Temporary>() ? "temporary"
                     : !tensor.isWritten          ? "operand"
                     : tensor.isRead              ? "operand and output"
                                                  : "output";
  if (tensor.isAssembled())
    role += ", assembled";
  if (const sema::SharedWith *shared = tensor.shared())
    role += ", with the pattern of " + nameOf(shared->owner);
  if (sema::holderOf(kernel, sema::TensorId(&tensor - kernel.tensors.data())))
    role += ", in memory for a piece of its rows";
  return role;
}

} // namespace

std::string storageOf(const sema::Kernel &kernel, const sema::Tensor &tensor) {
  if (tensor.order() == 0)
    return "";
  std::vector<std::string> names;
  for (sema::ExtentId extent : tensor.extents)
    names.push_back(kernel.extents[extent].name);
  std::vector<std::string> sorted = names;
  std::sort(sorted.begin(), sorted.end());
  if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end())
    names.clear();
  return (tensor.format.name.empty() ? "" : tensor.format.name + " ") + format::describe(tensor.format, names);
}

namespace {

/// Which calls run a step of one of the kernel's plans.
std::string describePlan(const sema::Kernel &kernel, size_t plan, const std::optional<CallCost> &cost) {
  const std::string of = std::to_string(plan + 1) + " of " + std::to_string(kernel.alternatives.size());
  return "in plan " + of +
         (!cost                       ? ", of which a call runs the one that takes the fewest steps with its sizes"
          : cost->alternative == plan ? ", which a call on this data runs"
                                      : ", which a call on this data does not run");
}

/// The steps that run together with a step, by what they write.
std::string describeSweep(const sema::Kernel &kernel, const sema::Sweep &sweep) {
  std::vector<std::string> names;
  for (size_t step = sweep.begin; step < sweep.end; ++step)
    names.push_back(kernel.tensors[std::get<sema::Statement>(kernel.steps[step]).target].name);
  return "runs together with the steps of " + listOf(names) + ", piece by piece of the rows";
}

/// What share of all of them each statement has, where there are several.
void setShares(std::vector<StepLine> &lines) {
  double steps = 0, bytes = 0;
  size_t count = 0;
  for (const StepLine &line : lines) {
    steps += line.steps.value_or(0);
    bytes += line.bytes.value_or(0);
    count += line.nests.empty() ? 0 : 1;
  }
  const auto isKnown = [&](const std::optional<double> StepLine::*what) {
    return count > 1 && std::all_of(lines.begin(), lines.end(),
                                    [&](const StepLine &line) { return line.nests.empty() || line.*what; });
  };
  const bool hasSteps = steps > 0 && isKnown(&StepLine::steps), hasBytes = bytes > 0 && isKnown(&StepLine::bytes);
  for (StepLine &line : lines) {
    if (hasSteps && line.steps)
      line.stepShare = *line.steps / steps;
    if (hasBytes && line.bytes)
      line.byteShare = *line.bytes / bytes;
  }
}

} // namespace

Explanation explainKernel(const sema::Kernel &kernel, const std::vector<pipeline::BodyFacts> &bodies, int optLevel,
                          Data *data) {
  Explanation explanation;
  explanation.function = kernel.function;
  if (data)
    explanation.cost = costOn(kernel, *data);
  const size_t alternative = explanation.cost ? explanation.cost->alternative : 0;
  for (sema::TensorId id : kernel.tensors.ids()) {
    const sema::Tensor &tensor = kernel.tensors[id];
    TensorLine line{tensor.name, std::string(sema::spelling(tensor.type)), roleOf(kernel, tensor)};
    if (const std::string storage = storageOf(kernel, tensor); !storage.empty())
      line.storage += ", " + storage;
    const bool isStored = !tensor.isNowhere() && tensor.order() > 0;
    if (data && isStored) {
      line.bytes = data->bytes(id);
      if (const tensor::PackedTensor *packed = tensor.format.isDense() ? nullptr : data->packed(id))
        line.entries = static_cast<double>(packed->valueCount());
    }
    explanation.tensors.push_back(std::move(line));
  }
  for (size_t step = 0; step < kernel.steps.size(); ++step) {
    const auto body =
        std::find_if(bodies.begin(), bodies.end(), [&](const pipeline::BodyFacts &one) { return one.step == step; });
    StepLine line = std::visit(StepDescriber{kernel, body == bodies.end() ? nullptr : &*body}, kernel.steps[step]);
    if (const std::optional<size_t> plan = sema::alternativeOf(kernel, step))
      line.notes.insert(line.notes.begin(), describePlan(kernel, *plan, explanation.cost));
    if (const sema::Sweep *sweep = sema::sweepOf(kernel, step))
      line.notes.insert(line.notes.begin(), describeSweep(kernel, *sweep));
    if (sema::isRecomputed(kernel, step))
      line.notes.insert(line.notes.begin(),
                        "runs where a result is NaN, or a factor is infinite, to tell sums without entries from zeros");
    if (const std::optional<sema::LentBody> lent = sema::lentBody(kernel, step))
      line.notes.push_back("runs the machine code of " +
                           kernel.tensors[std::get<sema::Statement>(kernel.steps[lent->step]).target].name +
                           ", whose loops are the same");
    if (explanation.cost && !line.nests.empty()) {
      line.steps = explanation.cost->steps[step];
      line.bytes = explanation.cost->bytes[step];
    }
    explanation.steps.push_back(std::move(line));
  }
  setShares(explanation.steps);
  for (size_t step = 0; step < kernel.steps.size(); ++step)
    if (!sema::runs(kernel, step, alternative)) {
      StepLine &line = explanation.steps[step];
      line.steps = line.bytes = line.stepShare = line.byteShare = std::nullopt;
    }
  for (const sema::IndexDivision &division : kernel.divisions)
    explanation.divisions.push_back(describe(division, kernel));
  explanation.remarks = remarksOn(kernel, bodies, optLevel, data, alternative);
  return explanation;
}

} // namespace spc::explain
