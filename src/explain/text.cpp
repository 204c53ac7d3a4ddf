#include "explain/text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

namespace spc::explain {
namespace {

std::string padded(std::string text, size_t width) {
  text.resize(std::max(width, text.size()), ' ');
  return text;
}

std::string place(Span where) {
  if (!where)
    return "";
  const LineColumn at = where.file->lineColumn(where.begin);
  return where.file->name() + ":" + std::to_string(at.line) + ":" + std::to_string(at.column);
}

void addNest(const Nest &nest, std::string &text) {
  size_t width = 0;
  for (size_t k = 0; k < nest.loops.size(); ++k)
    width = std::max(width, 2 * k + nest.loops[k].variable.size() + (nest.loops[k].isReduction ? 1 : 0));
  for (size_t k = 0; k < nest.loops.size(); ++k) {
    const LoopLine &loop = nest.loops[k];
    const std::string head = std::string(2 * k, ' ') + "for " + loop.variable + (loop.isReduction ? "+" : "");
    text += "  " + padded(head, width + 6) + loop.over + "\n";
    for (const std::string &note : loop.notes)
      text += "  " + std::string(width + 6, ' ') + "- " + note + "\n";
  }
  text += "  " + std::string(2 * nest.loops.size(), ' ') + nest.assignment + "\n";
}

void addStep(const StepLine &step, std::string &text) {
  const std::string where = place(step.where);
  text += "\n" + step.title + (where.empty() ? "" : "  [" + where + "]") + "\n";
  for (const Nest &nest : step.nests)
    addNest(nest, text);
  for (const std::string &note : step.notes)
    text += "  * " + note + "\n";
  if (!step.cost.empty())
    text +=
        "  steps: " + (step.steps ? numberText(*step.steps) + shareText(step.stepShare) + ", by the formula " : "") +
        step.cost + "\n";
  if (step.byteShare)
    text += "  bytes: " + byteText(*step.bytes) + shareText(step.byteShare) +
            ", of the arrays that it reads and writes, each once\n";
}

void addCost(const Explanation &explanation, std::string &text) {
  if (!explanation.cost)
    return;
  const CallCost &cost = *explanation.cost;
  text += "\nA call on this data\n";
  if (const std::optional<double> steps = cost.allSteps())
    text += "  steps: " + numberText(*steps) + "\n  operations: " + numberText(cost.operations) + "\n";
  else
    text += "  steps: not known before the call\n";
  text += "  bytes: " + numberText(cost.allBytes()) + " (" + byteText(cost.allBytes()) + "), each array counted once\n";
  for (const Traffic &traffic : cost.traffic)
    text +=
        "    " + traffic.tensor + ": " + byteText(traffic.read) + " read, " + byteText(traffic.written) + " written\n";
  for (const std::string &name : cost.unknown)
    text += "    " + name + ": not known before the call\n";
  if (const std::optional<double> seconds = leastTime(explanation))
    text += "  at best: " + timeText(*seconds) + " on all cores of this machine (" +
            byteText(explanation.roofs->bytesPerSecond) + "/s, " +
            numberText(explanation.roofs->operationsPerSecond / 1e9) + " GFLOP/s)\n";
  else if (!explanation.roofs && cost.allSteps() && cost.unknown.empty())
    text += "  at best: --roofs measures this machine, for a second, and says how long that takes\n";
  if (explanation.measured)
    text += "  measured: " + measuredText(explanation) + "; " + explanation.measured->memory + "\n";
}

void addDivisions(const Explanation &explanation, std::string &text) {
  if (!explanation.divisions.empty())
    text += "\nDivided among processes\n";
  for (const std::string &division : explanation.divisions)
    text += "  " + division + "\n";
}

void addRemarks(const std::vector<Remark> &remarks, std::string &text) {
  if (!remarks.empty())
    text += "\nRemarks\n";
  for (const Remark &remark : remarks) {
    const std::string where = place(remark.where);
    text += "  " + (where.empty() ? "" : where + ": ") + remark.text + " [" + remark.id + "]\n";
    if (!remark.advice.empty())
      text += "    what would help: " + remark.advice + "\n";
  }
}

void addAlternatives(const std::vector<Alternative> &alternatives, std::string &text) {
  std::string tensor;
  for (const Alternative &one : alternatives) {
    if (one.tensor != tensor)
      text += "\n'" + one.tensor + "' in other formats\n  " + padded("format", 16) + padded("steps", 16) + "bytes\n";
    tensor = one.tensor;
    text += "  " + padded(one.format + (one.isOwn ? " *" : ""), 16);
    text += one.why.empty()
                ? padded(one.steps ? numberText(*one.steps) : "?", 16) + (one.bytes ? byteText(*one.bytes) : "?")
                : one.why;
    text += "\n";
  }
}

} // namespace

std::string shareText(std::optional<double> share) {
  constexpr double kLeast = 1e-3;
  char text[32];
  std::snprintf(text, sizeof text, " (%.1f %% of all)", 100 * share.value_or(0));
  return !share ? "" : *share > 0 && *share < kLeast ? " (less than 0.1 % of all)" : text;
}

std::string measuredText(const Explanation &explanation) {
  const MeasuredTime &measured = *explanation.measured;
  std::string text = timeText(measured.seconds) + " a call on " + std::to_string(measured.threads) +
                     (measured.threads == 1 ? " thread" : " threads");
  const std::optional<double> least = leastTime(explanation);
  if (!least || *least <= 0)
    return text;
  char times[48];
  std::snprintf(times, sizeof times, ", %.3g times the best possible", measured.seconds / *least);
  return text + times;
}

std::optional<double> leastTime(const Explanation &explanation) {
  if (!explanation.roofs || !explanation.cost || !explanation.cost->allSteps() || !explanation.cost->unknown.empty())
    return std::nullopt;
  return std::max(explanation.cost->allBytes() / explanation.roofs->bytesPerSecond,
                  explanation.cost->operations / explanation.roofs->operationsPerSecond);
}

std::string textOf(const Explanation &explanation) {
  std::string text = "kernel " + explanation.function + "\n";
  size_t width = 0;
  for (const TensorLine &tensor : explanation.tensors)
    width = std::max(width, tensor.name.size());
  for (const TensorLine &tensor : explanation.tensors) {
    text += "  " + padded(tensor.name, width + 2) + tensor.storage + "; " + tensor.role;
    if (tensor.entries)
      text += "; " + numberText(*tensor.entries) + " entries";
    if (tensor.bytes)
      text += ", " + byteText(*tensor.bytes);
    text += "\n";
  }
  addRemarks(explanation.remarks, text);
  for (const StepLine &step : explanation.steps)
    addStep(step, text);
  addDivisions(explanation, text);
  addCost(explanation, text);
  addAlternatives(explanation.alternatives, text);
  const Provenance &from = explanation.provenance;
  if (!from.version.empty())
    text += "\n" + from.version + " on " + from.machine + "\n$ " + from.command + "\n";
  return text;
}

} // namespace spc::explain
