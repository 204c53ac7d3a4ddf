// The stages in which a kernel runs.
#include "sema/kernel.h"

#include <algorithm>

namespace spc::sema {
namespace {

bool standsAlone(const Step &step) {
  const auto *statement = std::get_if<Statement>(&step);
  return std::holds_alternative<Conversion>(step) || (statement && statement->collecting);
}

} // namespace

std::vector<Stage> stagesOf(const Kernel &kernel) {
  std::vector<Stage> stages;
  for (size_t k = 0; k < kernel.steps.size(); ++k) {
    const bool joins = k > 0 && !standsAlone(kernel.steps[k]) && !standsAlone(kernel.steps[k - 1]);
    if (joins)
      stages.back().end = k + 1;
    else
      stages.push_back({k, k + 1});
  }
  return stages;
}

const Statement *assemblingStatement(const Kernel &kernel, const Stage &stage) {
  const auto *statement = std::get_if<Statement>(&kernel.steps[stage.begin]);
  return statement && statement->collecting ? statement : nullptr;
}

bool hasOutermostLoop(const Kernel &kernel, const Stage &stage, std::string_view variable) {
  const auto isOver = [&](const Term &term) {
    if (term.loops.empty())
      return false;
    const Loop &loop = term.loops.front();
    const std::string blocks = loop.part == format::Part::Quotient ? " / " + std::to_string(loop.block) : "";
    return loop.variable == std::string(variable) + blocks;
  };
  return std::any_of(kernel.steps.begin() + stage.begin, kernel.steps.begin() + stage.end, [&](const Step &step) {
    const auto *statement = std::get_if<Statement>(&step);
    return statement && std::any_of(statement->terms.begin(), statement->terms.end(), isOver);
  });
}

const Conversion *conversionOf(const Kernel &kernel, const Stage &stage) {
  return std::get_if<Conversion>(&kernel.steps[stage.begin]);
}

int keyBits(const Tensor &target, const Collecting &collecting) {
  if (collecting.rowOrder + 1 < target.order())
    return 64;
  for (const format::Level &level : target.format.levels)
    if (level.dim == collecting.dims.back() && level.part == format::Part::Whole && !level.isDense())
      return format::bits(target.format.indices);
  return 64;
}

bool hasPhases(const Kernel &kernel) {
  // The symbolic phase would release the values that an output is added to.
  const auto isReplaced = [](const Tensor &tensor) { return tensor.isAssembled && tensor.isRead; };
  return kernel.steps.size() == 1 && standsAlone(kernel.steps.front()) && !kernel.dropZeros &&
         std::none_of(kernel.tensors.begin(), kernel.tensors.end(), isReplaced);
}

std::string bodyName(const Kernel &kernel, size_t stage) {
  return stage == 0 ? kernel.function : kernel.function + "." + std::to_string(stage);
}

std::string patternBodyName(const Kernel &kernel, size_t stage) {
  return bodyName(kernel, stage) + ".pattern";
}

} // namespace spc::sema
