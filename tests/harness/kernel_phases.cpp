// Calls in two phases, with a plan and without one, beside the call in one phase.
#include "../include/spc/plan.h"
#include "format/levels.h"
#include "harness/kernel_argument.h"
#include "sema/two_phases.h"

#include <cmath>
#include <sstream>

namespace spc::testing {
namespace {

using Elements = std::map<std::vector<int64_t>, tensor::Number>;

/// What is stored beyond the entries of a call in one phase: places of padding.
bool isNothing(const tensor::Number &value) {
  return value.real == 0 && value.imaginary == 0 && value.rest == 0;
}

/// By coordinates. Padding may repeat those of an entry.
Elements elementsOf(const tensor::Coordinates &entries) {
  Elements elements;
  const auto order = static_cast<ptrdiff_t>(entries.shape.size());
  for (size_t entry = 0; entry < entries.size(); ++entry) {
    const auto begin = entries.coordinates.begin() + static_cast<ptrdiff_t>(entry) * order;
    const auto [found, isNew] = elements.try_emplace({begin, begin + order}, entries.value(entry));
    if (!isNew && isNothing(found->second))
      found->second = entries.value(entry);
  }
  return elements;
}

/// To the bit, but for what NaNs hold; where values are added to the zeros of slots, for the sign of a zero, too.
struct Comparison {
  bool hasSigns;

  bool isSame(double a, double b) const {
    return (std::isnan(a) && std::isnan(b)) || (a == b && (!hasSigns || std::signbit(a) == std::signbit(b)));
  }
  bool isSame(const tensor::Number &a, const tensor::Number &b) const {
    return isSame(a.real, b.real) && isSame(a.imaginary, b.imaginary) && a.rest == b.rest;
  }
};

std::string textOf(const tensor::Number &value) {
  std::ostringstream text;
  text << value.real << " + " << value.imaginary << "i";
  return text.str();
}

std::string compareElements(const Comparison &comparison, const Elements &once, const Elements &twice) {
  for (const auto &[at, value] : once) {
    const auto found = twice.find(at);
    if (found == twice.end() ? !isNothing(value) : !comparison.isSame(value, found->second))
      return "has " + (found == twice.end() ? std::string("no entry") : textOf(found->second)) + " for " +
             textOf(value);
  }
  for (const auto &[at, value] : twice)
    if (!once.contains(at) && !isNothing(value))
      return "has one entry more";
  return {};
}

} // namespace

std::string KernelArguments::checkPhases(const codegen::JitKernel &code) {
  const auto made =
      std::find_if(arguments_.begin(), arguments_.end(), [](const auto &one) { return one->assembled != nullptr; });
  AssembledOutput &once = *(*made)->assembled;
  const sema::Statement *assembly = sema::assemblingStatement(kernel_.steps.front());
  const Elements expected = elementsOf(once.slots());
  const bool hasPadding = std::any_of(arguments_.begin(), arguments_.end(), [](const auto &argument) {
    return argument->isSparse() && format::hasPadding(argument->tensor->format);
  });
  std::vector<void *> pointers = pointers_;
  pointers.push_back(nullptr); // the plan
  void *&output = pointers[1 + static_cast<size_t>(made - arguments_.begin())];
  const auto call = [&](const char *phase) { return code.phase(phase)(pointers[0], pointers.data() + 1); };
  for (const bool isPlanned : {false, true}) {
    const Comparison comparison{isPlanned && assembly && sema::keepsPlaces(kernel_, *assembly)};
    const std::string with = isPlanned ? " with a plan" : "";
    AssembledOutput twice = once.again();
    spc_plan plan = {};
    output = twice.cStruct();
    pointers.back() = isPlanned ? &plan : nullptr;
    if (const int32_t status = call("_symbolic"); status != SPC_OK) {
      const bool isRefused = status == SPC_ERROR_INDEX_RANGE || status == SPC_ERROR_COUNT || status == SPC_ERROR_SHAPE;
      if (isRefused && hasPadding) // without values all slots are entries, for which there may be no room
        return {};
      return "the symbolic phase" + with + " returned status " + std::to_string(status);
    }
    if (isPlanned && !plan.memory)
      return "the symbolic phase made no plan";
    for (int round = 0; round < 2; ++round) { // into an array of the call's, and into that with what it held
      if (const int32_t status = call("_numeric"); status != SPC_OK)
        return "the numeric phase" + with + " returned status " + std::to_string(status);
      if (const std::string problem = compareElements(comparison, expected, elementsOf(twice.slots()));
          !problem.empty())
        return "the result of two phases" + with + " " + problem;
    }
    twice.release();
    spc_plan_free_ctx(context_.get(), &plan);
  }
  return {};
}

} // namespace spc::testing
