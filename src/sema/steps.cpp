// The steps in which a kernel runs.
#include "sema/kernel.h"

#include "format/levels.h"

#include <algorithm>

namespace spc::sema {

const Statement *assemblingStatement(const Step &step) {
  const auto *statement = std::get_if<Statement>(&step);
  return statement && statement->collecting ? statement : nullptr;
}

namespace {

/// Whether a step of each kind uses a tensor.
struct Usage {
  TensorId tensor;

  bool operator()(const Statement &statement) const {
    const auto reads = [&](const Term &term) {
      return std::any_of(term.operands.begin(), term.operands.end(),
                         [&](const Operand &operand) { return operand.tensor == tensor; });
    };
    return statement.target == tensor || std::any_of(statement.terms.begin(), statement.terms.end(), reads);
  }
  bool operator()(const Copy &copy) const { return copy.from == tensor || copy.to == tensor; }
  bool operator()(const Conversion &conversion) const { return conversion.from == tensor || conversion.to == tensor; }
  bool operator()(const RefreshCopy &refresh) const { return refresh.copy == tensor; }
  bool operator()(const Distribution &distribution) const {
    return distribution.from == tensor ||
           std::find(distribution.parts.begin(), distribution.parts.end(), tensor) != distribution.parts.end();
  }
  bool operator()(const Placement &placement) const { return placement.from == tensor || placement.to == tensor; }
  bool operator()(const Ranking &ranking) const { return ranking.from == tensor || ranking.to == tensor; }
};

} // namespace

bool uses(const Step &step, TensorId tensor) {
  return std::visit(Usage{tensor}, step);
}

const Sweep *sweepOf(const Kernel &kernel, size_t step) {
  for (const Sweep &sweep : kernel.sweeps)
    if (sweep.begin <= step && step < sweep.end)
      return &sweep;
  return nullptr;
}

const Sweep *holderOf(const Kernel &kernel, TensorId tensor) {
  for (const Sweep &sweep : kernel.sweeps)
    if (std::find(sweep.held.begin(), sweep.held.end(), tensor) != sweep.held.end())
      return &sweep;
  return nullptr;
}

bool hasOutermostLoop(const Step &step, std::string_view variable) {
  const auto isOver = [&](const Term &term) {
    if (term.loops.empty())
      return false;
    const Loop &loop = term.loops.front();
    const std::string blocks = loop.part == format::Part::Quotient ? " / " + std::to_string(loop.block) : "";
    return loop.variable == std::string(variable) + blocks;
  };
  const auto *statement = std::get_if<Statement>(&step);
  return statement && std::any_of(statement->terms.begin(), statement->terms.end(), isOver);
}

ValueType sumType(const Kernel &kernel, const Statement &statement) {
  return statement.collecting && statement.collecting->isWide ? ValueType::F32 : kernel.tensors[statement.target].type;
}

int keyBits(const Tensor &target, const Collecting &collecting) {
  if (collecting.rowOrder + 1 < target.order())
    return 64;
  for (const format::Level &level : target.format.levels)
    if (level.dim == collecting.dims.back() && level.part == format::Part::Whole && !level.isDense())
      return format::bits(target.format.indices);
  return 64;
}

std::optional<RuntimeUse> runtimeUse(const Kernel &kernel) {
  using Why = RuntimeUse::Why;
  for (const Step &step : kernel.steps) {
    if (const Statement *statement = assemblingStatement(step))
      return RuntimeUse{Why::Assembles, statement->where};
    const auto *conversion = std::get_if<Conversion>(&step);
    if (conversion && kernel.tensors[conversion->to].isAssembled())
      return RuntimeUse{Why::Assembles, conversion->where};
    if (const auto *placement = std::get_if<Placement>(&step))
      return RuntimeUse{Why::Assembles, placement->where};
    if (const auto *ranking = std::get_if<Ranking>(&step))
      return RuntimeUse{Why::Ranks, ranking->where};
    if (const auto *distribution = std::get_if<Distribution>(&step))
      return RuntimeUse{Why::Assembles, kernel.tensors[distribution->from].where};
  }
  for (TensorId id : kernel.tensors.ids())
    if (const Tensor &tensor = kernel.tensors[id];
        (tensor.is<Converted>() && !isConstant(kernel, id)) || tensor.is<Tie>())
      return RuntimeUse{Why::CopiesOperand, tensor.where};
  for (TensorId id : kernel.tensors.ids())
    for (const format::Level &level : kernel.tensors[id].format.levels)
      if (level.hasLengths() && !isConstant(kernel, id))
        return RuntimeUse{Why::AddsLengths, kernel.tensors[id].where};
  return std::nullopt;
}

std::string bodyName(const Kernel &kernel, size_t step) {
  return step == 0 ? kernel.function : kernel.function + "." + std::to_string(step);
}

std::string patternBodyName(const Kernel &kernel, size_t step) {
  return bodyName(kernel, step) + ".pattern";
}

std::string plannedBodyName(const Kernel &kernel, size_t step) {
  return bodyName(kernel, step) + ".planned";
}

} // namespace spc::sema
