// The steps in which a kernel runs.
#include "sema/kernel.h"

#include "format/levels.h"

#include <algorithm>

namespace spc::sema {

const Statement *assemblingStatement(const Step &step) {
  const auto *statement = std::get_if<Statement>(&step);
  return statement && statement->collecting ? statement : nullptr;
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

/// Whether values alone say which stored places of a tensor, or of what it is a copy of, are entries.
static bool isPadded(const Kernel &kernel, TensorId tensor) {
  const auto *copy = kernel.tensors[tensor].as<Converted>();
  const std::vector<TensorId> parts = copy ? partsOf(kernel, copy->source) : std::vector{tensor};
  return std::any_of(parts.begin(), parts.end(),
                     [&](TensorId part) { return format::hasPadding(kernel.tensors[part].format); });
}

/// Whether a domain is without the entries of a padded operand.
static bool excludesPadded(const Kernel &kernel, const Term &term, const Domain &domain) {
  if (domain.kind == DomainKind::Missing)
    return isPadded(kernel, term.operands[domain.operand].tensor);
  return std::any_of(domain.parts.begin(), domain.parts.end(),
                     [&](const Domain &part) { return excludesPadded(kernel, term, part); });
}

bool hasPhases(const Kernel &kernel) {
  const auto builds = [](const Step &step) {
    return std::holds_alternative<Conversion>(step) || assemblingStatement(step);
  };
  // The symbolic phase would release the values that an output is added to.
  const auto isReplaced = [](const Tensor &tensor) { return tensor.isAssembled() && tensor.isRead; };
  // The symbolic phase would leave out the places of padding, too.
  const auto needsValues = [&](const Term &term) { return term.domain && excludesPadded(kernel, term, *term.domain); };
  if (const Statement *statement = kernel.steps.size() == 1 ? assemblingStatement(kernel.steps.front()) : nullptr)
    if (std::any_of(statement->terms.begin(), statement->terms.end(), needsValues))
      return false;
  return kernel.steps.size() == 1 && builds(kernel.steps.front()) && !kernel.dropZeros &&
         std::none_of(kernel.tensors.begin(), kernel.tensors.end(), isReplaced);
}

std::optional<RuntimeUse> runtimeUse(const Kernel &kernel) {
  using Why = RuntimeUse::Why;
  for (const Step &step : kernel.steps) {
    if (const Statement *statement = assemblingStatement(step))
      return RuntimeUse{Why::Assembles, statement->where};
    const auto *conversion = std::get_if<Conversion>(&step);
    if (conversion && kernel.tensors[conversion->to].isAssembled())
      return RuntimeUse{Why::Assembles, conversion->where};
    if (const auto *distribution = std::get_if<Distribution>(&step))
      return RuntimeUse{Why::Assembles, kernel.tensors[distribution->from].where};
  }
  for (const Tensor &tensor : kernel.tensors)
    if (tensor.is<Converted>())
      return RuntimeUse{Why::CopiesOperand, tensor.where};
  for (const Tensor &tensor : kernel.tensors)
    for (const format::Level &level : tensor.format.levels)
      if (level.hasLengths())
        return RuntimeUse{Why::AddsLengths, tensor.where};
  return std::nullopt;
}

std::string bodyName(const Kernel &kernel, size_t step) {
  return step == 0 ? kernel.function : kernel.function + "." + std::to_string(step);
}

std::string patternBodyName(const Kernel &kernel, size_t step) {
  return bodyName(kernel, step) + ".pattern";
}

} // namespace spc::sema
